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
 * What a task with a priority, time limits or retries keeps beside it. A task without them has no such object.
 *
 * <pre>
 *   queued, first time   among the running tasks, where a sweep finds it, or with an expiry in the timer; if its queue time is limited
 *   on a thread          among the running tasks, or with a timeout in the timer from the first start on; if its run time is limited.
 *                        The limit of an attempt is in the timer for as long as the attempt's work is on a thread
 *   awaiting retry       retry in the timer, timeout as before; no thread, and no permit unless it keeps it
 *   queued again         timeout as before
 * </pre>
 *
 * <p>{@link DeadlineMonitor#track} decides between a sweep and an entry in the timer.
 *
 * <p>The fields are written by the thread that has the task: its submitter, then its own thread, then the timer that brings it back, then
 * its own thread again. Each hands over by a compare-and-set on the task's queue state or by starting the next.
 */
public final class AttemptState {

    private static final int NO_SLOT = -1;
    private static final int LEFT = -2; // and will not be registered again

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
    private @Nullable TimerEntry timeout;
    private DeadlineMonitor.@Nullable AttemptEntry attempt; // of the last attempt, if attempts are limited
    private volatile @Nullable TimerEntry retry; // a canceller reads it while the task's thread writes it

    private int startedAttempts; // a canceller may miss the attempt that starts at that moment
    private int failedAttempts;
    private volatile List<Throwable> earlierFailures =
            List.of(); // replaced, not changed: a timeout reads it at any time
    private long firstQueuedAt;
    private long firstStartedAt;

    /**
     * The slot among the running tasks: from the first start to the completion, so that a stop finds the task in between; from when the task
     * is queued, if a sweep is to find it there.
     */
    private int slot = NO_SLOT;

    /** For one task. */
    public AttemptState(AttemptLimits limits) {
        this.limits = limits;
    }

    /** With a timeout that does not include the time in the queue, and no limit of each attempt. */
    public AttemptState(int priority, long maxQueueNanos, long timeoutNanos, boolean keepsPermit) {
        this(new AttemptLimits(priority, maxQueueNanos, timeoutNanos, AttemptLimits.NONE, keepsPermit, false));
    }

    AttemptLimits limits() {
        return limits;
    }

    /** Larger ones first. */
    public int priority() {
        return limits.priority();
    }

    /** How many permits the task takes. */
    int cost() {
        return limits.cost();
    }

    boolean hasTimeLimit() {
        return limits.expires() || limits.timesOut() || limits.limitsAttempts();
    }

    boolean keepsPermit() {
        return limits.keepsPermit();
    }

    /** How many attempts have started so far. */
    public int startedAttempts() {
        return startedAttempts;
    }

    /** How many attempts have failed so far. */
    public int failedAttempts() {
        return failedAttempts;
    }

    /** When it was queued for its first start; 0 if it was not. */
    public long firstQueuedAt() {
        return firstQueuedAt;
    }

    /** When it started first; 0 if it has not. */
    public long firstStartedAt() {
        return firstStartedAt;
    }

    // ---- time limits ---------------------------------------------------------------------------------------------

    /** It is about to be linked. Before that, so that the thread that polls it finds the limit tracked. */
    void enqueued(KernelTask<?> task, TaskHome home, long now) {
        if (firstQueuedAt != 0 || firstStartedAt != 0) {
            return; // for a retry
        }
        firstQueuedAt = now;
        admitted(task, home);
        if (limits.expires()) {
            home.deadlineMonitor().track(task, this, DeadlineMonitor.TimeLimit.QUEUE, now);
        }
    }

    /** It is admitted, and no other thread has seen it: a timeout that includes the time in the queue begins. */
    void admitted(KernelTask<?> task, TaskHome home) {
        if (limits.timeoutIncludesQueue() && limits.timesOut() && timeout == null) {
            home.deadlineMonitor().track(task, this, DeadlineMonitor.TimeLimit.TOTAL, home.now());
        }
    }

    /** Its work begins, and it is among the running tasks. */
    void started(KernelTask<?> task, TaskHome home, long now) {
        startedAttempts++;
        if (firstStartedAt == 0) {
            firstStartedAt = now;
            if (limits.timesOut() && !limits.timeoutIncludesQueue()) {
                home.deadlineMonitor().track(task, this, DeadlineMonitor.TimeLimit.RUN, now);
            }
        }
        if (limits.limitsAttempts()) {
            // it may have got its permit earlier: kept since the last attempt, or with a wait for a thread since
            home.deadlineMonitor().track(task, this, DeadlineMonitor.TimeLimit.ATTEMPT, home.now());
        }
    }

    void setExpiry(TimerEntry entry) {
        expiry = entry;
    }

    void setTimeout(TimerEntry entry) {
        timeout = entry;
    }

    void setAttempt(DeadlineMonitor.AttemptEntry entry) {
        attempt = entry;
    }

    /**
     * The work of an attempt has returned. For its thread.
     *
     * @return whether the time limit of the attempt had passed before; then no interrupt for it will come any more
     */
    boolean attemptReturned(Timer timer) {
        return attempt != null && attempt.workReturned(timer);
    }

    /** Whether the last attempt exceeded its time limit. */
    public boolean isAttemptTimedOut() {
        DeadlineMonitor.AttemptEntry last = attempt;
        return last != null && last.isTimedOut();
    }

    /** When the last attempt started, if attempts are limited; 0 if they are not, or none has started. */
    public long attemptStartedAt() {
        return attempt == null ? 0 : attempt.startedAt();
    }

    void leftQueue(Timer timer) {
        if (expiry != null) {
            timer.cancel(expiry);
            expiry = null;
        }
    }

    /** It has completed, or will not begin. */
    void cancelTimeout(Timer timer) {
        if (timeout != null) {
            timer.cancel(timeout);
        }
    }

    /** Whether it is too late for a first start; the timer may be a little behind. */
    boolean isOverdue(long now) {
        return firstStartedAt == 0
                && firstQueuedAt != 0
                && limits.expires()
                && now - firstQueuedAt >= limits.maxQueueNanos();
    }

    /**
     * For a sweep: terminates {@code task} if its limit has passed.
     *
     * @return when it will have passed; 0 if the task is terminated now, or if this limit is not enforced by sweeps
     */
    long enforce(KernelTask<?> task, long now) {
        long start = firstStartedAt; // its thread may be writing it
        boolean started = start != 0;
        long since = started ? start : firstQueuedAt;
        long limit = started ? limits.timeoutNanos() : limits.maxQueueNanos();
        boolean hasTimer = started && (limits.timeoutIncludesQueue() || timeout != null);
        if (since == 0 || limit == AttemptLimits.NONE || hasTimer) {
            return 0;
        }
        if (since + limit - now > 0) {
            return since + limit;
        }
        if (started) {
            task.timeOut();
        } else {
            task.expire();
        }
        return 0;
    }

    // ---- the slot among the running tasks ------------------------------------------------------------------------

    boolean isRegistered() {
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

    /**
     * Registers a task that is about to be queued. Has the effect of a full fence.
     *
     * @return false if a thread that found it there has terminated it already; that thread did not know the slot
     */
    boolean tryRegister(KernelTask<?> task, RunningTasks running) {
        int added = running.add(task);
        if (SLOT.compareAndSet(this, NO_SLOT, added)) {
            return true;
        }
        running.remove(added);
        return false;
    }

    /** It will not be on a thread again: its slot, for the caller to clear; negative if it had none. */
    int leaveSlot() {
        return (int) SLOT.getAndSet(this, LEFT);
    }

    // ---- retries -------------------------------------------------------------------------------------------------

    void attemptFailed() {
        failedAttempts++;
    }

    /** An attempt threw {@code fault}, and there will be another. For the task's thread. */
    public void addFailure(Throwable fault) {
        List<Throwable> all = new ArrayList<>(earlierFailures);
        all.add(fault);
        earlierFailures = all;
    }

    /** Adds what earlier attempts threw to {@code last} as suppressed exceptions. */
    public <E extends Throwable> E withEarlierFailures(E last) {
        earlierFailures.forEach(fault -> Throwables.suppress(fault, last));
        return last;
    }

    void scheduleRetry(KernelTask<?> task, Timer timer, long delayNanos) {
        TimerEntry entry = retry;
        if (entry == null) {
            entry = new RetryEntry(task);
            retry = entry;
        }
        timer.start(entry, delayNanos);
    }

    void cancelRetry(Timer timer) {
        TimerEntry entry = retry;
        if (entry != null) {
            timer.cancel(entry);
        }
    }

    private static final class RetryEntry extends TimerEntry {
        private final KernelTask<?> task;

        RetryEntry(KernelTask<?> task) {
            this.task = task;
        }

        @Override
        public void fire() {
            task.retryDue();
        }
    }
}
