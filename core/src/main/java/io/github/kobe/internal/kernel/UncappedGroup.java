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

    private final Side came = new PaddedSide(); // how many were let in, and whether it is closed
    private final Side gone = new PaddedSide(); // how many have left, and how many ended as most do

    /** What one side writes. */
    private abstract static class Side extends CacheLinePadding {
        static final VarHandle NUMBER;
        static final VarHandle AS_MOST_DO;

        static {
            try {
                MethodHandles.Lookup lookup = MethodHandles.lookup();
                NUMBER = lookup.findVarHandle(Side.class, "number", long.class);
                AS_MOST_DO = lookup.findVarHandle(Side.class, "asMostDo", long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        volatile long number;
        volatile long asMostDo; // see Tally.MOST
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
            long before = came.number;
            if (before < 0) {
                return Admission.CLOSED;
            }
            if (Side.NUMBER.compareAndSet(came, before, before + 1)) {
                ticket.letIn(before + 1);
                startOrRelease(ticket, 0);
                return Admission.ADMITTED;
            }
        }
    }

    @Override
    void readmit(KernelTask<?> ticket) {
        Side.NUMBER.getAndAdd(gone, -1L);
        startOrRelease(ticket, 0);
    }

    @Override
    void close() {
        long number = (long) Side.NUMBER.getAndBitwiseOr(came, CLOSED);
        if (number >= 0) {
            leave(ALL - number);
        }
    }

    // ---- leaving -------------------------------------------------------------------------------------------------

    @Override
    void release(long start, long now) {
        leave(1);
    }

    @Override
    void delayed() {
        super.delayed();
        Side.NUMBER.getAndAdd(gone, -1L);
    }

    @Override
    void delayOver() {
        super.delayOver();
        leave(1);
    }

    private void leave(long number) {
        if ((long) Side.NUMBER.getAndAdd(gone, number) + number == ALL) {
            watchRests();
            terminated();
        }
    }

    /** Whoever leaves last sees to that. */
    @Override
    void retireIfDone(long w) {}

    // ---- figures -------------------------------------------------------------------------------------------------

    @Override
    boolean isClosed() {
        return came.number < 0;
    }

    @Override
    boolean isRetired() {
        return gone.number == ALL;
    }

    @Override
    public long admittedSoFar() {
        return came.number & ~CLOSED;
    }

    @Override
    public long presentNow() {
        long left = gone.number; // first: who leaves was let in before
        return left > ALL / 2 ? ALL - left : admittedSoFar() - left;
    }

    @Override
    public int active() {
        return Math.clamp(presentNow() - retrying(), 0, Integer.MAX_VALUE);
    }

    // ---- counts --------------------------------------------------------------------------------------------------

    @Override
    void countMost(long number) {
        Side.AS_MOST_DO.getAndAdd(gone, number);
    }

    @Override
    public long mostEndsSoFar() {
        return gone.asMostDo;
    }
}
