package io.github.kobe.internal;

import org.jspecify.annotations.Nullable;

/**
 * What a ticket with wishes of its own brings along: a rank, two budgets, further attempts; and how far it has got with them.
 *
 * <pre>
 *   in line, first time   expiry pending, if it does not wait for ever
 *   on a thread           deadline pending from the first start on, if it may not run for ever
 *   between two attempts  retry pending, deadline as before; no thread, and no place unless it keeps it
 *   in line again         deadline as before
 * </pre>
 *
 * <p>The fields are written by whoever has the ticket: its submitter, then its thread, then the timer that brings it back, then
 * its thread again; each hands over by a compare-and-set on the ticket's stage or by starting the next.
 */
public final class Plan {

    /** No such budget. */
    public static final long NONE = Long.MAX_VALUE;

    private static final int NO_SLOT = -1;

    private final int priority;
    private final long maxQueueNanos;
    private final long timeoutNanos;
    private final boolean keepsPlace;
    private final boolean countsWaiting;

    private @Nullable Timeout expiry;
    private @Nullable Timeout deadline;
    private volatile @Nullable Timeout retry; // read by one who ends the ticket, while its thread is at it

    private int failedAttempts;
    private long firstQueuedAt;
    private long firstStartedAt;

    /** Where it is in the group's running set: from its first arrival to its end, so that a shutdown finds it in between. */
    private int slot = NO_SLOT;

    /**
     * @param priority larger ones first
     * @param maxQueueNanos how long it waits for its first start, or {@link #NONE}
     * @param timeoutNanos how long it may take from its first start, or {@link #NONE}
     * @param keepsPlace whether it keeps its place between two attempts
     */
    public Plan(int priority, long maxQueueNanos, long timeoutNanos, boolean keepsPlace) {
        this(priority, maxQueueNanos, timeoutNanos, keepsPlace, false);
    }

    /** @param countsWaiting whether {@code timeoutNanos} are from when it is let in, wherever it waits, not from its first start */
    public Plan(int priority, long maxQueueNanos, long timeoutNanos, boolean keepsPlace, boolean countsWaiting) {
        this.priority = priority;
        this.maxQueueNanos = maxQueueNanos;
        this.timeoutNanos = timeoutNanos;
        this.keepsPlace = keepsPlace;
        this.countsWaiting = countsWaiting;
    }

    /** Larger ones first. */
    public int priority() {
        return priority;
    }

    /** Whether it may only wait or run for so long. */
    boolean hasBudget() {
        return maxQueueNanos != NONE || timeoutNanos != NONE;
    }

    boolean keepsPlace() {
        return keepsPlace;
    }

    /** How many attempts have failed so far. */
    public int failedAttempts() {
        return failedAttempts;
    }

    /** When it was put in line for its first start; 0 if it did not have to wait, or if nobody looked. */
    public long firstQueuedAt() {
        return firstQueuedAt;
    }

    /** When it started first; 0 if it has not. */
    public long firstStartedAt() {
        return firstStartedAt;
    }

    // ---- waiting for the first start -----------------------------------------------------------------------------

    /** It is put in line. Before it is linked, so that whoever takes it finds the timeout running. */
    void enqueued(Standing<?> ticket, Timer timer, long now) {
        if (firstQueuedAt != 0 || firstStartedAt != 0) {
            return; // for a further attempt
        }
        firstQueuedAt = now;
        letIn(ticket, timer);
        if (maxQueueNanos != NONE) {
            Timeout fresh = new Expiry(ticket);
            expiry = fresh;
            timer.start(fresh, now, maxQueueNanos);
        }
    }

    /** It is let in, and nobody else has seen it: the second budget runs from now on, if that is how it has it. */
    void letIn(Standing<?> ticket, Timer timer) {
        if (countsWaiting && timeoutNanos != NONE && deadline == null) {
            Timeout fresh = new Deadline(ticket);
            deadline = fresh;
            timer.start(fresh, timeoutNanos);
        }
    }

    /** It is out of line. */
    void leftLine(Timer timer) {
        if (expiry != null) {
            timer.cancel(expiry);
            expiry = null;
        }
    }

    /** Whether it is too late for a first start; the timer may be a little behind. */
    boolean isOverdue(long now) {
        return firstStartedAt == 0
                && firstQueuedAt != 0
                && maxQueueNanos != NONE
                && now - firstQueuedAt >= maxQueueNanos;
    }

    // ---- running -------------------------------------------------------------------------------------------------

    /** Its work begins. */
    void begins(Standing<?> ticket, Timer timer, long now) {
        if (firstStartedAt != 0) {
            return;
        }
        firstStartedAt = now;
        if (timeoutNanos != NONE && deadline == null) {
            Timeout fresh = new Deadline(ticket);
            deadline = fresh;
            timer.start(fresh, now, timeoutNanos);
        }
    }

    /** It has ended, or will not begin. */
    void over(Timer timer) {
        if (deadline != null) {
            timer.cancel(deadline);
        }
    }

    boolean hasSlot() {
        return slot != NO_SLOT;
    }

    int slot() {
        return slot;
    }

    void setSlot(int slot) {
        this.slot = slot;
    }

    int clearSlot() {
        int was = slot;
        slot = NO_SLOT;
        return was;
    }

    // ---- between two attempts ------------------------------------------------------------------------------------

    void attemptFailed() {
        failedAttempts++;
    }

    void comesAgain(Ticket<?> ticket, Timer timer, long delayNanos) {
        Timeout again = retry;
        if (again == null) {
            again = new Retry(ticket);
            retry = again;
        }
        timer.start(again, delayNanos);
    }

    void comesNotAgain(Timer timer) {
        Timeout again = retry;
        if (again != null) {
            timer.cancel(again);
        }
    }

    private static final class Expiry extends Timeout {
        private final Standing<?> ticket;

        Expiry(Standing<?> ticket) {
            this.ticket = ticket;
        }

        @Override
        public void fire() {
            ticket.expire();
        }
    }

    private static final class Deadline extends Timeout {
        private final Standing<?> ticket;

        Deadline(Standing<?> ticket) {
            this.ticket = ticket;
        }

        @Override
        public void fire() {
            ticket.timeOut();
        }
    }

    private static final class Retry extends Timeout {
        private final Ticket<?> ticket;

        Retry(Ticket<?> ticket) {
            this.ticket = ticket;
        }

        @Override
        public void fire() {
            ticket.comeBack();
        }
    }
}
