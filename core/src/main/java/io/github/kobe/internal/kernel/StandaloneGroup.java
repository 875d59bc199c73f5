package io.github.kobe.internal.kernel;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A group of its own, which no map knows: for a face that has one group at a time, and waits for its end. Any number of them share
 * a dispatcher, and with it threads and a timer.
 */
public sealed class StandaloneGroup extends Group permits UncappedGroup {

    private final CountDownLatch terminated = new CountDownLatch(1);

    /** Borne by its threads, if they are made for it; nothing is left for it to catch. */
    private static final class Mark implements Thread.UncaughtExceptionHandler {
        private volatile @Nullable StandaloneGroup enclosure;

        @Override
        public void uncaughtException(Thread thread, Throwable fault) {
            thread.getThreadGroup().uncaughtException(thread, fault);
        }
    }

    /**
     * A new one.
     *
     * @param name what its threads are called
     * @param cap the most tickets that may run at once; {@link Integer#MAX_VALUE} for any number
     */
    public static StandaloneGroup of(String name, int cap, Dispatcher dispatcher) {
        return cap == Integer.MAX_VALUE
                ? new UncappedGroup(name, dispatcher)
                : new StandaloneGroup(name, cap, dispatcher);
    }

    StandaloneGroup(String name, int cap, Dispatcher dispatcher) {
        this(name, cap, dispatcher, new Mark());
    }

    private StandaloneGroup(String name, int cap, Dispatcher dispatcher, Mark mark) {
        super(
                name,
                new GroupLimits(cap, Integer.MAX_VALUE, Integer.MAX_VALUE),
                dispatcher,
                dispatcher.runner().withMarker(name, mark),
                false,
                true,
                true);
        mark.enclosure = this;
    }

    /**
     * The ticket whose work the calling thread is at; {@code null} if it is at none, or is not a thread that was made for one. That
     * costs those who never ask nothing, which a thread-local would.
     */
    public static @Nullable KernelTask<?> currentTask() {
        Thread here = Thread.currentThread();
        if (here.isVirtual() && here.getUncaughtExceptionHandler() instanceof Mark mark) {
            StandaloneGroup enclosure = mark.enclosure;
            return enclosure == null ? null : enclosure.running().taskOn(here);
        }
        return null;
    }

    /**
     * Starts the ticket, or puts it in line.
     *
     * @return false after a {@link #shut}
     */
    public boolean submit(KernelTask<?> ticket) {
        return admit(ticket) == Admission.ADMITTED;
    }

    /**
     * How many tickets hold a place, plus how many wait for one, or for another attempt; a figure to look at. One that keeps its place
     * between two attempts counts as both.
     */
    public long taskCount() {
        return (long) active() + queued() + awaitingRetryCount();
    }

    /** Of how many it was counted that their work begins, see {@link KernelTask#countsStart}. */
    public long startedCount() {
        return running().startedCount();
    }

    /** Cancels all that was submitted before, and returns when it has ended for all who look. It takes more. */
    public void stopAll(String why) {
        stop(why).forEach(KernelTask::awaitPublished);
    }

    /** Takes no more tickets; what is here goes on. */
    public void shut() {
        close();
    }

    /** Shows every ticket that is in line or on a thread for the whole of the call, and maybe others. */
    public void forEach(Consumer<KernelTask<?>> action) {
        forEachTask(action);
    }

    /** Waits until no ticket is on a thread, in line or between two attempts; only ever true after {@link #shut}. */
    public boolean awaitTermination(long nanos) throws InterruptedException {
        return terminated.await(nanos, TimeUnit.NANOSECONDS);
    }

    /** Whether {@link #awaitTermination} would return true at once. */
    public boolean isTerminated() {
        return terminated.getCount() == 0;
    }

    /** Its counts stay its own. */
    @Override
    void handOverCounts() {}

    @Override
    void retired(boolean inReadyQueue) {
        terminated();
    }

    final void terminated() {
        terminated.countDown();
    }
}
