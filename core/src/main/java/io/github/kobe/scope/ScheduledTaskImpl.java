package io.github.kobe.scope;

import io.github.kobe.ContextCarrier;
import io.github.kobe.internal.time.TimerEntry;
import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A task that is submitted later, once or repeatedly. It is its own timer entry. The next run is put into the timer when the last one
 * has returned, so runs never overlap.
 *
 * <pre>
 *   WAITING  in the timer              ──▶ RUNNING when it fires
 *   RUNNING  submitted, or on a thread ──▶ WAITING if there is another run; DONE if not, or if the run failed, retries included
 *   WAITING, RUNNING                   ──▶ CANCELLED
 * </pre>
 */
final class ScheduledTaskImpl extends TimerEntry implements ScheduledTask {

    private enum Stage {
        WAITING,
        RUNNING,
        DONE,
        CANCELLED
    }

    /** When the next run is due after one that was due at {@code due} and returned at {@code now}; before {@code now}: at once. */
    @FunctionalInterface
    interface Recurrence {
        long next(long due, long now);
    }

    private static final String CANCELLED = "its schedule was cancelled";

    /** Can be added to a time without overflow. */
    private static final long MAX_NANOS = Long.MAX_VALUE / 4;

    private final ScopeState scope;
    private final ScopeTasks tasks;
    private final Callable<?> work;
    private final @Nullable Recurrence recurrence; // null if it runs once
    private final ContextCarrier.@Nullable Captured captured;
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.WAITING);
    private final AtomicReference<@Nullable ScopeTaskImpl<?>> run = new AtomicReference<>(); // the last one
    private volatile @Nullable Throwable failure;
    private long due; // written by the thread that starts the timer

    ScheduledTaskImpl(ScopeState scope, ScopeTasks tasks, Callable<?> work, @Nullable Recurrence recurrence) {
        this.scope = scope;
        this.tasks = tasks;
        this.work = work;
        this.recurrence = recurrence;
        this.captured = tasks.capture();
    }

    static Recurrence atFixedRate(Duration period) {
        long nanos = positiveNanos("period", period);
        return (due, now) -> due + nanos;
    }

    static Recurrence withFixedDelay(Duration delay) {
        long nanos = positiveNanos("delay", delay);
        return (due, now) -> now + nanos;
    }

    private static long positiveNanos(String name, Duration duration) {
        Objects.requireNonNull(duration, name);
        Checks.positive(name, duration);
        return nanos(duration);
    }

    static long nanos(Duration delay) {
        return Math.min(Durations.saturatedNanos(delay), MAX_NANOS);
    }

    void start(long delayNanos) {
        due = tasks.now() + delayNanos;
        tasks.timer().start(this, delayNanos);
    }

    /** If threads are not fresh, a submission may run the task on the calling thread, which here is the timer's. */
    @Override
    public void fire() {
        if (stage.compareAndSet(Stage.WAITING, Stage.RUNNING)) {
            if (tasks.hasFreshThreads()) {
                submit();
            } else {
                tasks.spawn(this::submit);
            }
        }
    }

    private void submit() {
        if (isCancelled()) {
            return;
        }
        ScopeTaskImpl<?> last = run.get();
        ScopeTaskImpl<?> next = newRun();
        if (scope.submitWithoutWaiting(next)) {
            submitted(last, next);
        } else {
            cancel();
        }
    }

    /** If the run has started meanwhile, or another one after it, {@link #runStarted} has set {@code run} already. */
    private void submitted(@Nullable ScopeTaskImpl<?> last, ScopeTaskImpl<?> task) {
        run.compareAndSet(last, task);
        if (isCancelled()) {
            task.cancelWithoutWaiting(CANCELLED); // the canceller may have read run before it was set
        }
    }

    /** A run is a task of the scope, with the scope's default priority and retry policy. */
    private ScopeTaskImpl<Boolean> newRun() {
        return new ScopeTaskImpl<>(
                tasks, null, this::runOnce, scope.settings().forTask(null, null, null), captured, null, this);
    }

    /** On the thread of {@code task}, before its work. Either a canceller finds the run here, or the run finds that it is cancelled. */
    void runStarted(ScopeTaskImpl<?> task) {
        run.set(task);
    }

    private Boolean runOnce() throws Exception {
        if (isCancelled()) {
            throw new CancelledException("the schedule was cancelled");
        }
        work.call();
        scheduleNext();
        return true; // discarded
    }

    /** A run has completed. If it returned, it has started the timer for the next one. */
    void runCompleted(TaskCompletion completion) {
        if (completion.state() == Task.State.CANCELLED && scope.isCancelled()) {
            finish(Stage.CANCELLED); // a canceller of the scope cancels its tasks before this schedule
        } else if (completion.isFailure() || (completion.state() == Task.State.CANCELLED && !isDone())) {
            failure = completion.error();
            finish(Stage.DONE);
        }
    }

    private void scheduleNext() {
        if (recurrence == null) {
            finish(Stage.DONE);
            return;
        }
        long now = tasks.now();
        due = recurrence.next(due, now);
        if (stage.compareAndSet(Stage.RUNNING, Stage.WAITING)) {
            tasks.timer().start(this, Math.max(0, due - now));
            if (isDone()) {
                tasks.timer().cancel(this); // it may have been cancelled before the timer was started
            }
        }
    }

    private boolean finish(Stage last) {
        for (; ; ) {
            Stage now = stage.get();
            if (now == Stage.DONE || now == Stage.CANCELLED) {
                return false;
            }
            if (stage.compareAndSet(now, last)) {
                tasks.timer().cancel(this); // a run may be cancelled after it has started the timer for the next one
                scope.removeSchedule(this);
                return true;
            }
        }
    }

    @Override
    public boolean cancel() {
        if (!finish(Stage.CANCELLED)) {
            return false;
        }
        ScopeTaskImpl<?> current = run.get();
        if (current != null) {
            current.cancelFor(CANCELLED);
        }
        return true;
    }

    @Override
    public boolean isCancelled() {
        return stage.get() == Stage.CANCELLED;
    }

    @Override
    public boolean isDone() {
        Stage now = stage.get();
        return now == Stage.DONE || now == Stage.CANCELLED;
    }

    @Override
    public Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }

    /** Such as "schedule of scope-1, WAITING". */
    @Override
    public String toString() {
        return "schedule of " + scope.id() + ", " + stage.get();
    }
}
