package io.github.kobe.scope;

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
 * A task that is submitted later, or again and again; its own entry in the timer. The next run is timed when the last one has
 * returned, so runs never overlap.
 *
 * <pre>
 *   WAITING  for the timer      ──▶ RUNNING when it fires
 *   RUNNING  submitted, or on a thread ──▶ WAITING if there is another run, ENDED if not, or if the run failed for good
 *   WAITING, RUNNING            ──▶ CANCELLED
 * </pre>
 */
final class ScheduledTaskImpl extends TimerEntry implements ScheduledTask {

    private enum Stage {
        WAITING,
        RUNNING,
        ENDED,
        CANCELLED
    }

    /** When the next run is due after one that was due at {@code due} and returned at {@code now}; before {@code now}: at once. */
    @FunctionalInterface
    interface Rhythm {
        long next(long due, long now);
    }

    private static final String CANCELLED = "its schedule was cancelled";

    /** Far enough off, and to be added to a time without harm. */
    private static final long LONGEST = Long.MAX_VALUE / 4;

    private final ScopeState scope;
    private final ScopeTasks crew;
    private final Callable<?> work;
    private final @Nullable Rhythm rhythm; // null: once
    private final ContextCarrier.@Nullable Captured captured;
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.WAITING);
    private final AtomicReference<@Nullable ScopeTaskImpl<?>> run = new AtomicReference<>(); // the last one
    private volatile @Nullable Throwable failure;
    private long due; // written by whoever times the next run

    ScheduledTaskImpl(ScopeState scope, ScopeTasks crew, Callable<?> work, @Nullable Rhythm rhythm) {
        this.scope = scope;
        this.crew = crew;
        this.work = work;
        this.rhythm = rhythm;
        this.captured = crew.capture();
    }

    static Rhythm atFixedRate(Duration period) {
        long nanos = positiveNanos("period", period);
        return (due, now) -> due + nanos;
    }

    static Rhythm withFixedDelay(Duration delay) {
        long nanos = positiveNanos("delay", delay);
        return (due, now) -> now + nanos;
    }

    private static long positiveNanos(String name, Duration duration) {
        Objects.requireNonNull(duration, name);
        Checks.positive(name, duration);
        return nanos(duration);
    }

    static long nanos(Duration delay) {
        return Math.min(Durations.saturatedNanos(delay), LONGEST);
    }

    void start(long delayNanos) {
        due = crew.now() + delayNanos;
        crew.timer().start(this, delayNanos);
    }

    /** Where tasks run on threads of others, a submission may run one right here, and this is the timer's thread. */
    @Override
    public void fire() {
        if (stage.compareAndSet(Stage.WAITING, Stage.RUNNING)) {
            if (crew.hasFreshThreads()) {
                submit();
            } else {
                crew.spawn(this::submit);
            }
        }
    }

    private void submit() {
        if (isCancelled()) {
            return;
        }
        ScopeTaskImpl<?> last = run.get();
        ScopeTaskImpl<?> next = new Run(this);
        if (scope.submitQueued(next)) {
            submitted(last, next);
        } else {
            cancel();
        }
    }

    /** It may have run since, and others after it: then they have said so. */
    private void submitted(@Nullable ScopeTaskImpl<?> last, ScopeTaskImpl<?> task) {
        run.compareAndSet(last, task);
        if (isCancelled()) {
            task.stopFor(CANCELLED); // who cancelled may have looked for it before it was there
        }
    }

    /** One run, a task like any other of the scope: by what the scope has for those that say nothing, it may take several attempts. */
    static final class Run extends ScopeTaskImpl<Boolean> {
        private final ScheduledTaskImpl schedule;

        Run(ScheduledTaskImpl schedule) {
            super(
                    schedule.crew,
                    null,
                    schedule::runOnce,
                    schedule.scope.settings().wishes(null, null, null),
                    schedule.captured);
            this.schedule = schedule;
        }

        /** Whoever cancels finds the run, or the run finds that it is cancelled. */
        @Override
        protected Object execute() {
            schedule.run.set(this);
            return super.execute();
        }

        /** Before the scope knows, so that whoever has closed it finds the failure. */
        @Override
        protected void onPublished() {
            schedule.ended(Objects.requireNonNull(end()));
            super.onPublished();
        }
    }

    private Boolean runOnce() throws Exception {
        if (isCancelled()) {
            throw new CancelledException("the schedule was cancelled");
        }
        work.call();
        next();
        return true; // which nobody gets to see
    }

    /** A run has ended; one that returned has said what comes next. */
    private void ended(TaskCompletion end) {
        if (end.state() == Task.State.CANCELLED && scope.isCancelled()) {
            end(Stage.CANCELLED); // the run has heard of it before whoever cancels the scope got to its schedules
        } else if (end.isFailure() || (end.state() == Task.State.CANCELLED && !isDone())) {
            failure = end.error();
            end(Stage.ENDED);
        }
    }

    private void next() {
        if (rhythm == null) {
            end(Stage.ENDED);
            return;
        }
        long now = crew.now();
        due = rhythm.next(due, now);
        if (stage.compareAndSet(Stage.RUNNING, Stage.WAITING)) {
            crew.timer().start(this, Math.max(0, due - now));
            if (isDone()) {
                crew.timer().cancel(this); // who ended it may have come before it was started
            }
        }
    }

    private boolean end(Stage how) {
        for (; ; ) {
            Stage now = stage.get();
            if (now == Stage.ENDED || now == Stage.CANCELLED) {
                return false;
            }
            if (stage.compareAndSet(now, how)) {
                crew.timer().cancel(this); // a run may end so after it has said when the next one is due
                scope.forget(this);
                return true;
            }
        }
    }

    @Override
    public boolean cancel() {
        if (!end(Stage.CANCELLED)) {
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
        return now == Stage.ENDED || now == Stage.CANCELLED;
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
