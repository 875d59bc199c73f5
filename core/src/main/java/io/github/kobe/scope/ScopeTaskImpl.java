package io.github.kobe.scope;

import io.github.kobe.ContextCarrier;
import io.github.kobe.GroupExecutor;
import io.github.kobe.TaskTimeoutException;
import io.github.kobe.UndesiredResultException;
import io.github.kobe.internal.kernel.AttemptState;
import io.github.kobe.internal.kernel.BlockedWait;
import io.github.kobe.internal.kernel.HeldPermits;
import io.github.kobe.internal.kernel.KernelTask;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.kernel.TerminationCause;
import io.github.kobe.internal.util.CancellingFuture;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A task of a scope: the handle that the user has and the kernel's task in one object, because a scope may have a great many queued tasks.
 *
 * <pre>
 *   PENDING  admitted; queued, or on the way to a thread   begun is false, no outcome
 *   RUNNING  its work has started, maybe awaiting retry    begun is true, no outcome
 *   SUCCESS, FAILED, CANCELLED                             the outcome is published
 * </pre>
 *
 * <p>The outcome is decided once, by one compare-and-set; see {@link io.github.kobe.internal.kernel.Completion}.
 *
 * <p>A plain task gets a fresh virtual thread. If the scope's threads come from an executor, or the task belongs to a group of a
 * {@link GroupExecutor}, each attempt is a {@link Handoff} to a thread that has other work before and after.
 */
final class ScopeTaskImpl<T extends @Nullable Object> extends KernelTask<TaskCompletion> implements Task<T> {

    static final int SUCCEEDED = 0;
    static final int FAILED = 1;
    static final int CANCELLED = 2;

    private final ScopeTasks tasks;
    private final @Nullable String name;
    private final ScopeSettings.@Nullable PerTask settings;
    private final ContextCarrier.@Nullable Captured captured;
    private final HookNotifier.@Nullable Progress hookProgress; // null if the scope has no hook
    private final @Nullable GroupRoute groupRoute; // null unless it runs in a group
    private final @Nullable ScheduledTaskImpl schedule; // null unless it is a run of a schedule

    private long id; // 0 until it is admitted

    /**
     * The work until it runs, then {@code null}, then its value. A handle may be kept for long; what its work refers to is garbage by then.
     */
    private @Nullable Object workThenValue;

    private long firstStartedAt; // written by its thread, before begun
    private boolean begun; // written by its thread

    private volatile @Nullable Handoff handoff; // of the last attempt; null if its threads are fresh
    private volatile boolean hasPermit; // only set in a scope with a concurrency limit

    ScopeTaskImpl(
            ScopeTasks tasks,
            @Nullable String name,
            Callable<T> work,
            ScopeSettings.@Nullable PerTask settings,
            ContextCarrier.@Nullable Captured captured,
            @Nullable GroupRoute groupRoute,
            @Nullable ScheduledTaskImpl schedule) {
        this.tasks = tasks;
        this.name = name;
        this.workThenValue = work;
        this.settings = settings;
        this.captured = captured;
        this.hookProgress = tasks.hooks() == null ? null : new HookNotifier.Progress();
        this.groupRoute = groupRoute;
        this.schedule = schedule;
    }

    /** A task that is neither in a group nor a run of a schedule; it carries the context of the calling thread. */
    static <T extends @Nullable Object> ScopeTaskImpl<T> plain(
            ScopeTasks tasks, @Nullable String name, Callable<T> work, ScopeSettings.@Nullable PerTask settings) {
        return new ScopeTaskImpl<>(tasks, name, work, settings, tasks.capture(), null, null);
    }

    // ---- the handle ----------------------------------------------------------------------------------------------

    ScopeTasks tasks() {
        return tasks;
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public String name() {
        return name == null ? "task-" + id : name;
    }

    @Override
    public State state() {
        TaskCompletion completion = isCompletedNow() ? outcomeOrNull() : null;
        return completion != null ? completion.state() : begun ? State.RUNNING : State.PENDING;
    }

    /** Its outcome; {@code null} if it has not completed. */
    @Nullable
    TaskCompletion completionOrNull() {
        return outcomeOrNull();
    }

    boolean hasSucceeded() {
        TaskCompletion completion = outcomeOrNull();
        return completion != null && completion.isSuccess();
    }

    boolean hasFailed() {
        TaskCompletion completion = outcomeOrNull();
        return completion != null && completion.isFailure();
    }

    @Override
    public boolean cancel() {
        return cancel(true, "by its handle");
    }

    /** Cancels it, and returns when its hooks have been called. */
    boolean cancelFor(String reason) {
        return cancel(true, reason);
    }

    /** Cancels it without waiting for hooks. For callers that must not be held up, such as the timer's thread. */
    void cancelWithoutWaiting(String reason) {
        tryCancel(true, reason);
    }

    @Override
    public T await() {
        TaskCompletion completion = outcomeOrNull();
        return valueOf(completion == null ? awaitCompletion() : completion);
    }

    private TaskCompletion awaitCompletion() {
        BlockedWait wait = tasks.beginWait(List.of(this));
        try {
            return completion().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancelledException(
                    "interrupted while waiting for " + description() + ", which is still running", e);
        } catch (ExecutionException e) {
            throw new AssertionError("a scope's task never completes exceptionally in the kernel", e);
        } finally {
            tasks.endWait(wait, isCompleted());
        }
    }

    /** Returns the value, or throws what {@link #await} throws for {@code completion}. */
    @SuppressWarnings({"unchecked", "NullAway"}) // null if the work returned null
    T valueOf(TaskCompletion completion) {
        Throwable error = exceptionOf(completion);
        if (error instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (error instanceof Error unchecked) {
            throw unchecked;
        }
        if (error != null) {
            throw new TaskExecutionException(description() + " failed: " + error, error);
        }
        return (T) workThenValue;
    }

    private @Nullable Throwable exceptionOf(TaskCompletion completion) {
        if (completion.state() != State.CANCELLED) {
            return completion.error();
        }
        return new CancelledException(description() + " was cancelled: " + completion.reason(), completion.error());
    }

    @Override
    public CompletableFuture<T> toCompletableFuture() {
        CompletableFuture<T> view = new CancellingFuture<>(interrupt -> cancel());
        whenCompleted(completion -> transfer(completion, view));
        return view;
    }

    /** Calls {@code action} with the outcome, after all waiting threads have been woken. */
    void whenCompleted(Consumer<TaskCompletion> action) {
        CompletableFuture<TaskCompletion> dependent = new CompletableFuture<>();
        var unused = dependent.thenAccept(action);
        completeDependent(dependent);
    }

    @SuppressWarnings("unchecked")
    private void transfer(TaskCompletion completion, CompletableFuture<T> to) {
        Throwable error = exceptionOf(completion);
        if (error == null) {
            to.complete((T) workThenValue);
        } else {
            to.completeExceptionally(error);
        }
    }

    /** Such as "task 'a' of scope-1". */
    private String description() {
        return "task '" + name() + "' of " + tasks.scopeId();
    }

    /** Such as "task 'a' of scope-1, RUNNING". */
    @Override
    public String toString() {
        return description() + ", " + state();
    }

    // ---- durations -----------------------------------------------------------------------------------------------

    /** Nanoseconds since its work first started; 0 if it has not started. */
    private long nanosUpToNow() {
        return begun ? Math.max(0, tasks.now() - firstStartedAt) : 0;
    }

    /** Nanoseconds that it took, or has taken so far; 0 if it never started. */
    long nanosSpent() {
        TaskCompletion completion = outcomeOrNull();
        return completion == null ? nanosUpToNow() : nanos(completion);
    }

    private long nanos(TaskCompletion completion) {
        if (completion.nanos() != TaskCompletion.MEASURED_BY_TASK) {
            return completion.nanos();
        }
        long doneAt = groupRoute == null ? completedAt() : groupRoute.workDoneAt(completedAt());
        return begun ? Math.max(0, doneAt - firstStartedAt) : 0;
    }

    // ---- admission and the way to a thread -----------------------------------------------------------------------

    @Override
    protected void admitted(long number) {
        id = number;
    }

    @Override
    protected @Nullable AttemptState attempts() {
        return settings == null ? null : settings.attempts;
    }

    /** Larger ones first. */
    int priority() {
        return settings == null ? 0 : settings.attempts.priority();
    }

    /** Whether each of its threads is made for it and terminates with it. */
    boolean hasFreshThreads() {
        return groupRoute == null && tasks.hasFreshThreads();
    }

    /** It has its permit. */
    @Override
    protected boolean launch(TaskRunner runner) {
        if (tasks.isLimited()) { // else no submitter waits for a permit
            hasPermit = true;
            tasks.permitGranted(this);
        }
        if (hasFreshThreads()) {
            return super.launch(runner);
        }
        Handoff fresh = new Handoff(this, runner);
        handoff = fresh;
        tasks.handoffStarted(fresh);
        if (isDecided()) { // the canceller may have looked for a handoff before it was set
            fresh.revoke();
        } else {
            HandoffQueue.post(fresh);
        }
        return true;
    }

    /** Gets {@code attempt} to a thread. */
    void send(Handoff attempt, TaskRunner runner) {
        if (groupRoute == null) {
            runner.start(attempt);
        } else {
            groupRoute.submit(this, attempt);
        }
    }

    /** Has {@code wait} wait for its group task, if it has one. */
    void offerGroupTaskTo(BlockedWait wait) {
        if (groupRoute != null) {
            groupRoute.offerGroupTaskTo(wait);
        }
    }

    /** Its last handoff is revoked: withdraws the group task, if there is one. */
    void handoffRevoked() {
        if (groupRoute != null) {
            groupRoute.cancelGroupTask();
        }
    }

    /** Completes it without running it. For the thread that has found that no worker takes it. */
    void completeWithoutRunning(TaskCompletion completion) {
        completeUnadmitted(completion);
    }

    /** Whether its outcome is decided, though maybe not published yet. */
    boolean isOutcomeDecided() {
        return isDecided();
    }

    @Override
    protected void interruptWork() {
        Handoff last = handoff;
        if (last == null) {
            super.interruptWork();
        } else {
            last.revoke();
        }
    }

    /**
     * With a hook: user code must not run after the last permit is released, which is what {@code close} waits for. In a plain scope no
     * submitter waits for a permit, and a thread that sees the last one released knows that all outcomes are published.
     */
    @Override
    protected boolean completesBeforeRelease() {
        return hookProgress != null || tasks.isPlain() || super.completesBeforeRelease();
    }

    /** User code may wait for the permit, which may still have to be released. */
    @Override
    protected boolean defersUserCode() {
        return completesBeforeRelease() || super.defersUserCode();
    }

    /** Whether it has its permit, or has completed without one. */
    boolean hasPermitOrIsCompleted() {
        return hasPermit || isCompleted();
    }

    boolean hasPermit() {
        return hasPermit;
    }

    /** The thread that runs it now; {@code null} if none does. For display only. */
    @Nullable
    Thread currentThread() {
        return thread();
    }

    // ---- its work ------------------------------------------------------------------------------------------------

    @Override
    protected Object execute() {
        if (schedule != null) {
            schedule.runStarted(this);
        }
        Object work = workThenValue;
        TaskCompletion completion = runWork();
        if (settings != null && endAttemptLimit()) {
            completion = attemptTimedOut(settings, work);
        }
        if (groupRoute != null) {
            groupRoute.workReturned(completion, tasks.now());
        }
        return completion;
    }

    private TaskCompletion runWork() {
        Object work = workThenValue;
        if (work == null) {
            return TaskCompletion.SUCCESS; // it has just been cancelled, so this result is discarded
        }
        if (!begun) {
            // a handoff may have taken long, so its start is not when the task got its permit
            firstStartedAt = handoff == null ? startedAt() : tasks.now();
            begun = true;
            tasks.countStart();
        }
        if (settings == null) {
            workThenValue = null;
        }
        return hasFreshThreads() ? call(work, captured) : callOnSharedThread(work);
    }

    /** On a thread that has other work before and after: neither sees thread-locals of the other. */
    private TaskCompletion callOnSharedThread(Object work) {
        Objects.requireNonNull(handoff).movedToCurrentThread();
        Object scopeBefore = CurrentScope.enter(this);
        HandoffQueue queueBefore = HandoffQueue.hide();
        Map<String, Object> contextBefore = Context.clearForTask();
        HeldPermits.Entry held = tasks.isLimited() ? HeldPermits.add(this) : null;
        try {
            return call(work, captured == null ? tasks.emptyContext() : captured);
        } finally {
            if (held != null) {
                held.remove();
            }
            HandoffQueue.restore(queueBefore);
            Context.install(contextBefore);
            CurrentScope.leave(scopeBefore);
        }
    }

    private TaskCompletion call(Object work, ContextCarrier.@Nullable Captured context) {
        return context == null ? call(work) : tasks.callInContext(context, this, () -> call(work));
    }

    private TaskCompletion call(Object work) {
        try {
            T value = asCallable(work).call();
            workThenValue = value;
            if (settings != null && isRetried(settings, value)) {
                settings.undesired = new ScopeSettings.UndesiredResult(new UndesiredResultException(value), work);
            }
            return TaskCompletion.SUCCESS;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return completionOf(e);
        } catch (Throwable e) {
            return completionOf(e);
        }
    }

    private TaskCompletion completionOf(Throwable thrown) {
        if (thrown instanceof InterruptedException || thrown instanceof CancellationException) {
            return new TaskCompletion(State.CANCELLED, thrown, cancelReason(), TaskCompletion.MEASURED_BY_TASK);
        }
        return TaskCompletion.failed(thrown);
    }

    /** Its work may have found out that the scope is cancelled before the canceller came to this task. */
    private String cancelReason() {
        ScopeState.Cancellation cancellation = tasks.scope().cancellation();
        return cancellation == null ? "by its own work" : cancellation.reason();
    }

    @SuppressWarnings("unchecked")
    private Callable<T> asCallable(Object work) {
        return (Callable<T>) work;
    }

    /** Sets the value that its group has for it, though it did not run. */
    void setValue(@Nullable Object value) {
        workThenValue = value;
    }

    @Override
    protected void attemptReturned(int slot, Object result) {
        if (groupRoute == null) {
            super.attemptReturned(slot, result);
            return;
        }
        if (((TaskCompletion) result).isSuccess() && (settings == null || settings.undesired == null)) {
            cancelTimeLimits(); // a success stays one, however long the listeners of the group take
        }
        groupRoute.afterGroupTask(() -> finishAttempt(slot, result));
    }

    /** Whatever its code did then, the attempt has failed. What earlier attempts threw is not part of it: there may be another attempt. */
    private TaskCompletion attemptTimedOut(ScopeSettings.PerTask own, @Nullable Object work) {
        own.undesired = null;
        workThenValue = work; // a late value made place for it
        if (isDecided()) {
            dropWork(); // a canceller decides first and drops then: it did so before the line above, or does so now
        }
        return TaskCompletion.failed(attemptTimeout(own));
    }

    private TaskTimeoutException attemptTimeout(ScopeSettings.PerTask own) {
        Duration ran = Duration.ofNanos(Math.max(0, tasks.now() - own.attempts.attemptStartedAt()));
        return new TaskTimeoutException(
                owner(),
                name(),
                "",
                Objects.requireNonNull(own.attemptTimeout),
                Duration.ZERO,
                ran,
                own.attempts.failedAttempts() + 1);
    }

    @Override
    protected boolean hasAttemptsLeft() {
        return settings != null && settings.attempts.failedAttempts() + 1 < settings.retry.maxAttempts();
    }

    @Override
    protected long retryDelay(Object result) {
        TaskCompletion completion = (TaskCompletion) result;
        Throwable error = completion.error();
        if (settings == null) {
            return -1;
        }
        if (settings.undesired != null) {
            return retryDelayOfResult(settings, settings.undesired);
        }
        if (error == null) {
            return -1;
        }
        boolean mayRetry = completion.isFailure() && !Thread.currentThread().isInterrupted();
        long delay = mayRetry ? delayAfter(settings, error) : -1;
        if (delay < 0) {
            settings.attempts.withEarlierFailures(error);
            dropWork();
        } else {
            retrying(settings, error, delay);
        }
        return delay;
    }

    /** If there is another attempt, the value makes place for the work, unless a canceller has dropped both meanwhile. */
    private long retryDelayOfResult(ScopeSettings.PerTask own, ScopeSettings.UndesiredResult undesired) {
        own.undesired = null;
        long delay = Thread.currentThread().isInterrupted() ? -1 : delayAfter(own, undesired.fault());
        if (delay >= 0) {
            retrying(own, undesired.fault(), delay);
            workThenValue = undesired.work();
            if (isDecided()) {
                dropWork(); // a canceller decides first and drops then: it did so before the line above, or does so now
            }
        }
        return delay;
    }

    /** Another attempt follows in {@code delay} nanoseconds. */
    private void retrying(ScopeSettings.PerTask own, Throwable fault, long delay) {
        int failedAttempts = own.attempts.failedAttempts() + 1; // the next attempt counts this one
        own.attempts.addFailure(fault);
        HookNotifier hooks = tasks.hooks();
        if (hooks != null) {
            hooks.retrying(this, failedAttempts, fault, Duration.ofNanos(delay));
            if (hasFreshThreads()) {
                Thread.interrupted(); // set by the hook
            }
        }
    }

    private boolean isRetried(ScopeSettings.PerTask own, @Nullable Object value) {
        try {
            return own.retry.retriesResult(value);
        } catch (Throwable fault) {
            tasks.faults().report("retry policy", this, fault);
            return false;
        }
    }

    private long delayAfter(ScopeSettings.PerTask own, Throwable error) {
        try {
            return inContext(() -> own.retry.nextDelay(own.attempts.failedAttempts() + 1, error))
                    .map(Durations::saturatedNanos)
                    .orElse(-1L);
        } catch (Throwable fault) {
            tasks.faults().report("retry policy", this, fault);
            return -1;
        }
    }

    // ---- outcomes ------------------------------------------------------------------------------------------------

    @Override
    protected Object failed(Throwable fault) {
        return TaskCompletion.failed(fault);
    }

    @Override
    protected TaskCompletion cancelled(String reason) {
        return new TaskCompletion(State.CANCELLED, null, reason, nanosUpToNow());
    }

    /** Only its timeouts terminate it: it has no limit on its time in the queue, and is never displaced. */
    @Override
    protected TaskCompletion terminated(TerminationCause cause) {
        ScopeSettings.PerTask own = Objects.requireNonNull(settings);
        if (cause == TerminationCause.ATTEMPT_TIMED_OUT) {
            TaskTimeoutException error = own.attempts.withEarlierFailures(attemptTimeout(own));
            return new TaskCompletion(State.FAILED, error, "", nanosUpToNow());
        }
        Duration timeout = Objects.requireNonNull(own.timeout);
        long ran = nanosUpToNow();
        Duration waited = timeout.minusNanos(ran).isNegative() ? Duration.ZERO : timeout.minusNanos(ran);
        TaskTimeoutException error =
                new TaskTimeoutException(owner(), name(), "", timeout, waited, Duration.ofNanos(ran));
        return new TaskCompletion(State.FAILED, own.attempts.withEarlierFailures(error), "", ran);
    }

    private String owner() {
        return groupRoute == null ? tasks.scopeId() : groupRoute.groupKey();
    }

    @Override
    protected void dropWork() {
        workThenValue = null;
    }

    @Override
    protected int counterSlot(Object result) {
        return switch (((TaskCompletion) result).state()) {
            case SUCCESS -> SUCCEEDED;
            case FAILED -> FAILED;
            default -> CANCELLED;
        };
    }

    /** A task that was never admitted is not counted. */
    @Override
    protected void countOutcome(Object result, int number) {
        if (id == 0) {
            return;
        }
        if (number < 0) { // in the opposite order: a reader that does not find the outcome finds no duration either
            countDuration((TaskCompletion) result, number);
            super.countOutcome(result, number);
        } else {
            super.countOutcome(result, number);
            countDuration((TaskCompletion) result, number);
        }
    }

    private void countDuration(TaskCompletion completion, int number) {
        long nanos = nanos(completion);
        tasks.countDuration(number * nanos, nanos);
    }

    /** The schedule is told first, so that a thread that has closed the scope finds the failure of the run. */
    @Override
    protected void onPublished(Object published) {
        if (schedule != null) {
            schedule.runCompleted(Objects.requireNonNull(outcomeOrNull()));
        }
        if (id != 0) {
            tasks.completed(this);
        }
    }

    // ---- hooks ---------------------------------------------------------------------------------------------------

    @Override
    protected boolean hasListeners() {
        return hookProgress != null;
    }

    @Override
    protected boolean notifyStarted(int slot) {
        HookNotifier hooks = tasks.hooks();
        return hooks == null || hooks.started(this, () -> beginWithout(slot));
    }

    @Override
    protected void notifyCompleted(TaskCompletion completion) {
        hookProgress().completed(() -> callHook(completion));
    }

    private void callHook(TaskCompletion completion) {
        HookNotifier hooks = tasks.hooks();
        Duration duration = Duration.ofNanos(nanos(completion));
        if (hooks == null || hooks.completed(this, completion, duration, () -> publishResult(completion))) {
            publishResult(completion);
        }
    }

    /** The context that it carries; {@code null} if none. */
    ContextCarrier.@Nullable Captured context() {
        return captured;
    }

    /** Calls {@code code} with the context that the task carries, instead of that of the calling thread. */
    <R extends @Nullable Object> R inContext(Supplier<R> code) {
        Map<String, Object> contextBefore = Context.clearForTask();
        try {
            return captured == null ? code.get() : tasks.callInContext(captured, this, code);
        } finally {
            Context.install(contextBefore);
        }
    }

    /** Only for a scope with a hook. */
    HookNotifier.Progress hookProgress() {
        return Objects.requireNonNull(hookProgress);
    }

    TaskInfo info() {
        return new TaskInfo(tasks.scopeId(), id, name(), hookProgress().createdAt, tasks.schedulerName());
    }
}
