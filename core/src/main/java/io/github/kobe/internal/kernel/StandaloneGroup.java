package io.github.kobe.internal.kernel;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A container that is in no registry, with a latch for its termination: for a face that has one container at a time. Any number of them
 * share a dispatcher, and with it threads and a timer. Safe for use by many threads.
 */
public final class StandaloneGroup {

    private final CountDownLatch terminated = new CountDownLatch(1);
    private final TaskHome home;

    /** Its counts stay its own. */
    private final class LatchOwner implements TaskHome.Owner {
        @Override
        public void retired(TaskHome retired, boolean inReadyQueue) {
            terminated.countDown();
        }

        @Override
        public void countedLate(TaskHome retired) {}
    }

    /**
     * A new container.
     *
     * @param name the name of its threads
     * @param limit how many tasks may run at once; {@link Integer#MAX_VALUE} for no limit
     */
    public StandaloneGroup(String name, int limit, Dispatcher dispatcher) {
        this.home = limit == Integer.MAX_VALUE
                ? new UncappedGroup(name, dispatcher, new LatchOwner())
                : new Group(
                        name,
                        new GroupLimits(limit, Integer.MAX_VALUE, Integer.MAX_VALUE),
                        dispatcher,
                        new LatchOwner());
    }

    /** The task that the calling thread runs; {@code null} if it runs none, or is not a thread that was made for one. */
    public static @Nullable KernelTask<?> currentTask() {
        return TaskHome.currentTask();
    }

    /**
     * Starts the task, or queues it.
     *
     * @return false after {@link #shut}
     */
    public boolean submit(KernelTask<?> task) {
        return home.admit(task) == Admission.ADMITTED;
    }

    /**
     * How many tasks hold a permit, are queued or await a retry. A task that keeps its permit while it awaits a retry counts twice, unless
     * there is no limit.
     */
    public long taskCount() {
        return home instanceof UncappedGroup uncapped
                ? uncapped.taskCount()
                : (long) home.active() + home.queued() + home.awaitingRetryCount();
    }

    /** The container itself, for its statistics. */
    public TaskHome home() {
        return home;
    }

    /** Cancels every task that was submitted before, and returns when each has completed. Further tasks are admitted. */
    public void stopAll(String reason) {
        home.stop(reason).forEach(KernelTask::awaitPublished);
    }

    /** Admits no more tasks. Those admitted before continue. */
    public void shut() {
        home.close();
    }

    /** Shows every task that is queued or on a thread for the whole of the call, and maybe others. */
    public void forEach(Consumer<KernelTask<?>> action) {
        home.forEachTask(action);
    }

    /** Waits until no task is queued, on a thread or awaiting a retry. Only ever true after {@link #shut}. */
    public boolean awaitTermination(long nanos) throws InterruptedException {
        return terminated.await(nanos, TimeUnit.NANOSECONDS);
    }

    /** Whether {@link #awaitTermination} would return true at once. */
    public boolean isTerminated() {
        return terminated.getCount() == 0;
    }
}
