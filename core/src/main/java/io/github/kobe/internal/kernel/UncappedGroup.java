package io.github.kobe.internal.kernel;

import io.github.kobe.internal.util.CacheLinePadding;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;

/**
 * A container without a limit. No task is ever queued, so permits are not counted; only admissions and departures are, in two objects that
 * each have cache lines of their own. Submitters write the first, the threads of tasks the second. One word for both would move between
 * their cores with every task.
 *
 * <pre>
 *   admitted        admissions + 1, unless closed
 *   off its thread  departures + 1
 *   awaits a retry  departures - 1, before the task is off its thread; departures + 1 when the retry is resolved
 *   starts a retry  departures - 1
 *   closed          admissions is marked and does not change any more; departures + ALL - admissions
 * </pre>
 *
 * <p>The step that makes {@code departures} equal to ALL is the last one. Before the close that cannot happen, because it would take ALL
 * tasks. After it, every task that is running or awaits a retry is missing from the sum.
 */
final class UncappedGroup extends TaskHome {

    private static final long CLOSED = Long.MIN_VALUE;

    /** More tasks than there will ever be. */
    private static final long ALL = 1L << 62;

    private final Side admissions = new PaddedSide(); // how many were admitted, and whether it is closed
    private final Side departures = new PaddedSide(); // how many have left, and how many had the most common outcome

    /** What one side writes. */
    private abstract static class Side extends CacheLinePadding {
        static final VarHandle COUNT;
        static final VarHandle COMMON_OUTCOMES;

        static {
            try {
                MethodHandles.Lookup lookup = MethodHandles.lookup();
                COUNT = lookup.findVarHandle(Side.class, "count", long.class);
                COMMON_OUTCOMES = lookup.findVarHandle(Side.class, "commonOutcomes", long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        volatile long count;
        volatile long commonOutcomes;
    }

    /** With padding behind the fields, as there is in front of them. */
    @SuppressWarnings("unused")
    private static final class PaddedSide extends Side {
        private long p0, p1, p2, p3, p4, p5, p6;
    }

    UncappedGroup(String name, Dispatcher dispatcher, Owner owner) {
        super(name, dispatcher, owner, Integer.MAX_VALUE, true);
    }

    // ---- admissions ----------------------------------------------------------------------------------------------

    @Override
    Admission admit(KernelTask<?> task) {
        task.bind(this);
        for (; ; ) {
            long before = admissions.count;
            if (before < 0) {
                return Admission.CLOSED;
            }
            if (Side.COUNT.compareAndSet(admissions, before, before + 1)) {
                task.admitted(before + 1);
                startOrRelease(task, 0);
                return Admission.ADMITTED;
            }
        }
    }

    @Override
    void readmit(KernelTask<?> task) {
        Side.COUNT.getAndAdd(departures, -1L);
        startOrRelease(task, 0);
    }

    @Override
    void close() {
        long admittedSoFar = (long) Side.COUNT.getAndBitwiseOr(admissions, CLOSED);
        if (admittedSoFar >= 0) {
            depart(ALL - admittedSoFar);
        }
    }

    // ---- departures ----------------------------------------------------------------------------------------------

    @Override
    void release(int cost, long start, long now) {
        depart(1);
    }

    @Override
    void awaitingRetry() {
        super.awaitingRetry();
        Side.COUNT.getAndAdd(departures, -1L);
    }

    @Override
    void retryResolved() {
        super.retryResolved();
        depart(1);
    }

    private void depart(long number) {
        if ((long) Side.COUNT.getAndAdd(departures, number) + number == ALL) {
            retired(false);
        }
    }

    /** Nothing to do: the last departure retires the container. */
    @Override
    void retireIfDone() {}

    // ---- no queue ------------------------------------------------------------------------------------------------

    @Override
    void withdrawn() {
        throw new AssertionError("no task is ever queued");
    }

    @Override
    void forEachQueued(Consumer<KernelTask<?>> action) {}

    @Override
    public int queued() {
        return 0;
    }

    // ---- statistics ----------------------------------------------------------------------------------------------

    @Override
    boolean isClosed() {
        return admissions.count < 0;
    }

    @Override
    boolean isRetired() {
        return departures.count == ALL;
    }

    @Override
    public long admittedCount() {
        return admissions.count & ~CLOSED;
    }

    /** How many tasks run or await a retry. */
    long taskCount() {
        long left = departures.count; // read first: a task that leaves was admitted before
        return left > ALL / 2 ? ALL - left : admittedCount() - left;
    }

    @Override
    public int active() {
        return Math.clamp(taskCount() - awaitingRetryCount(), 0, Integer.MAX_VALUE);
    }

    @Override
    int permitsInUse() {
        return active();
    }

    @Override
    void countCommonOutcome(long number) {
        Side.COMMON_OUTCOMES.getAndAdd(departures, number);
    }

    @Override
    public long commonOutcomeCount() {
        return departures.commonOutcomes;
    }
}
