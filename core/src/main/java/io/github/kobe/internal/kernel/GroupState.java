package io.github.kobe.internal.kernel;

/**
 * The word of a {@link Group}: everything that decides who may start, in 64 bits.
 *
 * <pre>
 *   free    32 bits  cap - places in use; negative while a lowered cap is being paid off
 *   queued  25 bits  tickets in line; kept with a bias, since it may be -1 for a moment
 *   IN_RING          it is in the ready queue, or in the hands of the thread that polled it; only if GATED
 *   CLOSED           takes no more tickets
 *   RETIRED          has left the map for good; set only with no place in use and nothing queued
 *   STALE            its limits are to be resolved again before the next ticket
 *   QUIET            marked by the idle sweep; every admission wipes it off
 *   GATED            its places count under the global gate as well; never taken back
 *   FRESH            not looked over since it was put into the map; takes no ticket until it is
 * </pre>
 */
final class GroupState {

    private static final int FLAG_BITS = 7;

    static final long READY_QUEUED = 1;
    static final long CLOSED = 1 << 1;
    static final long RETIRED = 1 << 2;
    static final long STALE = 1 << 3;
    static final long IDLE = 1 << 4;
    static final long GLOBALLY_LIMITED = 1 << 5;
    static final long UNSETTLED = 1 << 6;

    /** While any of them is set no ticket gets in. */
    static final long NOT_ADMITTING = CLOSED | RETIRED | STALE | UNSETTLED;

    static final long ONE_QUEUED = 1L << FLAG_BITS;
    static final long ONE_PERMIT = 1L << 32;

    private static final int BIAS = 1 << 16;

    /** As many as may be put in line; what comes again for a further attempt finds some room beyond it. */
    static final int MAX_QUEUED = (1 << (32 - FLAG_BITS)) - (1 << 20);

    private GroupState() {}

    /** With all places free and nothing in line. */
    static long of(int cap, long flags) {
        return cap * ONE_PERMIT + BIAS * ONE_QUEUED + flags;
    }

    static int freePermits(long w) {
        return (int) (w >> 32);
    }

    static int queuedTasks(long w) {
        return (int) ((w & 0xFFFF_FFFFL) >>> FLAG_BITS) - BIAS;
    }

    /** Whether any of {@code flags} is set. */
    static boolean has(long w, long flags) {
        return (w & flags) != 0;
    }

    /** Whether one in line could have a place of the group's. */
    static boolean isReady(long w) {
        return queuedTasks(w) > 0 && freePermits(w) > 0;
    }
}
