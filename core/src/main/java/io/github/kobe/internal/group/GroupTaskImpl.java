package io.github.kobe.internal.group;

import io.github.kobe.ContextCarrier.Captured;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.Rejection;
import io.github.kobe.RejectionHandler;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskContext;
import io.github.kobe.TaskFunction;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTimeoutException;
import io.github.kobe.UndesiredResultException;
import io.github.kobe.internal.group.CarriedContext.BesideSubmitter;
import io.github.kobe.internal.group.TaskSettings.RejectedState;
import io.github.kobe.internal.group.UnaskedRejections.Count;
import io.github.kobe.internal.jfr.FlightRecording;
import io.github.kobe.internal.kernel.AttemptState;
import io.github.kobe.internal.kernel.KernelTask;
import io.github.kobe.internal.kernel.TaskHome;
import io.github.kobe.internal.kernel.TerminationCause;
import io.github.kobe.internal.util.CancellingFuture;
import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.Durations;
import io.github.kobe.internal.util.Faults;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A task of a group and its handle. They are one object, because millions of tasks may be queued. */
final class GroupTaskImpl<T extends @Nullable Object> extends KernelTask<GroupResult<T>>
        implements TaskHandle<T>, Faults.Grouped, ListenerNotifier.InContext {

    /** A deadline this far away can still be compared with the current time. */
    private static final long LONGEST_TIMEOUT = Long.MAX_VALUE >> 1;

    /** Of a task that was not queued, or that has attempts, which know how long it was. */
    private static final PackedResult SUCCEEDED = new PackedResult(TaskStatus.SUCCESS, null, 0);

    /**
     * A result without the parts that the task has in its fields. Most results are never asked for, so {@link #unpack} makes them later. The
     * time in the queue is here, because a field of the task would be paid for by every queued task.
     */
    private static class PackedResult {
        final TaskStatus status;
        final @Nullable Throwable error;
        final long waitedNanos;

        PackedResult(TaskStatus status, @Nullable Throwable error, long waitedNanos) {
            this.status = status;
            this.error = error;
            this.waitedNanos = waitedNanos;
        }
    }

    /** The value is one that the retry policy retries. A success, unless there is another attempt. */
    private static final class UndesiredResult extends PackedResult {
        final UndesiredResultException fault;

        @Nullable
        Object work; // for the next attempt, while the task has the value in its field

        UndesiredResult(@Nullable Object value, Object work) {
            super(TaskStatus.SUCCESS, null, 0); // a task that may be retried has attempts
            this.fault = new UndesiredResultException(value);
            this.work = work;
        }
    }

    private final String groupKey;
    private final String taskId;

    /** Replaced by {@link #captureContext}, {@link #staysWithSubmitter} and {@link #reject}, while no other thread can see the task. */
    private TaskSettings settings;

    /**
     * The work until it starts, then {@code null}, then the value: a handle may be kept for long, what the work refers to should not.
     * {@link ViewFuture} stays; it has no value.
     */
    private @Nullable Object workThenValue;

    /** @param work a {@link ViewFuture}, a {@link Callable}, a {@link TaskFunction} or else a {@link Runnable} */
    GroupTaskImpl(String groupKey, String taskId, Object work, TaskSettings settings) {
        this.groupKey = groupKey;
        this.taskId = taskId;
        this.workThenValue = work;
        this.settings = settings;
    }

    private long now() {
        return settings.engine.timer().nanoTime();
    }

    // ---- running -------------------------------------------------------------------------------------------------

    @Override
    protected Object execute() {
        Captured context = attemptContext();
        return context == null ? executeHere() : inContext(context, this::executeHere);
    }

    /** With the callbacks of the options: one installation of the context serves them all. */
    private Object executeHere() {
        RejectedState rejected = settings.rejected;
        if (rejected != null) {
            return runHandler(rejected);
        }
        if (settings.attempts == null) {
            return attempt();
        }
        if (!AttemptCallbacks.areSet(settings.options)) {
            return limitedAttempt(settings.attempts);
        }
        AttemptCallbacks.beforeAttempt(this, settings.options, settings.engine.faults());
        Object outcome = limitedAttempt(settings.attempts);
        AttemptCallbacks.afterAttempt(this, settings.options, errorOf(outcome), settings.engine.faults());
        return outcome;
    }

    /** If the attempt exceeded its time limit, it has failed, whatever its code did then. */
    private Object limitedAttempt(AttemptState attempts) {
        Object work = workThenValue;
        Object outcome = attempt();
        if (!endAttemptLimit()) {
            return outcome;
        }
        workThenValue = work; // instead of a value that came too late
        if (isDecided()) {
            dropWork(); // a canceller decides first and drops then: it did so before the line above, or does so now
        }
        return attemptTimedOut(attempts);
    }

    private Object attempt() {
        TaskInterceptor interceptor = settings.engine.interceptor();
        if (interceptor == null) {
            return doWork();
        }
        Object entered = interceptor.enter(Objects.requireNonNull(group()), Math.max(0, waitedNanos()));
        try {
            return doWork();
        } finally {
            interceptor.leave(entered);
        }
    }

    private Object doWork() {
        ViewFuture<?> viewFuture = viewFuture();
        if (viewFuture != null) {
            return viewFuture.execute();
        }
        Object work = workThenValue;
        if (work == null) {
            return SUCCEEDED; // it was cancelled at this moment, so this outcome is not published
        }
        if (settings.options.retry().maxAttempts() == 1) {
            workThenValue = null;
        }
        try {
            Object value = call(work);
            workThenValue = value;
            return isRetried(value) ? new UndesiredResult(value, work) : outcomeOf(null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return outcomeOf(e);
        } catch (Throwable e) {
            return outcomeOf(e);
        }
    }

    private boolean isRetried(@Nullable Object value) {
        try {
            return settings.attempts != null && settings.options.retry().retriesResult(value);
        } catch (Throwable fault) {
            settings.engine.faults().report("retry policy", this, fault);
            return false;
        }
    }

    @SuppressWarnings("NullAway") // a value may be null
    private Object call(Object work) throws Exception {
        if (work instanceof Callable<?> callable) {
            return callable.call();
        }
        if (work instanceof TaskFunction<?> function) {
            return function.apply(context());
        }
        ((Runnable) work).run();
        return null;
    }

    private TaskContext context() {
        AttemptState attempts = settings.attempts;
        long ofTask = attempts == null ? 0 : deadline(attempts.firstStartedAt(), settings.options.timeout());
        long ofAttempt =
                attempts == null ? 0 : deadline(attempts.attemptStartedAt(), settings.options.attemptTimeout());
        boolean attemptFirst = ofAttempt != TaskContextImpl.NO_DEADLINE
                && (ofTask == TaskContextImpl.NO_DEADLINE || ofAttempt - ofTask < 0);
        return new TaskContextImpl(
                this, settings.options.priority(), settings.engine.timer(), attemptFirst ? ofAttempt : ofTask);
    }

    private static long deadline(long start, @Nullable Duration timeout) {
        return timeout == null || start == 0
                ? TaskContextImpl.NO_DEADLINE
                : start + Math.min(Durations.saturatedNanos(timeout), LONGEST_TIMEOUT);
    }

    /** The packed outcome of work that threw {@code error}; of work that returned, if it is {@code null}. */
    Object outcomeOf(@Nullable Throwable error) {
        long waited = settings.attempts == null ? waitedNanos() : 0;
        if (error == null) {
            return waited <= 0 ? SUCCEEDED : new PackedResult(TaskStatus.SUCCESS, null, waited);
        }
        boolean cancelled = error instanceof InterruptedException || error instanceof CancellationException;
        return new PackedResult(cancelled ? TaskStatus.CANCELLED : TaskStatus.FAILED, error, waited);
    }

    private static @Nullable Throwable errorOf(Object outcome) {
        return outcome instanceof PackedResult packed
                ? packed.error
                : outcome instanceof GroupResult<?> whole ? whole.error() : null;
    }

    @Override
    protected Object failed(Throwable fault) {
        ViewFuture<?> viewFuture = viewFuture(); // its execute throws nothing, so no thread could be started
        if (viewFuture != null) {
            viewFuture.completeWith(GroupResult.failed(groupKey, taskId, fault, 0, 0));
            if (viewFuture.command != viewFuture) {
                settings.engine.faults().report("start of a thread", this, fault); // the command may have no future
            }
        }
        return new PackedResult(TaskStatus.FAILED, fault, settings.attempts == null ? waitedNanos() : 0);
    }

    @Override
    protected void dropWork() {
        ViewFuture<?> viewFuture = viewFuture();
        if (viewFuture != null) {
            viewFuture.drop();
        } else {
            workThenValue = null;
        }
    }

    @Override
    protected void onFinished() {
        ViewFuture<?> viewFuture = viewFuture();
        if (viewFuture != null) {
            viewFuture.finished();
        }
        dropContext();
    }

    /** Its work, if that is a view's; {@code null} otherwise. A value may be a future of a view too, but of another task. */
    @Nullable
    ViewFuture<?> viewFuture() {
        return workThenValue instanceof ViewFuture<?> future && future.task == this ? future : null;
    }

    @Override
    protected void interruptWork() {
        super.interruptWork(); // widened to this package
    }

    // ---- context -------------------------------------------------------------------------------------------------

    /**
     * Captures what the submitter, which is the calling thread, has to carry. After the listener was told of the submission: a carrier may carry
     * what a listener made. Before any other thread can see the task.
     */
    void captureContext() {
        Captured captured =
                workThenValue instanceof ScopeWork<?> own ? own.context() : settings.engine.captureFor(this);
        if (captured == null) {
            return;
        }
        if (settings.attempts == null && settings.scopeId == null) {
            settings = settings.with(captured); // many tasks share the object without a context
        } else {
            settings.context = captured;
        }
    }

    /** What an attempt, or the rejection handler, runs inside; {@code null} if it runs on its thread as it is. */
    private @Nullable Captured attemptContext() {
        Captured context = settings.context == null ? settings.engine.emptyContext() : settings.context;
        boolean installsItself = context != null
                && settings.rejected == null
                && workThenValue instanceof ScopeWork<?>; // a canceller may have dropped it: then nothing runs
        return installsItself ? null : context;
    }

    private <R extends @Nullable Object> R inContext(Captured context, Supplier<R> code) {
        return CarriedContext.call(context, this, settings.engine.faults(), code);
    }

    @Override
    public @Nullable Captured listenerContext() {
        return settings.context;
    }

    /** Runs {@code callback} inside its context. For a task that was rejected: others drop their context when they have finished. */
    void runInContext(Runnable callback) {
        Captured context = settings.context;
        if (context == null) {
            callback.run();
        } else {
            CarriedContext.run(context, this, settings.engine.faults(), callback);
        }
    }

    /** It was not admitted. What its submitter runs of it runs in the context of the submitter. Called by the submitter. */
    void staysWithSubmitter() {
        Captured context = settings.context == null ? settings.engine.emptyContext() : settings.context;
        if (context != null) {
            settings = settings.with(BesideSubmitter.of(context));
        }
    }

    /**
     * A handle may be kept for long; what its context refers to should not. The task's thread is done with it. The thread that tells listeners
     * of the outcome is another one if a canceller decided; it publishes the outcome after it has told them. So if the outcome is
     * published, no thread reads the context any more. If it is not, the thread that publishes it drops the context.
     */
    private void dropContext() {
        if (settings.context != null && isCompleted()) {
            settings.context = null;
        }
    }

    /**
     * The outcome is published, and it is not that of the work, or another thread published it because a listener did not return. If the work is
     * on its thread, that comes to {@link #dropContext} later. A rejected task keeps its context, for a fallback.
     */
    private void dropContextOffThread() {
        if (settings.context != null && settings.rejected == null && isOffThread()) {
            settings.context = null;
        }
    }

    // ---- attempts ------------------------------------------------------------------------------------------------

    @Override
    protected @Nullable AttemptState attempts() {
        return settings.attempts;
    }

    /** Whether the current attempt has exceeded its time limit. */
    boolean isAttemptTimedOut() {
        return settings.attempts != null && settings.attempts.isAttemptTimedOut();
    }

    @Override
    protected boolean hasAttemptsLeft() {
        AttemptState attempts = settings.attempts;
        return attempts != null
                && attempts.failedAttempts() + 1 < settings.options.retry().maxAttempts();
    }

    @Override
    protected long retryDelay(Object outcome) {
        UndesiredResult undesired = outcome instanceof UndesiredResult retried ? retried : null;
        Throwable error = undesired == null ? errorOf(outcome) : undesired.fault;
        AttemptState attempts = settings.attempts;
        if (error == null || attempts == null) {
            return -1;
        }
        Captured context = settings.context;
        return context == null
                ? retryDelay(undesired, error, attempts)
                : inContext(context, () -> retryDelay(undesired, error, attempts));
    }

    private long retryDelay(@Nullable UndesiredResult undesired, Throwable error, AttemptState attempts) {
        int failed = attempts.failedAttempts() + 1;
        boolean isLast = Thread.currentThread().isInterrupted() || !mayRetry();
        Optional<Duration> delay = isLast ? Optional.empty() : nextDelay(failed, error);
        if (undesired != null) {
            takeBack(undesired, delay.isPresent());
        } else if (delay.isEmpty()) {
            attempts.withEarlierFailures(error);
            dropWork();
        }
        if (delay.isEmpty()) {
            return -1;
        }
        attempts.addFailure(error);
        count(CounterSlots.RETRIED);
        if (!settings.listeners.isEmpty()) {
            notifier().retrying(this, failed, error, delay.get());
            Thread.interrupted(); // set by the listener
        }
        return delay.get().toNanos();
    }

    /** If there is another attempt, the value makes place for the work, unless a canceller has dropped both meanwhile. */
    private void takeBack(UndesiredResult undesired, boolean retried) {
        if (retried) {
            workThenValue = undesired.work;
            if (isDecided()) {
                dropWork(); // a canceller decides first and drops then: it did so before the line above, or does so now
            }
        }
        undesired.work = null; // the outcome may be kept for long
    }

    private Optional<Duration> nextDelay(int failedAttempts, Throwable error) {
        try {
            return settings.options.retry().nextDelay(failedAttempts, error);
        } catch (Throwable fault) {
            settings.engine.faults().report("retry policy", this, fault);
            return Optional.empty();
        }
    }

    /** When it was first queued; 0 if it was not then. */
    private long firstQueuedAt() {
        return settings.attempts == null ? lastQueuedAt() : settings.attempts.firstQueuedAt();
    }

    /** When it first started; 0 if it has not. */
    private long firstStartedAt() {
        AttemptState attempts = settings.attempts;
        return attempts == null || attempts.firstStartedAt() == 0 ? startedAt() : attempts.firstStartedAt();
    }

    /**
     * How long it was queued before its first start at {@code start}. If it has no attempts, and its work is done at this moment, the field
     * has the time of that already. Then the answer is zero; the result that it is for competes with that of the work.
     */
    private Duration waitedUntil(long start) {
        long queued = firstQueuedAt();
        return queued == 0 ? Duration.ZERO : Duration.ofNanos(Math.max(0, start - queued));
    }

    /** How many attempts have started. */
    private int startedAttempts() {
        AttemptState attempts = settings.attempts;
        return attempts == null ? startedAt() == 0 ? 0 : 1 : attempts.startedAttempts();
    }

    // ---- outcomes ------------------------------------------------------------------------------------------------

    private GroupResult<T> result(
            TaskStatus status,
            @Nullable T value,
            @Nullable Throwable error,
            long start,
            long end,
            Duration waited,
            int attempts) {
        return new GroupResult<>(groupKey, taskId, status, value, error, start, end, null, waited, attempts);
    }

    @Override
    protected GroupResult<T> cancelled(String reason) {
        long now = now();
        long start = firstStartedAt() == 0 ? now : firstStartedAt();
        long end = Math.max(now, start); // it may have started after the clock was read
        TaskCancelledException error = new TaskCancelledException(this, reason);
        return result(TaskStatus.CANCELLED, null, error, start, end, waitedUntil(start), startedAttempts());
    }

    @Override
    protected GroupResult<T> terminated(TerminationCause cause) {
        return switch (cause) {
            case DISPLACED -> rejected(rejections().displaced(group(), cost(), queuedNanos()));
            case EXPIRED -> rejected(rejections().expired(group(), cost(), queuedNanos()));
            case TIMED_OUT -> timedOut();
            case ATTEMPT_TIMED_OUT -> {
                AttemptState attempts = Objects.requireNonNull(settings.attempts);
                GroupResult<T> result = attemptTimedOut(attempts);
                attempts.withEarlierFailures(Objects.requireNonNull(result.error()));
                yield result;
            }
        };
    }

    private GroupResult<T> timedOut() {
        AttemptState attempts = Objects.requireNonNull(settings.attempts);
        Duration timeout = Objects.requireNonNull(settings.options.timeout());
        GroupResult<T> result = timedOut(attempts, timeout, attempts.firstStartedAt(), 0);
        attempts.withEarlierFailures(Objects.requireNonNull(result.error()));
        return result;
    }

    /** What earlier attempts threw is not part of it: there may be another attempt. */
    private GroupResult<T> attemptTimedOut(AttemptState attempts) {
        Duration timeout = Objects.requireNonNull(settings.options.attemptTimeout());
        return timedOut(attempts, timeout, attempts.attemptStartedAt(), attempts.failedAttempts() + 1);
    }

    private GroupResult<T> timedOut(AttemptState attempts, Duration timeout, long since, int attempt) {
        long now = now();
        long start = attempts.firstStartedAt();
        Duration waited = waitedUntil(start);
        Duration ran = Duration.ofNanos(now - since);
        TaskTimeoutException error = new TaskTimeoutException(groupKey, taskId, tag(), timeout, waited, ran, attempt);
        return result(TaskStatus.FAILED, null, error, start, now, waited, startedAttempts());
    }

    /** The field was written before the outcome, so a thread that reads the outcome finds the value. */
    @Override
    @SuppressWarnings("unchecked")
    protected GroupResult<T> unpack(Object packed) {
        if (!(packed instanceof PackedResult outcome)) {
            return (GroupResult<T>) packed;
        }
        boolean hasValue = outcome.status == TaskStatus.SUCCESS && viewFuture() == null;
        long start = firstStartedAt();
        return result(
                outcome.status,
                hasValue ? (T) workThenValue : null,
                outcome.error,
                start,
                completedAt(),
                settings.attempts == null ? Duration.ofNanos(Math.max(0, outcome.waitedNanos)) : waitedUntil(start),
                Math.max(1, startedAttempts())); // one that runs on its caller's thread does not count its attempt
    }

    @Override
    protected int counterSlot(Object result) {
        if (result instanceof PackedResult outcome) {
            return outcome.status == TaskStatus.SUCCESS
                    ? CounterSlots.SUCCEEDED
                    : CounterSlots.of(outcome.status, RejectionReason.GROUP_QUEUE_FULL);
        }
        GroupResult<?> whole = (GroupResult<?>) result;
        if (whole.error() instanceof TaskTimeoutException) {
            return CounterSlots.TIMED_OUT;
        }
        Rejection rejection = whole.rejection() == null ? rejection() : whole.rejection();
        return CounterSlots.of(
                whole.status(), rejection == null ? RejectionReason.GROUP_QUEUE_FULL : rejection.reason());
    }

    @Override
    protected String counterTag() {
        return tag();
    }

    /** If it was rejected, the group that rejected it, not the one that a rejection handler runs in. */
    @Override
    protected @Nullable TaskHome countingHome() {
        return settings.rejected == null ? super.countingHome() : settings.rejected.home;
    }

    // ---- listeners -----------------------------------------------------------------------------------------------

    /** The future of a view hears of a rejection as a listener does. */
    @Override
    protected boolean hasListeners() {
        return !settings.listeners.isEmpty() || (settings.rejected != null && viewFuture() != null);
    }

    /** The run of a rejection handler is not a start of the task. */
    @Override
    protected boolean notifyStarted(int slot) {
        return settings.rejected != null || notifier().started(this, slot);
    }

    ListenerNotifier notifier() {
        return settings.engine.notifier();
    }

    /** How long it was queued before it started. Until its work is done. */
    Duration waited() {
        long nanos = waitedNanos();
        return nanos <= 0 ? Duration.ZERO : Duration.ofNanos(nanos);
    }

    @Override
    protected boolean notifiesBeforeRelease() {
        return true;
    }

    @Override
    protected boolean tellListeners(GroupResult<T> result, int slot) {
        return notifier().completed(this, result, slot);
    }

    @Override
    protected void onPublished(Object published) {
        if (published instanceof GroupResult<?> whole && whole.status() != TaskStatus.REJECTED) {
            dropContextOffThread();
        }
        if (FlightRecording.recordsTasks()) {
            GroupResult<T> result = unpack(published);
            FlightEvents.completed(
                    settings.engine.name(), this, result, rejection() == null ? result.rejection() : rejection());
        }
    }

    @Override
    protected void publishNotified(GroupResult<T> result) {
        publishResult(result);
        ViewFuture<?> viewFuture = viewFuture();
        if (viewFuture != null) {
            if (settings.rejected != null) {
                viewFuture.completeWith(result);
            }
            viewFuture.finished();
        }
    }

    // ---- rejection -----------------------------------------------------------------------------------------------

    /** Why it was not admitted; {@code null} if it was. */
    @Nullable
    Rejection rejection() {
        return settings.rejected == null ? null : settings.rejected.rejection;
    }

    private long queuedNanos() {
        long since = firstQueuedAt();
        return since == 0 ? 0 : now() - since;
    }

    private RejectionFactory rejections() {
        return settings.engine.admission().rejections();
    }

    private GroupResult<T> rejected(@Nullable Rejection rejection) {
        long now = now();
        return new GroupResult<>(groupKey, taskId, TaskStatus.REJECTED, null, null, now, now, rejection);
    }

    /** It was submitted and not admitted. Called by the submitter. */
    void countNotAdmitted() {
        count(CounterSlots.NOT_ADMITTED);
    }

    /** It will not run; {@link #abort}, {@link #discard} or a rejection handler completes it. Called by the submitter. */
    void reject(Rejection rejection) {
        settings = settings.rejected(rejection, countingHome());
    }

    /** For the submitter: a new exception if it was rejected and its waiters get one; else {@code null}. */
    @Nullable
    RejectedTaskException rejectionException() {
        asked();
        RejectedState rejected = settings.rejected;
        return rejected == null ? null : exception(rejected);
    }

    @Override
    protected @Nullable RuntimeException exceptionFor(GroupResult<T> result) {
        RejectedState rejected = settings.rejected;
        return rejected == null || result.status() != TaskStatus.REJECTED ? null : exception(rejected);
    }

    private @Nullable RejectedTaskException exception(RejectedState rejected) {
        if (!rejected.aborts || rejected.thrownByHandler != null) {
            return rejected.thrownByHandler;
        }
        return new RejectedTaskException(groupKey, taskId, tag(), rejected.rejection);
    }

    /** A caller asks for the outcome, so a rejection is not lost. */
    void asked() {
        RejectedState rejected = settings.rejected;
        Count unasked = rejected == null ? null : rejected.unasked.getAndSet(null);
        if (unasked != null) {
            unasked.asked();
        }
    }

    /** Completes a rejected task. Its waiters get an exception. */
    void abort() {
        RejectedState rejected = Objects.requireNonNull(settings.rejected);
        rejected.aborts = true;
        rejected.unasked.set(settings.engine.unaskedRejections().rejected(this));
        ViewFuture<?> viewFuture = viewFuture();
        if (viewFuture != null) {
            viewFuture.takeBack(null);
        }
        discard();
    }

    /** Completes a rejected task. Its waiters get a result. */
    void discard() {
        dropWork();
        completeUnadmitted(rejected(rejection()));
    }

    /** Runs on a thread without a permit: the rejection handler decides the outcome. */
    private GroupResult<T> runHandler(RejectedState rejected) {
        Callable<T> work = workForHandler();
        RejectionHandler handler = Objects.requireNonNull(settings.engine.rejectionHandler());
        try {
            @Nullable GroupResult<T> decided = handler.onRejected(groupKey, taskId, work, rejected.rejection);
            if (decided != null) {
                boolean withoutReason = decided.status() == TaskStatus.REJECTED && decided.rejection() == null;
                return withoutReason ? rejected(rejected.rejection) : decided;
            }
            settings.engine.faults().report("rejection handler", this, "returned null, taken as REJECTED,");
        } catch (RejectedTaskException e) {
            rejected.thrownByHandler = e;
        } catch (Throwable e) {
            settings.engine.faults().report("rejection handler", this, e);
        }
        return rejected(rejected.rejection);
    }

    @SuppressWarnings("unchecked")
    private Callable<T> workForHandler() {
        ViewFuture<?> viewFuture = viewFuture();
        if (viewFuture != null) {
            return (Callable<T>) (Callable<?>) viewFuture::callForHandler;
        }
        Object work = workThenValue;
        workThenValue = null;
        if (work == null) {
            return () -> {
                throw new CancellationException(this + " was cancelled");
            };
        }
        return work instanceof Callable<?> callable ? (Callable<T>) callable : () -> (T) call(work);
    }

    // ---- the handle ----------------------------------------------------------------------------------------------

    @Override
    public String groupKey() {
        return groupKey;
    }

    @Override
    public String taskId() {
        return taskId;
    }

    @Override
    public String tag() {
        return settings.options.tag();
    }

    @Override
    public Optional<String> scopeId() {
        return Optional.ofNullable(settings.scopeId);
    }

    @Override
    public T get() throws InterruptedException {
        return await().getOrThrow();
    }

    @Override
    public T get(Duration timeout) throws InterruptedException, TimeoutException {
        Objects.requireNonNull(timeout, "timeout");
        Checks.notNegative("timeout", timeout);
        try {
            return awaitFor(Durations.saturatedNanos(timeout), TimeUnit.NANOSECONDS)
                    .getOrThrow();
        } catch (TimeoutException e) {
            throw tooLate(Durations.text(timeout));
        }
    }

    @Override
    public GroupResult<T> await() throws InterruptedException {
        asked();
        try {
            return awaitOutcome(Long.MAX_VALUE);
        } catch (ExecutionException e) {
            throw rejectionOf(e);
        } catch (TimeoutException e) {
            throw new AssertionError("there is no time limit", e);
        }
    }

    @Override
    public GroupResult<T> await(long timeout, TimeUnit unit) throws InterruptedException {
        Objects.requireNonNull(unit, "unit");
        try {
            return awaitFor(timeout, unit);
        } catch (TimeoutException e) {
            return notAwaited(tooLate(timeout + " " + unit));
        }
    }

    private GroupResult<T> awaitFor(long timeout, TimeUnit unit) throws InterruptedException, TimeoutException {
        asked();
        try {
            return awaitOutcome(unit.toNanos(timeout));
        } catch (ExecutionException e) {
            throw rejectionOf(e);
        }
    }

    private TimeoutException tooLate(String timeout) {
        return new TimeoutException(text() + " has not completed within " + timeout + "; it continues");
    }

    @Override
    public GroupResult<T> join() {
        try {
            return await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return notAwaited(e);
        }
    }

    @Override
    public GroupResult<T> join(long timeout, TimeUnit unit) {
        try {
            return await(timeout, unit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return notAwaited(e);
        }
    }

    private GroupResult<T> notAwaited(Exception reason) {
        long now = now();
        return GroupResult.cancelled(groupKey, taskId, reason, now, now);
    }

    /** A task completes exceptionally only with a rejection. */
    private static RejectedTaskException rejectionOf(ExecutionException e) {
        return (RejectedTaskException) Objects.requireNonNull(e.getCause());
    }

    /** Waits for the result. If waiters get an exception, its status is REJECTED. */
    GroupResult<T> resultOrRejected() {
        asked();
        if (!isCompleted()) {
            try {
                completion().join();
            } catch (CompletionException e) {
                // the outcome says it as a status
            }
        }
        return Objects.requireNonNull(outcomeOrNull());
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return cancel(mayInterruptIfRunning, "cancelled");
    }

    /** As {@link #cancel(boolean)}, but does not wait until listeners return. Does nothing if the task was not submitted. */
    void cancelWithoutWaiting(boolean interrupt, String reason) {
        if (countingHome() != null) {
            tryCancel(interrupt, reason);
        }
    }

    @Override
    public boolean isDone() {
        asked();
        return isCompletedNow();
    }

    @Override
    public Future<GroupResult<T>> future() {
        asked();
        return new HandleFuture<>(this, completion());
    }

    @Override
    public CompletableFuture<GroupResult<T>> toCompletableFuture() {
        asked();
        CompletableFuture<GroupResult<T>> future = new CancellingFuture<>(this::cancel);
        completeDependent(future);
        return future;
    }

    @Override
    public String toString() {
        return text() + ", " + (isCompleted() ? "completed" : "not completed");
    }

    private String text() {
        return TaskDescription.of(groupKey, taskId, tag());
    }
}
