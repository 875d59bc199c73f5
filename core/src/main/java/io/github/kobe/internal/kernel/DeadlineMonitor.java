package io.github.kobe.internal.kernel;

import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import java.lang.invoke.MethodHandles;
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
        TOTAL,
        /** From the start of an attempt until its work returns. */
        ATTEMPT
    }

    DeadlineMonitor(TaskHome home, int capacity) {
        this.home = home;
        this.capacity = capacity;
    }

    /** Terminates {@code task} when {@code limit}, which begins at {@code now}, has passed, unless the task has left that phase before. */
    void track(KernelTask<?> task, AttemptState attempts, TimeLimit limit, long now) {
        AttemptLimits limits = attempts.limits();
        long nanos = switch (limit) {
            case QUEUE -> limits.maxQueueNanos();
            case RUN, TOTAL -> limits.timeoutNanos();
            case ATTEMPT -> limits.attemptNanos();
        };
        if (!isSwept(limit)) {
            startEntry(task, attempts, limit, now, nanos);
        } else if (limit == TimeLimit.RUN || attempts.tryRegister(task, home.running())) {
            VarHandle.fullFence(); // what the task wrote, before what the sweep wrote
            sweepBy(now + nanos, now);
        }
    }

    /**
     * A task with a {@link TimeLimit#TOTAL} limit is not registered yet, and an attempt is over long before its task leaves the running
     * tasks. Going through very many tasks would take too long.
     */
    private boolean isSwept(TimeLimit limit) {
        boolean few = home.active() + (long) home.awaitingRetryCount() <= capacity
                && home.running().slotCount() <= (long) SLOTS_PER_TASK * Math.max(SLOTS_PER_TASK, capacity);
        return switch (limit) {
            case QUEUE -> few && home.queued() <= capacity;
            case RUN -> few;
            case TOTAL, ATTEMPT -> false;
        };
    }

    // ---- one entry for a task ------------------------------------------------------------------------------------

    private void startEntry(KernelTask<?> task, AttemptState attempts, TimeLimit limit, long now, long nanos) {
        TimerEntry entry;
        switch (limit) {
            case QUEUE -> {
                entry = new LimitEntry(task, limit);
                attempts.setExpiry(entry);
            }
            case ATTEMPT -> {
                AttemptEntry ofAttempt = new AttemptEntry(task, now);
                attempts.setAttempt(ofAttempt);
                entry = ofAttempt;
            }
            default -> {
                entry = new LimitEntry(task, limit);
                attempts.setTimeout(entry);
            }
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

    /**
     * The time limit of one attempt. The attempt's thread goes on afterwards, to the retry policy and to listeners, so a late interrupt would
     * hit user code that it is not meant for.
     *
     * <pre>
     *   RUNNING ──▶ RETURNED                       by the attempt's thread: the limit will not be enforced
     *   RUNNING ──▶ TIMING_OUT ──▶ TIMED_OUT       by the timer: interrupts the attempt in between
     * </pre>
     *
     * <p>One compare-and-set decides. If the timer wins, the attempt's thread waits for TIMED_OUT, which is a few steps away, and then clears
     * its interrupt flag.
     */
    static final class AttemptEntry extends TimerEntry {
        private static final int RUNNING = 0;
        private static final int RETURNED = 1;
        private static final int TIMING_OUT = 2;
        private static final int TIMED_OUT = 3;

        private static final VarHandle STATE;

        static {
            try {
                STATE = MethodHandles.lookup().findVarHandle(AttemptEntry.class, "state", int.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private final KernelTask<?> task;
        private final long startedAt;
        private volatile int state = RUNNING;

        AttemptEntry(KernelTask<?> task, long startedAt) {
            this.task = task;
            this.startedAt = startedAt;
        }

        long startedAt() {
            return startedAt;
        }

        @Override
        public void fire() {
            if (STATE.compareAndSet(this, RUNNING, TIMING_OUT)) {
                try {
                    task.timeOutAttempt();
                } finally {
                    state = TIMED_OUT;
                }
            }
        }

        boolean isTimedOut() {
            return state >= TIMING_OUT;
        }

        /** See {@link AttemptState#attemptReturned}. */
        boolean workReturned(Timer timer) {
            if (STATE.compareAndSet(this, RUNNING, RETURNED)) {
                timer.cancel(this);
                return false;
            }
            while (state == TIMING_OUT) {
                yieldProcessor();
            }
            return state == TIMED_OUT;
        }

        @SuppressWarnings("ThreadPriorityCheck") // the timer is about to finish, and may need this processor for it
        private static void yieldProcessor() {
            Thread.yield();
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
