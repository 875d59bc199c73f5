package io.github.kobe.scope;

import io.github.kobe.internal.kernel.BlockedWait;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The life cycle of a scope, and its cancellation token.
 *
 * <pre>
 *   open, configurable  tasks is null: settings may change
 *   open, in use        tasks is set by the first submission, which also starts the deadline in the timer
 *   cancelled           by the token, the deadline, the parent scope, or close; its tasks are cancelled, further ones are rejected
 *   closed              cancelled, its tasks have completed or the grace has passed, its cleanups have run
 * </pre>
 *
 * <p>Each transition happens under the monitor, which is held for a few lines and never while user code runs. A task that is submitted
 * while the scope is cancelled is not missed. The submitter adds its task, then reads {@code cancellation}; the canceller writes
 * {@code cancellation}, then cancels the tasks that it finds. So one of the two cancels it.
 */
final class ScopeState implements CancellationToken {

    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final StackWalker STACK_WALKER = StackWalker.getInstance(Set.of(), 8);

    /** What cancels a scope. */
    enum Cause {
        TOKEN,
        DEADLINE,
        CLOSE
    }

    /**
     * Why a scope is cancelled.
     *
     * @param reason a text for messages
     */
    record Cancellation(Cause cause, String reason) {

        /** The same for a scope that was opened in {@code parent}. A scope whose parent is closed is cancelled, not closed. */
        Cancellation inheritedFrom(ScopeState parent) {
            return new Cancellation(
                    cause == Cause.CLOSE ? Cause.TOKEN : cause, reason + " (" + parent.id() + ", around it)");
        }
    }

    /** A set in insertion order that allocates nothing while it is empty: most scopes have neither children nor schedules. */
    private static final class LazySet<E> {
        private @Nullable Set<E> elements;

        void add(E element) {
            if (elements == null) {
                elements = new LinkedHashSet<>();
            }
            elements.add(element);
        }

        void remove(E element) {
            if (elements != null) {
                elements.remove(element);
            }
        }

        List<E> copy() {
            return elements == null ? List.of() : List.copyOf(elements);
        }
    }

    private final String id = "scope-" + NUMBERS.incrementAndGet();
    private final ScopeSettings settings = new ScopeSettings(); // guarded by the monitor until tasks is set, then final
    private final @Nullable Object openedIn;
    private final @Nullable ScopeState parent;
    private final LazySet<ScopeState> children = new LazySet<>(); // guarded by the monitor
    private final LazySet<ScheduledTaskImpl> schedules = new LazySet<>(); // guarded by the monitor
    private final ScopeCloser closer = new ScopeCloser(this);
    private final Deadline deadline = new Deadline();
    private final StackWalker.@Nullable StackFrame opener;
    private boolean reportedUnclosed; // guarded by the monitor

    private long openedAt; // by the scheduler's clock
    private volatile @Nullable ScopeTasks tasks; // written under the monitor
    private volatile @Nullable Cancellation cancellation; // written under the monitor

    private ScopeState(@Nullable Object openedIn) {
        this.openedIn = openedIn;
        this.parent = CurrentScope.scopeOf(openedIn);
        this.openedAt = timer().nanoTime();
        this.opener = openedIn == null && !Thread.currentThread().isVirtual() ? callerOfOpen() : null;
    }

    /**
     * Takes about two microseconds, so it is asked for only where it can be of use: by the outermost scope of a platform thread. A virtual thread
     * mostly ends with the work that opened the scope, and a nested scope is not used without its enclosing one.
     */
    private static StackWalker.@Nullable StackFrame callerOfOpen() {
        return STACK_WALKER.walk(
                frames -> frames.dropWhile(ScopeState::isOwnFrame).findFirst().orElse(null));
    }

    private static boolean isOwnFrame(StackWalker.StackFrame frame) {
        String name = frame.getClassName();
        return name.equals(ScopeState.class.getName()) || name.equals(ThreadScope.class.getName());
    }

    /** Opens a scope inside the scope or task of the calling thread, if there is one. */
    static ScopeState open() {
        ScopeState state = new ScopeState(CurrentScope.enclosing());
        if (state.parent != null) {
            state.parent.addChild(state);
        }
        CurrentScope.opened(state);
        return state;
    }

    String id() {
        return id;
    }

    /** The task or the scope that it was opened in; {@code null} if there is none. */
    @Nullable
    Object openedIn() {
        return openedIn;
    }

    @Nullable
    ScopeState parent() {
        return parent;
    }

    private void addChild(ScopeState child) {
        Cancellation already;
        synchronized (this) {
            children.add(child);
            already = cancellation;
        }
        if (already != null) {
            child.cancel(already.inheritedFrom(this));
        }
    }

    synchronized void removeChild(ScopeState child) {
        children.remove(child);
    }

    /** The scopes that were opened in it and are not closed. */
    synchronized List<ScopeState> children() {
        return children.copy();
    }

    // ---- settings ------------------------------------------------------------------------------------------------

    synchronized void configure(Runnable change) {
        if (closer.isClosed()) {
            throw closedException();
        }
        if (tasks != null) {
            throw new IllegalStateException(id + ": settings are final from the first submission or schedule on");
        }
        long elapsed = timer().nanoTime() - openedAt;
        change.run();
        openedAt = timer().nanoTime() - elapsed; // the scheduler, and with it the clock, may be another one now
    }

    /** Closes it if nothing was submitted; what that throws is suppressed in {@code cause}. */
    void closeIfUnused(RuntimeException cause) {
        if (tasks != null) {
            return;
        }
        try {
            closer.close();
        } catch (RuntimeException | Error fault) {
            cause.addSuppressed(fault);
        }
    }

    synchronized <R> R read(Supplier<R> setting) {
        return setting.get();
    }

    /** Its settings. Changed by {@link #configure} only, and read by {@link #read} until there are tasks. */
    ScopeSettings settings() {
        return settings;
    }

    private Timer timer() {
        return settings.scheduler.timer();
    }

    /** The time that it has in all, from when it was opened. */
    synchronized Duration totalTime() {
        Duration own = settings.deadline;
        if (parent == null) {
            return own;
        }
        Duration ofParent = Duration.ofNanos(parent.nanosLeftAt(openedAt));
        return own.compareTo(ofParent) <= 0 ? own : ofParent;
    }

    private long nanosLeftAt(long now) {
        return Math.max(0, Durations.saturatedNanos(totalTime()) - (now - openedAt));
    }

    synchronized Duration timeLeft() {
        return Duration.ofNanos(nanosLeftAt(timer().nanoTime()));
    }

    /** While there are no tasks, the deadline is not in the timer. Then a caller that asks finds that it has passed. */
    private void checkDeadline() {
        if (tasks == null && cancellation == null && timeLeft().isZero()) {
            cancelForDeadline();
        }
    }

    private void cancelForDeadline() {
        String reason = "its deadline of " + Durations.text(totalTime()) + " has passed";
        cancel(new Cancellation(Cause.DEADLINE, reason));
    }

    // ---- submission ----------------------------------------------------------------------------------------------

    /** Its tasks. From now on the settings are final. */
    ScopeTasks tasks() {
        requireUsable();
        ScopeTasks known = tasks;
        return known == null ? createTasks() : known;
    }

    private ScopeTasks createTasks() {
        ScopeTasks created;
        synchronized (this) {
            if (tasks != null) {
                return tasks;
            }
            // a canceller writes cancellation under the monitor and reads tasks afterwards
            created = cancellation == null ? new ScopeTasks(this, settings) : null;
            tasks = created;
        }
        if (created == null) {
            requireUsable();
            throw closedException();
        }
        startDeadline(created);
        return created;
    }

    /** No task runs without a deadline: if it cannot be started, the tasks that other threads have submitted meanwhile are cancelled. */
    private void startDeadline(ScopeTasks created) {
        try {
            created.timer().start(deadline, nanosLeftAt(created.now()));
        } catch (RuntimeException | Error fault) {
            cancel(new Cancellation(Cause.TOKEN, "its deadline could not be started: " + fault));
            throw fault;
        }
        if (cancellation != null) {
            created.timer().cancel(deadline);
        }
    }

    /** {@code null} before the first submission. */
    @Nullable
    ScopeTasks tasksOrNull() {
        return tasks;
    }

    /** Submits a task, and waits for its permit if the scope is set so. */
    <T extends @Nullable Object> ScopeTaskImpl<T> submit(ScopeTaskImpl<T> task) {
        submitOrThrow(task);
        boolean mayWait = task.tasks().isLimited() && !settings.queuesAlways && !task.hasPermitOrIsCompleted();
        if (mayWait && !CurrentScope.isInTaskOf(this)) {
            awaitPermit(task);
        }
        return task;
    }

    private void awaitPermit(ScopeTaskImpl<?> task) {
        CompletionWaiter waiter = CompletionWaiter.of(task.tasks());
        BlockedWait wait = task.tasks().beginWait(List.of());
        task.tasks().addListener(waiter);
        try {
            while (!task.hasPermitOrIsCompleted()) {
                waiter.park(task, () -> !task.hasPermitOrIsCompleted());
            }
        } catch (InterruptedException e) {
            task.cancelFor("its submitter was interrupted");
            Thread.currentThread().interrupt();
            throw new CancelledException("interrupted while waiting for a permit of " + id, e);
        } finally {
            task.tasks().removeListener(waiter);
            task.tasks().endWait(wait, task.hasPermitOrIsCompleted());
        }
        if (!task.hasPermit()) {
            requireUsable();
        }
    }

    void submitOrThrow(ScopeTaskImpl<?> task) {
        if (!submitWithoutWaiting(task)) {
            throw closedException();
        }
    }

    /** Starts or queues a task. False if the scope is closed. */
    boolean submitWithoutWaiting(ScopeTaskImpl<?> task) {
        if (!admit(task)) {
            return false;
        }
        cancelIfCancelled(task);
        return true;
    }

    /** If no other thread is available, the task has run when this returns. */
    private static boolean admit(ScopeTaskImpl<?> task) {
        if (task.hasFreshThreads()) {
            return task.tasks().submit(task);
        }
        boolean[] admitted = new boolean[1];
        HandoffQueue.sendBeforeReturn(() -> admitted[0] = task.tasks().submit(task));
        return admitted[0];
    }

    /** For a thread that has just added {@code task}: a canceller may have looked for tasks before that. */
    void cancelIfCancelled(ScopeTaskImpl<?> task) {
        Cancellation current = cancellation;
        if (current != null) {
            task.cancelWithoutWaiting(current.reason());
        }
    }

    ScheduledTask schedule(
            String name, Duration delay, Callable<?> work, ScheduledTaskImpl.@Nullable Recurrence recurrence) {
        Objects.requireNonNull(delay, name);
        Checks.notNegative(name, delay);
        ScheduledTaskImpl schedule = new ScheduledTaskImpl(this, tasks(), work, recurrence);
        synchronized (this) {
            schedules.add(schedule);
        }
        schedule.start(ScheduledTaskImpl.nanos(delay));
        if (cancellation != null) {
            schedule.cancel();
        }
        return schedule;
    }

    /** It will not run again. */
    synchronized void removeSchedule(ScheduledTaskImpl schedule) {
        schedules.remove(schedule);
    }

    // ---- cancellation --------------------------------------------------------------------------------------------

    @Override
    public boolean isCancelled() {
        checkDeadline();
        return cancellation != null;
    }

    /** Why it is cancelled; {@code null} if it is not. */
    @Nullable
    Cancellation cancellation() {
        return cancellation;
    }

    @Override
    public void throwIfCancelled() {
        checkDeadline();
        Cancellation current = cancellation;
        if (current != null) {
            throw new CancelledException(id + " was cancelled: " + current.reason());
        }
    }

    @Override
    public void cancel() {
        cancel(new Cancellation(Cause.TOKEN, "by its token"));
    }

    /** Cancels its schedules, tasks and child scopes, and rejects further ones. Only the first call has an effect. */
    void cancel(Cancellation why) {
        List<ScopeState> nested;
        List<ScheduledTaskImpl> scheduled;
        synchronized (this) {
            if (cancellation != null) {
                return;
            }
            cancellation = why;
            nested = children.copy();
            scheduled = schedules.copy();
        }
        scheduled.forEach(ScheduledTaskImpl::cancel);
        ScopeTasks known = tasks;
        if (known != null) {
            known.timer().cancel(deadline);
            known.cancelAll(why.reason());
        }
        nested.forEach(child -> child.cancel(why.inheritedFrom(this)));
    }

    /** Cancelling may take long, so it does not run on the timer's thread. */
    private final class Deadline extends TimerEntry {
        @Override
        public void fire() {
            Objects.requireNonNull(tasks).spawn(ScopeState.this::cancelForDeadline);
        }
    }

    /** Throws if it rejects tasks. Not under the monitor, because it may cancel child scopes. */
    void requireUsable() {
        checkDeadline();
        Cancellation current = cancellation;
        if (closer.isClosed() || (current != null && current.cause() == Cause.CLOSE)) {
            throw closedException();
        }
        if (current != null && current.cause() == Cause.DEADLINE) {
            throw timeoutException(current, List.of());
        }
        throwIfCancelled();
    }

    private IllegalStateException closedException() {
        return new IllegalStateException(id + " is closed");
    }

    private ScopeTimeoutException timeoutException(Cancellation current, List<? extends ScopeTaskImpl<?>> awaited) {
        return new ScopeTimeoutException(
                id + ": " + current.reason() + "\n" + ScopeTreeFormatter.format(this, awaited), totalTime());
    }

    /** Throws if the deadline has passed. For a thread that waited for {@code awaited}, some of which were cancelled. */
    void throwIfDeadlinePassed(List<? extends ScopeTaskImpl<?>> awaited) {
        Cancellation current = cancellation;
        if (current != null && current.cause() == Cause.DEADLINE) {
            throw timeoutException(current, awaited);
        }
    }

    AggregateException aggregate(List<? extends ScopeTaskImpl<?>> awaited, List<Throwable> failures) {
        return new AggregateException(
                failures.size() + " of " + awaited.size() + " tasks of " + id + " failed, the first with "
                        + failures.get(0) + "\n" + ScopeTreeFormatter.format(this, awaited),
                failures);
    }

    // ---- close ---------------------------------------------------------------------------------------------------

    ScopeCloser closer() {
        return closer;
    }

    boolean isClosed() {
        return closer.isClosed();
    }

    /** Whether a scope that its thread opens now is nested in it. */
    boolean encloses() {
        if (isClosed()) {
            return false;
        }
        boolean past = timeLeft().isZero();
        if (past) {
            reportUnclosed();
        }
        return !past;
    }

    String openedText() {
        String where = opener == null ? "by a virtual thread or in another scope" : "at " + opener;
        return id + ", opened " + where + ", on " + Thread.currentThread();
    }

    private void reportUnclosed() {
        synchronized (this) {
            if (reportedUnclosed) {
                return;
            }
            reportedUnclosed = true;
        }
        ScopeTasks.FAULTS.warn(
                "a scope past its deadline is not closed, so scopes that its thread opens are not nested in it",
                openedText(),
                null);
    }

    /** The queued and running tasks. */
    List<ScopeTaskImpl<?>> unfinishedTasks() {
        ScopeTasks known = tasks;
        return known == null ? List.of() : known.unfinishedTasks();
    }
}
