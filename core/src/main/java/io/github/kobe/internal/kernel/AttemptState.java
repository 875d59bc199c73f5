package io.github.kobe.internal.kernel;

import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import io.github.kobe.internal.util.Throwables;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a ticket with wishes of its own brings along: a rank, two budgets, further attempts; and how far it has got with them.
 *
 * <pre>
 *   in line, first time   in the running set already, where the group's watch finds it, or, in a crowd, expiry pending;
 *                         if it does not wait for ever
 *   on a thread           in the running set, or, in a crowd, deadline pending from the first start on; if it may not run for ever
 *   between two attempts  retry pending, deadline as before; no thread, and no place unless it keeps it
 *   in line again         deadline as before
 * </pre>
 *
 * <p>The fields are written by whoever has the ticket: its submitter, then its thread, then the timer that brings it back, then
 * its thread again; each hands over by a compare-and-set on the ticket's stage or by starting the next.
 */
public final class AttemptState {

    /** No such budget. */
    public static final long NONE = Long.MAX_VALUE;

    /** Two instants that are this far from now can still be compared by what lies between them. */
    private static final long LONGEST = Long.MAX_VALUE >> 1;

    private static final int NO_SLOT = -1;
    private static final int LEFT = -2; // and will not enter again

    private static final VarHandle SLOT;

    static {
        try {
            SLOT = MethodHandles.lookup().findVarHandle(AttemptState.class, "slot", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final AttemptLimits limits;

    private @Nullable TimerEntry expiry;
    private @Nullable TimerEntry deadline;
    private volatile @Nullable TimerEntry retry; // read by one who ends the ticket, while its thread is at it

    private int failedAttempts;
    private volatile List<Throwable> earlierFailures =
            List.of(); // replaced rather than changed: a timeout may look at it at any time
    private long firstQueuedAt;
    private long firstStartedAt;

    /**
     * Where it is in the group's running set: from its first arrival to its end, so that a shutdown finds it in between; from when it
     * is put in line, if the watch is to find it there.
     */
    private int slot = NO_SLOT;

    /**
     * What it wishes, which any number of tickets may have in common.
     *
     * @param priority larger ones first
     * @param maxQueueNanos how long it waits for its first start, or {@link #NONE}
     * @param timeoutNanos how long it may take from its first start, or {@link #NONE}
     * @param keepsPermit whether it keeps its place between two attempts
     * @param timeoutIncludesQueue whether {@code timeoutNanos} are from when it is let in, wherever it waits, not from its first start
     */
    public record AttemptLimits(
            int priority, long maxQueueNanos, long timeoutNanos, boolean keepsPermit, boolean timeoutIncludesQueue) {

        /** As above. */
        public AttemptLimits {
            maxQueueNanos = clamp(maxQueueNanos);
            timeoutNanos = clamp(timeoutNanos);
        }

        private static long clamp(long nanos) {
            return nanos == NONE ? NONE : Math.min(nanos, LONGEST);
        }

        boolean expires() {
            return maxQueueNanos != NONE;
        }

        boolean timesOut() {
            return timeoutNanos != NONE;
        }
    }

    /** For one ticket. */
    public AttemptState(AttemptLimits terms) {
        this.limits = terms;
    }

    /** With terms that do not count waiting. */
    public AttemptState(int priority, long maxQueueNanos, long timeoutNanos, boolean keepsPlace) {
        this(new AttemptLimits(priority, maxQueueNanos, timeoutNanos, keepsPlace, false));
    }

    /** Larger ones first. */
    public int priority() {
        return limits.priority;
    }

    /** Whether it may only wait or run for so long. */
    boolean hasTimeLimit() {
        return limits.expires() || limits.timesOut();
    }

    boolean keepsPermit() {
        return limits.keepsPermit;
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
    void enqueued(KernelTask<?> ticket, Group home, long now, int ahead) {
        if (firstQueuedAt != 0 || firstStartedAt != 0) {
            return; // for a further attempt
        }
        firstQueuedAt = now;
        admitted(ticket, home.timer());
        if (!limits.expires()) {
            return;
        }
        if (ahead >= home.sweepCapacity() || home.exceedsSweepCapacity()) {
            TimerEntry fresh = new Expiry(ticket);
            expiry = fresh;
            home.timer().start(fresh, now, limits.maxQueueNanos);
        } else {
            int place = home.running().add(ticket); // a full fence, as the watch wants it
            if (SLOT.compareAndSet(this, NO_SLOT, place)) {
                home.deadlineMonitor().sweepBy(now + limits.maxQueueNanos, now);
            } else {
                home.running().remove(place); // whoever found it in there, and ended it, did not know where it is
            }
        }
    }

    /** It is let in, and nobody else has seen it: the second budget runs from now on, if that is how it has it. */
    void admitted(Standing<?> ticket, Timer timer) {
        if (limits.timeoutIncludesQueue && limits.timesOut() && deadline == null) {
            TimerEntry fresh = new Deadline(ticket);
            deadline = fresh;
            timer.start(fresh, limits.timeoutNanos);
        }
    }

    /** It is out of line. */
    void leftQueue(Timer timer) {
        if (expiry != null) {
            timer.cancel(expiry);
            expiry = null;
        }
    }

    /** Whether it is too late for a first start; the timer may be a little behind. */
    boolean isOverdue(long now) {
        return firstStartedAt == 0
                && firstQueuedAt != 0
                && limits.expires()
                && now - firstQueuedAt >= limits.maxQueueNanos;
    }

    // ---- running -------------------------------------------------------------------------------------------------

    /** Its work begins, and it is in the running set. */
    void started(KernelTask<?> ticket, Group home, long now) {
        if (firstStartedAt != 0) {
            return;
        }
        firstStartedAt = now;
        if (!limits.timesOut() || limits.timeoutIncludesQueue) {
            return;
        }
        if (home.exceedsSweepCapacity()) {
            TimerEntry fresh = new Deadline(ticket);
            deadline = fresh;
            home.timer().start(fresh, now, limits.timeoutNanos);
        } else {
            VarHandle.fullFence(); // what we wrote, before what the watch wrote
            home.deadlineMonitor().sweepBy(now + limits.timeoutNanos, now);
        }
    }

    /**
     * For the watch: ends {@code ticket} if it has waited or run for longer than it may.
     *
     * @return when it will have; 0 if it has ended by now, or need not
     */
    long enforce(KernelTask<?> ticket, long now) {
        long start = firstStartedAt; // its thread may be writing it
        boolean begun = start != 0;
        long since = begun ? start : firstQueuedAt;
        long budget = begun ? limits.timeoutNanos : limits.maxQueueNanos;
        if (since == 0 || budget == NONE || (begun && (limits.timeoutIncludesQueue || deadline != null))) {
            return 0;
        }
        if (since + budget - now > 0) {
            return since + budget;
        }
        if (begun) {
            ticket.timeOut();
        } else {
            ticket.expire();
        }
        return 0;
    }

    /** It has ended, or will not begin. */
    void cancelTimeout(Timer timer) {
        if (deadline != null) {
            timer.cancel(deadline);
        }
    }

    boolean hasSlot() {
        return slot >= 0;
    }

    int slot() {
        return slot;
    }

    void setSlot(int slot) {
        this.slot = slot;
    }

    void clearSlot() {
        slot = NO_SLOT;
    }

    /** It will not be on a thread again: where it was in the running set, for the caller to take it out; negative if it was not. */
    int leaveSlot() {
        return (int) SLOT.getAndSet(this, LEFT);
    }

    // ---- between two attempts ------------------------------------------------------------------------------------

    void attemptFailed() {
        failedAttempts++;
    }

    /** An attempt threw {@code fault}, and there will be another. For the thread of the ticket. */
    public void addFailure(Throwable fault) {
        List<Throwable> all = new ArrayList<>(earlierFailures);
        all.add(fault);
        earlierFailures = all;
    }

    /** Suppresses in {@code last} what earlier attempts threw. */
    public <E extends Throwable> E withEarlierFailures(E last) {
        earlierFailures.forEach(fault -> Throwables.suppress(fault, last));
        return last;
    }

    void scheduleRetry(KernelTask<?> ticket, Timer timer, long delayNanos) {
        TimerEntry again = retry;
        if (again == null) {
            again = new Retry(ticket);
            retry = again;
        }
        timer.start(again, delayNanos);
    }

    void cancelRetry(Timer timer) {
        TimerEntry again = retry;
        if (again != null) {
            timer.cancel(again);
        }
    }

    private static final class Expiry extends TimerEntry {
        private final Standing<?> ticket;

        Expiry(Standing<?> ticket) {
            this.ticket = ticket;
        }

        @Override
        public void fire() {
            ticket.expire();
        }
    }

    private static final class Deadline extends TimerEntry {
        private final Standing<?> ticket;

        Deadline(Standing<?> ticket) {
            this.ticket = ticket;
        }

        @Override
        public void fire() {
            ticket.timeOut();
        }
    }

    private static final class Retry extends TimerEntry {
        private final KernelTask<?> ticket;

        Retry(KernelTask<?> ticket) {
            this.ticket = ticket;
        }

        @Override
        public void fire() {
            ticket.retryDue();
        }
    }
}
