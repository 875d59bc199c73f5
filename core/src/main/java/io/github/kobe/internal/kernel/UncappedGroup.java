package io.github.kobe.internal.kernel;

import io.github.kobe.internal.util.CacheLinePadding;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An enclosure without a limit. Nobody waits for a place there, so places are not counted; only who came and who has left, in two
 * words, each written by one side: those who submit have one line of the cache to themselves, and the threads that do the work
 * another. One word for both would go to and fro between them with every ticket.
 *
 * <pre>
 *   let in          came + 1, unless it is closed
 *   off its thread  gone + 1
 *   to come again   gone - 1, before it is off its thread; gone + 1 when it has come again, or will not
 *   comes again     gone - 1
 *   closed          came is marked, and does not change any more; gone + ALL - came
 * </pre>
 *
 * <p>All but the first two are rare. Whoever makes {@code gone} ALL is the one who sees that it is over. Before the close that cannot
 * be, for it would take as many tickets; after it, each that is here, or will come again, is missing.
 */
final class UncappedGroup extends StandaloneGroup {

    private static final long CLOSED = Long.MIN_VALUE;

    /** More than there ever will be. */
    private static final long ALL = 1L << 62;

    private final Side admissions = new PaddedSide(); // how many were let in, and whether it is closed
    private final Side departures = new PaddedSide(); // how many have left, and how many ended as most do

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
        volatile long commonOutcomes; // see Tally.MOST
    }

    /** With a line behind it that nobody uses, as there is one in front. */
    @SuppressWarnings("unused")
    private static final class PaddedSide extends Side {
        private long a;
        private long b;
        private long c;
        private long d;
        private long e;
        private long f;
        private long g;
    }

    UncappedGroup(String name, Dispatcher dispatcher) {
        super(name, Integer.MAX_VALUE, dispatcher);
    }

    // ---- coming --------------------------------------------------------------------------------------------------

    @Override
    Admission admit(KernelTask<?> ticket) {
        ticket.bind(this);
        for (; ; ) {
            long before = admissions.count;
            if (before < 0) {
                return Admission.CLOSED;
            }
            if (Side.COUNT.compareAndSet(admissions, before, before + 1)) {
                ticket.admitted(before + 1);
                startOrRelease(ticket, 0);
                return Admission.ADMITTED;
            }
        }
    }

    @Override
    void readmit(KernelTask<?> ticket) {
        Side.COUNT.getAndAdd(departures, -1L);
        startOrRelease(ticket, 0);
    }

    @Override
    void close() {
        long number = (long) Side.COUNT.getAndBitwiseOr(admissions, CLOSED);
        if (number >= 0) {
            depart(ALL - number);
        }
    }

    // ---- leaving -------------------------------------------------------------------------------------------------

    @Override
    void release(long start, long now) {
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
            stopDeadlineMonitor();
            terminated();
        }
    }

    /** Whoever leaves last sees to that. */
    @Override
    void retireIfDone(long w) {}

    // ---- figures -------------------------------------------------------------------------------------------------

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

    @Override
    public long taskCount() {
        long left = departures.count; // first: who leaves was let in before
        return left > ALL / 2 ? ALL - left : admittedCount() - left;
    }

    @Override
    public int active() {
        return Math.clamp(taskCount() - awaitingRetryCount(), 0, Integer.MAX_VALUE);
    }

    // ---- counts --------------------------------------------------------------------------------------------------

    @Override
    void countCommonOutcome(long number) {
        Side.COMMON_OUTCOMES.getAndAdd(departures, number);
    }

    @Override
    public long commonOutcomeCount() {
        return departures.commonOutcomes;
    }
}
