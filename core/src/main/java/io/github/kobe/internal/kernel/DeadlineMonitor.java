package io.github.kobe.internal.kernel;

import io.github.kobe.internal.time.TimerEntry;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Enforces the time limits of a container's tasks.
 *
 * <p>Most tasks complete long before a limit, so an entry in the timer for each would be a waste. While a container has few tasks, there is
 * one entry for the first limit that is due; when it fires, a sweep looks at all of them, among the running tasks. If there are too many to
 * look at, a task gets an entry of its own.
 *
 * <p><b>No limit is missed.</b> A task registers and writes since when it is queued or running, then reads {@code sweepAt}. A sweep
 * writes {@code sweepAt}, then reads the running tasks and their times. One of the two sees the other: the task schedules the sweep in
 * time, or the sweep finds the task.
 */
final class DeadlineMonitor extends TimerEntry {

    private static final long NOT_SCHEDULED = 0;

    /** Once no task has a limit any more, the timer keeps the container reachable for no longer than this. */
    private static final long MAX_SWEEP_DELAY = TimeUnit.SECONDS.toNanos(15);

    /** More slots than {@link RunningTasks} has for as many tasks as it is made for. */
    private static final int SLOTS_PER_TASK = 16;

    private final TaskHome home;
    private final int capacity;

    /** By the timer's clock. May be {@link #NOT_SCHEDULED} while the timer has an entry, which then sweeps for nothing. Written under the monitor. */
    private volatile long sweepAt = NOT_SCHEDULED;

    /** What a limit is about. */
    enum TimeLimit {
        /** From when the task was queued to its first start. */
        QUEUE,
        /** From the first start to the completion. */
        RUN,
        /** From the admission to the completion, wherever the task waits. */
        TOTAL
    }

    DeadlineMonitor(TaskHome home, int capacity) {
        this.home = home;
        this.capacity = capacity;
    }

    /** Terminates {@code task} when {@code limit}, which begins at {@code now}, has passed, unless the task has left that phase before. */
    void track(KernelTask<?> task, AttemptState attempts, TimeLimit limit, long now) {
        long nanos = limit == TimeLimit.QUEUE
                ? attempts.limits().maxQueueNanos()
                : attempts.limits().timeoutNanos();
        if (!isSwept(limit)) {
            startEntry(task, attempts, limit, now, nanos);
        } else if (limit == TimeLimit.RUN || attempts.tryRegister(task, home.running())) {
            VarHandle.fullFence(); // what the task wrote, before what the sweep wrote
            sweepBy(now + nanos, now);
        }
    }

    /** A task with a {@link TimeLimit#TOTAL} limit is not registered yet. Going through very many tasks would take too long. */
    private boolean isSwept(TimeLimit limit) {
        boolean few = home.active() + (long) home.awaitingRetryCount() <= capacity
                && home.running().slotCount() <= (long) SLOTS_PER_TASK * Math.max(SLOTS_PER_TASK, capacity);
        return switch (limit) {
            case QUEUE -> few && home.queued() <= capacity;
            case RUN -> few;
            case TOTAL -> false;
        };
    }

    // ---- one entry for a task ------------------------------------------------------------------------------------

    private void startEntry(KernelTask<?> task, AttemptState attempts, TimeLimit limit, long now, long nanos) {
        LimitEntry entry = new LimitEntry(task, limit);
        if (limit == TimeLimit.QUEUE) {
            attempts.setExpiry(entry);
        } else {
            attempts.setTimeout(entry);
        }
        home.timer().start(entry, now, nanos);
    }

    private static final class LimitEntry extends TimerEntry {
        private final KernelTask<?> task;
        private final TimeLimit limit;

        LimitEntry(KernelTask<?> task, TimeLimit limit) {
            this.task = task;
            this.limit = limit;
        }

        @Override
        public void fire() {
            if (limit == TimeLimit.QUEUE) {
                task.expire();
            } else {
                task.timeOut();
            }
        }
    }

    // ---- one sweep for all ---------------------------------------------------------------------------------------

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
            home.timer().cancel(this);
            sweepAt = NOT_SCHEDULED; // should the next line throw
            long delay = Math.min(due - now, MAX_SWEEP_DELAY);
            home.timer().start(this, now, delay);
            sweepAt = now + delay;
        }
        if (home.isRetired()) {
            stop(); // the step that retired the container did not find what was started here
        }
    }

    /** There are no tasks any more, and the timer must not keep the container reachable. */
    synchronized void stop() {
        home.timer().cancel(this);
        sweepAt = NOT_SCHEDULED;
    }

    @Override
    public void fire() {
        synchronized (this) {
            sweepAt = NOT_SCHEDULED;
        }
        Sweep sweep = new Sweep(home.now());
        home.running().forEach(sweep::check);
        if (sweep.next != NOT_SCHEDULED) {
            sweepBy(sweep.next, sweep.now);
        }
        switch (sweep.fault) {
            case RuntimeException e -> throw e; // for the timer to report
            case Error e -> throw e;
            case null, default -> {}
        }
    }

    private static final class Sweep {
        private final long now;
        private long next = NOT_SCHEDULED; // when the first limit is due that has not passed

        /** The last that a termination threw, which must not keep other tasks from theirs. */
        private @Nullable Throwable fault;

        Sweep(long now) {
            this.now = now;
        }

        void check(KernelTask<?> task) {
            AttemptState attempts = task.attempts();
            long due = NOT_SCHEDULED;
            try {
                due = attempts == null || task.isDecided() ? NOT_SCHEDULED : attempts.enforce(task, now);
            } catch (RuntimeException | Error e) {
                fault = e;
            }
            if (due != NOT_SCHEDULED && (next == NOT_SCHEDULED || due - next < 0)) {
                next = due;
            }
        }
    }
}
