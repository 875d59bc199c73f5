package io.github.kobe.scope;

import io.github.kobe.internal.time.TimerEntry;
import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A scope from its opening to its end, and its cancellation token.
 *
 * <pre>
 *   open       no crew: settings may change
 *   open       a crew: made by the first submission, together with the deadline in the timer
 *   cancelled  by the token, the deadline, the scope around it, or closing; takes no more tasks, those it has are cancelled
 *   closed     cancelled, its tasks have ended or are given up, its cleanups have run
 * </pre>
 *
 * <p>Each step is taken under the monitor, which is held for a few lines and never while code of users runs. A task that is submitted
 * while the scope is being cancelled is not missed: its submitter looks at {@code cancelled} after the task is let in, the canceller
 * writes that before it cancels what is there; so one of the two cancels it.
 */
final class ScopeState implements CancellationToken {

    private static final AtomicLong NUMBERS = new AtomicLong();

    private final String id = "scope-" + NUMBERS.incrementAndGet();
    private final ScopeSettings settings =
            new ScopeSettings(); // guarded by the monitor until there is a crew, then final
    private final @Nullable Object openedIn;
    private final @Nullable ScopeState around;
    private final SmallSet<ScopeState> inner = new SmallSet<>(); // guarded by the monitor, as are the schedules
    private final SmallSet<ScheduledTaskImpl> schedules = new SmallSet<>();
    private final ScopeCloser closing = new ScopeCloser(this);
    private final Deadline deadline = new Deadline();

    private long openedAt; // by the scheduler's clock
    private volatile @Nullable ScopeTasks crew; // written under the monitor, as is the next
    private volatile @Nullable CancellationReason cancelled;

    private ScopeState(@Nullable Object openedIn) {
        this.openedIn = openedIn;
        this.around = CurrentScope.scopeOf(openedIn);
        this.openedAt = settings.scheduler.timer().nanoTime();
    }

    /** Opens one in whatever the calling thread is in. */
    static ScopeState open() {
        ScopeState life = new ScopeState(CurrentScope.here());
        if (life.around != null) {
            life.around.adopt(life);
        }
        CurrentScope.opened(life);
        return life;
    }

    String id() {
        return id;
    }

    /** The task or the scope that it was opened in; {@code null} if it was in none. */
    @Nullable
    Object openedIn() {
        return openedIn;
    }

    @Nullable
    ScopeState around() {
        return around;
    }

    private void adopt(ScopeState child) {
        CancellationReason already;
        synchronized (this) {
            inner.add(child);
            already = cancelled;
        }
        if (already != null) {
            child.cancel(already.inheritedFrom(this));
        }
    }

    /** A scope that was opened in it is closed. */
    synchronized void release(ScopeState child) {
        inner.remove(child);
    }

    /** The scopes that were opened in it and are not closed. */
    synchronized List<ScopeState> inner() {
        return inner.copy();
    }

    // ---- settings ------------------------------------------------------------------------------------------------

    synchronized void configure(Runnable change) {
        if (closing.isClosed()) {
            throw closed();
        }
        if (crew != null) {
            throw new IllegalStateException(id + ": settings are final from the first submission or schedule on");
        }
        long elapsed = settings.scheduler.timer().nanoTime() - openedAt;
        change.run();
        openedAt = settings.scheduler.timer().nanoTime() - elapsed;
    }

    /** Closes it if nothing was submitted; what comes of that is suppressed in {@code refusal}. */
    void closeIfUnused(RuntimeException refusal) {
        if (crewOrNull() != null) {
            return;
        }
        try {
            closing.close();
        } catch (RuntimeException | Error fault) {
            refusal.addSuppressed(fault);
        }
    }

    synchronized <R> R look(Supplier<R> field) {
        return field.get();
    }

    /** Its settings; to be changed by {@link #configure} only, and to be read by {@link #look} until there is a crew. */
    ScopeSettings settings() {
        return settings;
    }

    /** How long it has in all. */
    synchronized Duration time() {
        Duration own = settings.deadline;
        return around == null ? own : shorter(own, Duration.ofNanos(around.nanosLeftAt(openedAt)));
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    private long nanosLeftAt(long now) {
        return Math.max(0, Durations.saturatedNanos(time()) - (now - openedAt));
    }

    /** How long it has from now on. */
    synchronized Duration timeLeft() {
        return Duration.ofNanos(nanosLeftAt(settings.scheduler.timer().nanoTime()));
    }

    /** As long as there is no crew there is nothing in the timer: then whoever asks finds out that the deadline has passed. */
    private void noticeDeadline() {
        if (crew == null && cancelled == null && timeLeft().isZero()) {
            cancelForDeadline();
        }
    }

    private void cancelForDeadline() {
        String why = "its deadline of " + Durations.text(time()) + " has passed";
        cancel(new CancellationReason(CancellationReason.Cause.DEADLINE, why));
    }

    // ---- tasks ---------------------------------------------------------------------------------------------------

    /** Its crew, from now on with final settings. */
    ScopeTasks crew() {
        requireUsable();
        ScopeTasks known = crew;
        return known == null ? makeCrew() : known;
    }

    private ScopeTasks makeCrew() {
        ScopeTasks made;
        synchronized (this) {
            if (crew != null) {
                return crew;
            }
            made = cancelled == null
                    ? new ScopeTasks(this, settings)
                    : null; // who cancels it looks for a crew afterwards
            crew = made;
        }
        if (made == null) {
            requireUsable();
            throw closed();
        }
        startDeadline(made);
        return made;
    }

    /** No task is to run without a deadline: if that cannot be started, those that others have submitted meanwhile are cancelled. */
    private void startDeadline(ScopeTasks its) {
        try {
            its.timer().start(deadline, nanosLeftAt(its.now()));
        } catch (RuntimeException | Error fault) {
            cancel(new CancellationReason(
                    CancellationReason.Cause.TOKEN, "its deadline could not be started: " + fault));
            throw fault;
        }
        if (cancelled != null) {
            its.timer().cancel(deadline);
        }
    }

    /** Its crew, if it ever needed one. */
    @Nullable
    ScopeTasks crewOrNull() {
        return crew;
    }

    /** Lets a task in, and waits for its place if that is how the scope has it. */
    <T> ScopeTaskImpl<T> submit(ScopeTaskImpl<T> task) {
        submitOrThrow(task);
        ScopeTasks its = task.crew();
        if (its.isLimited() && !settings.queuesAlways && !task.isPlacedOrEnded() && !CurrentScope.isInTaskOf(this)) {
            awaitPlace(task, its);
        }
        return task;
    }

    private void awaitPlace(ScopeTaskImpl<?> task, ScopeTasks its) {
        CompletionWaiter bell = CompletionWaiter.of(its);
        its.watch(bell);
        try {
            while (!task.isPlacedOrEnded()) {
                bell.sleepFor(task, () -> !task.isPlacedOrEnded());
            }
        } catch (InterruptedException e) {
            task.cancelFor("its submitter was interrupted");
            Thread.currentThread().interrupt();
            throw new CancelledException("interrupted while it waited for a place in " + id, e);
        } finally {
            its.unwatch(bell);
        }
        if (!task.isPlaced()) {
            requireUsable();
        }
    }

    void submitOrThrow(ScopeTaskImpl<?> task) {
        if (!submitQueued(task)) {
            throw closed();
        }
    }

    /** Lets a task in, to be started or put in line. False if the scope is closed. */
    boolean submitQueued(ScopeTaskImpl<?> task) {
        if (!letIn(task)) {
            return false;
        }
        cancelIfCancelled(task);
        return true;
    }

    /** If there is no thread for it but this one, it has run when this returns. */
    private static boolean letIn(ScopeTaskImpl<?> task) {
        if (task.ownsItsThreads()) {
            return task.crew().submit(task);
        }
        boolean[] let = new boolean[1];
        HandoffQueue.anew(() -> let[0] = task.crew().submit(task));
        return let[0];
    }

    /** For one who has just put {@code task} where a canceller may have looked for it before. */
    void cancelIfCancelled(ScopeTaskImpl<?> task) {
        CancellationReason now = cancelled;
        if (now != null) {
            task.stopFor(now.why());
        }
    }

    ScheduledTask schedule(String name, Duration delay, Callable<?> work, ScheduledTaskImpl.@Nullable Rhythm rhythm) {
        Objects.requireNonNull(delay, name);
        Checks.notNegative(name, delay);
        ScheduledTaskImpl schedule = new ScheduledTaskImpl(this, crew(), work, rhythm);
        synchronized (this) {
            schedules.add(schedule);
        }
        schedule.start(ScheduledTaskImpl.nanos(delay));
        if (cancelled != null) {
            schedule.cancel();
        }
        return schedule;
    }

    /** It will not run again. */
    synchronized void forget(ScheduledTaskImpl schedule) {
        schedules.remove(schedule);
    }

    // ---- cancelling ----------------------------------------------------------------------------------------------

    @Override
    public boolean isCancelled() {
        noticeDeadline();
        return cancelled != null;
    }

    /** Why it is cancelled; {@code null} if it is not. */
    @Nullable
    CancellationReason cancellation() {
        return cancelled;
    }

    @Override
    public void throwIfCancelled() {
        noticeDeadline();
        CancellationReason now = cancelled;
        if (now != null) {
            throw new CancelledException(id + " was cancelled: " + now.why());
        }
    }

    @Override
    public void cancel() {
        cancel(new CancellationReason(CancellationReason.Cause.TOKEN, "by its token"));
    }

    /** Cancels all that is there, and takes no more; the first who does that says why. */
    void cancel(CancellationReason why) {
        List<ScopeState> nested;
        List<ScheduledTaskImpl> scheduled;
        synchronized (this) {
            if (cancelled != null) {
                return;
            }
            cancelled = why;
            nested = inner.copy();
            scheduled = schedules.copy();
        }
        scheduled.forEach(ScheduledTaskImpl::cancel);
        ScopeTasks its = crew;
        if (its != null) {
            its.timer().cancel(deadline);
            its.stop(why.why());
        }
        nested.forEach(child -> child.cancel(why.inheritedFrom(this)));
    }

    /** Cancelling may take a while, and the timer has others to serve. */
    private final class Deadline extends TimerEntry {
        @Override
        public void fire() {
            Objects.requireNonNull(crew).spawn(ScopeState.this::cancelForDeadline);
        }
    }

    /** Throws if it takes no more tasks. Not under the monitor: it looks at, and may cancel, scopes that were opened in it. */
    void requireUsable() {
        noticeDeadline();
        CancellationReason now = cancelled;
        if (closing.isClosed() || (now != null && now.isBy(CancellationReason.Cause.CLOSE))) {
            throw closed();
        }
        if (now != null && now.isBy(CancellationReason.Cause.DEADLINE)) {
            throw late(now, List.of());
        }
        throwIfCancelled();
    }

    private IllegalStateException closed() {
        return new IllegalStateException(id + " is closed");
    }

    private ScopeTimeoutException late(CancellationReason now, List<? extends ScopeTaskImpl<?>> awaited) {
        return new ScopeTimeoutException(id + ": " + now.why() + "\n" + ScopeTreeFormatter.of(this, awaited), time());
    }

    // ---- what a waiter gets --------------------------------------------------------------------------------------

    /** Throws if the deadline has passed; for one who waited for {@code tasks}, some of which did not make it. */
    void throwIfLate(List<? extends ScopeTaskImpl<?>> tasks) {
        CancellationReason now = cancelled;
        if (now != null && now.isBy(CancellationReason.Cause.DEADLINE)) {
            throw late(now, tasks);
        }
    }

    AggregateException aggregate(List<? extends ScopeTaskImpl<?>> tasks, List<Throwable> failures) {
        return new AggregateException(
                failures.size() + " of " + tasks.size() + " tasks of " + id + " failed, the first with "
                        + failures.get(0) + "\n" + ScopeTreeFormatter.of(this, tasks),
                failures);
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    ScopeCloser closing() {
        return closing;
    }

    boolean isClosed() {
        return closing.isClosed();
    }

    /** The tasks that wait or run now. */
    List<ScopeTaskImpl<?>> present() {
        ScopeTasks its = crew;
        return its == null ? List.of() : its.present();
    }
}
