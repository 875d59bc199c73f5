package io.github.kobe.internal.kernel;

/**
 * Codec of {@link HotFields#state}: everything that decides whether a task of a {@link Group} may start, in 64 bits.
 *
 * <pre>
 *   free permits  32 bits   effective limit - permits in use; negative while a lowered limit is being paid off
 *   queued tasks  25 bits   stored with a bias, since the count may be -1 for a moment
 *   READY_QUEUED            the group is in the ready queue, or held by the thread that polled it; only if GLOBALLY_LIMITED
 *   CLOSED                  no task is admitted any more
 *   RETIRED                 the group has left the registry for good; set only with no permit in use and nothing queued
 *   STALE                   the limits must be resolved again before the next admission
 *   IDLE                    set by the idle sweep; every admission clears it
 *   GLOBALLY_LIMITED        permits also count under the global limit; never cleared
 *   UNSETTLED               not checked since the group was registered; admits no task until it is
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

    /** While any of these flags is set, no task is admitted. */
    static final long NOT_ADMITTING = CLOSED | RETIRED | STALE | UNSETTLED;

    static final long ONE_QUEUED = 1L << FLAG_BITS;
    static final long ONE_PERMIT = 1L << 32;

    private static final int BIAS = 1 << 16;

    /** The longest queue of one group. Tasks that are queued again for a retry may exceed it a little. */
    static final int MAX_QUEUED = (1 << (32 - FLAG_BITS)) - (1 << 20);

    private GroupState() {}

    /** The state with every permit free and nothing queued. */
    static long of(int limit, long flags) {
        return limit * ONE_PERMIT + BIAS * ONE_QUEUED + flags;
    }

    static int freePermits(long state) {
        return (int) (state >> 32);
    }

    static int queuedTasks(long state) {
        return (int) ((state & 0xFFFF_FFFFL) >>> FLAG_BITS) - BIAS;
    }

    /** Whether any of {@code flags} is set. */
    static boolean has(long state, long flags) {
        return (state & flags) != 0;
    }

    /** Whether a queued task could get a permit of the group. */
    static boolean isReady(long state) {
        return queuedTasks(state) > 0 && freePermits(state) > 0;
    }
}
