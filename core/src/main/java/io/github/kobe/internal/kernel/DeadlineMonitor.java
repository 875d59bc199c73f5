package io.github.kobe.internal.kernel;

import io.github.kobe.internal.time.TimerEntry;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Puts an end to the tickets of a group that wait or take longer than they may. Most are done long before that, so they do not ask the
 * timer for a timeout each: the watch has one, for the first that is due, and then looks at all of them, in the running set.
 *
 * <p><b>None is missed.</b> A ticket enters the running set and writes since when it waits or runs, then reads when the watch wakes.
 * The watch, when it wakes, writes that it will not, then reads the set and since when each of them does. So one of the two sees the
 * other: the ticket has the watch wake in time, or the watch finds the ticket.
 */
final class DeadlineMonitor extends TimerEntry {

    private static final long NOT_SCHEDULED = 0;

    /** The timer keeps the group, and its executor, for no longer than that once nobody has a budget any more. */
    private static final long MAX_SWEEP_DELAY = TimeUnit.SECONDS.toNanos(15);

    private final Group group;

    /** By the timer's clock; may be {@link #NOT_SCHEDULED} while the timer has us, and wakes us for nothing. Written under the monitor. */
    private volatile long sweepAt = NOT_SCHEDULED;

    DeadlineMonitor(Group group) {
        this.group = group;
    }

    /** Sees to it that we look around at {@code due}, or before. */
    void sweepBy(long due, long now) {
        if (isTooLateFor(due)) {
            sweepSooner(due, now);
        }
    }

    private boolean isTooLateFor(long due) {
        long at = sweepAt;
        return at == NOT_SCHEDULED || due - at < 0;
    }

    private synchronized void sweepSooner(long due, long now) {
        if (isTooLateFor(due)) {
            group.timer().cancel(this);
            sweepAt = NOT_SCHEDULED; // should the next line throw
            long nap = Math.min(due - now, MAX_SWEEP_DELAY);
            group.timer().start(this, now, nap);
            sweepAt = now + nap;
        }
        if (group.isRetired()) {
            stop(); // it did not find what we have just started
        }
    }

    /** There are no tickets any more, and the timer is not to keep the group. */
    synchronized void stop() {
        group.timer().cancel(this);
        sweepAt = NOT_SCHEDULED;
    }

    @Override
    public void fire() {
        synchronized (this) {
            sweepAt = NOT_SCHEDULED;
        }
        Round round = new Round(group.timer().nanoTime());
        group.running().forEach(round::lookAt);
        if (round.next != NOT_SCHEDULED) {
            sweepBy(round.next, round.now);
        }
        switch (round.fault) {
            case RuntimeException e -> throw e; // for the timer to report
            case Error e -> throw e;
            case null, default -> {}
        }
    }

    private static final class Round {
        private final long now;
        private long next = NOT_SCHEDULED; // when the first of those that are not due yet is
        private @Nullable Throwable
                fault; // the last that ending one threw, which is not to keep the others from their ends

        Round(long now) {
            this.now = now;
        }

        void lookAt(KernelTask<?> ticket) {
            AttemptState plan = ticket.attempts();
            long due = NOT_SCHEDULED;
            try {
                due = plan == null || ticket.isDecided() ? NOT_SCHEDULED : plan.enforce(ticket, now);
            } catch (RuntimeException | Error its) {
                fault = its;
            }
            if (due != NOT_SCHEDULED && (next == NOT_SCHEDULED || due - next < 0)) {
                next = due;
            }
        }
    }
}
