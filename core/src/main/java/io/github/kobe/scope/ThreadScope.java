package io.github.kobe.scope;

import io.github.kobe.ContextCarrier;
import io.github.kobe.GroupExecutor;
import io.github.kobe.RetryPolicy;
import io.github.kobe.internal.util.Checks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Owns the tasks that are submitted to it. No task outlives its scope, and the scope reports every failure, timeout and cancellation.
 *
 * <pre>{@code
 * try (ThreadScope scope = ThreadScope.open().withDeadline(Duration.ofSeconds(10))) {
 *     Task<String> user = scope.submit("user", () -> fetch("user"));
 *     Task<String> orders = scope.submit("orders", () -> fetch("orders"), Duration.ofSeconds(5));
 *     scope.await(user, orders);
 *     System.out.println(user.await() + ", " + orders.await());
 * }
 * }</pre>
 *
 * <p>Call the {@code with} methods before the first submission or schedule; after it they throw {@link IllegalStateException}. For an invalid
 * argument they throw {@link NullPointerException} or {@link IllegalArgumentException}, with name and value, and the scope is closed.
 *
 * <p>If a scope is opened by a task of another scope, or by a thread that has another scope open, it is nested in that scope: its deadline is
 * not later, and it is cancelled together with it. A scope whose deadline has passed encloses only what its tasks open.
 *
 * <p>Thread-safe. What a thread did before it submitted a task happens-before the task; what the task did happens-before any thread sees
 * its completion.
 */
public final class ThreadScope implements TaskSubmitter, AutoCloseable {

    private final ScopeState state = ScopeState.open();
    private final ScopeSettings settings = state.settings();

    private ThreadScope() {}

    /**
     * Opens a scope: virtual threads, {@link FailurePolicy#FAIL_FAST}, no retry, no limit, a deadline 30 seconds from now.
     * Always close it: scopes that its thread opens later are nested in it while it is open, until its deadline has passed. A scope that is still
     * open then is logged when its thread opens another one, with the line that opened it if that was on a platform thread.
     */
    public static ThreadScope open() {
        return new ThreadScope();
    }

    // ---- settings -------------------------------------------------------------------------------------------------

    /** If {@code change} is invalid, the scope is closed unless it is in use: in {@code open().with...()} the caller has no reference to it. */
    private ThreadScope set(Consumer<ScopeSettings> change) {
        try {
            state.configure(() -> change.accept(settings));
            return this;
        } catch (RuntimeException refusal) {
            state.closeIfUnused(refusal);
            throw refusal;
        }
    }

    /** The threads that run its tasks. Default {@link Scheduler#detect}. */
    public ThreadScope withScheduler(Scheduler scheduler) {
        return set(s -> {
            if (Objects.requireNonNull(scheduler, "scheduler").isShutDown()) {
                throw new IllegalStateException(scheduler + " is shut down, with the scope that it was made for");
            }
            s.scheduler = scheduler;
        });
    }

    /** How {@link #await} handles failures. Default {@link FailurePolicy#FAIL_FAST}. */
    public ThreadScope withFailurePolicy(FailurePolicy policy) {
        return set(s -> s.failurePolicy = Objects.requireNonNull(policy, "failurePolicy"));
    }

    /**
     * The retry policy of tasks that have none of their own, including the runs of schedules. Default
     * {@link RetryPolicy#noRetry}.
     */
    public ThreadScope withRetryPolicy(RetryPolicy policy) {
        return set(s -> s.retryPolicy = Objects.requireNonNull(policy, "retryPolicy"));
    }

    /**
     * How long each attempt of a task may run, beside the timeout of the task. When the time is over, the attempt's thread is interrupted.
     * When its code has returned, whatever it returns or throws, the attempt has failed with a
     * {@link io.github.kobe.TaskTimeoutException}, and the retry policy decides whether there is another. If the number of attempts is
     * reached, the task fails at once. Time in a queue does not count. Default no limit.
     */
    public ThreadScope withAttemptTimeout(Duration timeout) {
        return set(s -> s.attemptTimeout =
                Checks.positive("attemptTimeout", Objects.requireNonNull(timeout, "attemptTimeout")));
    }

    /** The priority of tasks that have none of their own. Default {@link TaskPriority#NORMAL}. */
    public ThreadScope withDefaultTaskPriority(TaskPriority priority) {
        return set(s -> s.defaultPriority = Objects.requireNonNull(priority, "defaultTaskPriority"));
    }

    /**
     * The maximum number of tasks that run at once. Default no limit. A thread that submits a task waits until the task gets a permit, the
     * deadline passes, or the thread is interrupted. A task of this scope, or of one nested in it, does not wait, because it may hold the permit
     * that it would wait for: what it submits is queued.
     */
    public ThreadScope withConcurrencyLimit(int limit) {
        return set(s -> s.concurrencyLimit = Checks.atLeast(1, "concurrencyLimit", limit));
    }

    /** Whether tasks beyond the concurrency limit are always queued, so that no submitter waits. Default false. */
    public ThreadScope withQueueing(boolean always) {
        return set(s -> s.queuesAlways = always);
    }

    /** How long the scope may take from {@link #open} on; then it is cancelled. Default 30 seconds. */
    public ThreadScope withDeadline(Duration deadline) {
        return set(s -> s.deadline = Checks.positive("deadline", Objects.requireNonNull(deadline, "deadline")));
    }

    /** How long {@link #close} waits for tasks that do not return when they are interrupted. Default 30 seconds. */
    public ThreadScope withCloseGrace(Duration grace) {
        return set(s -> s.closeGrace = Checks.notNegative("closeGrace", Objects.requireNonNull(grace, "closeGrace")));
    }

    /** Adds a hook, which is called for each task after the hooks that were added before. Default none. */
    public ThreadScope withHook(ThreadHook hook) {
        return set(s -> {
            Objects.requireNonNull(hook, "hook");
            s.hook = s.hook == null ? hook : s.hook.andThen(hook);
        });
    }

    /**
     * Adds a carrier of context from submitters to tasks and their hooks, beside {@link Context}. Tasks in {@linkplain #withGroups groups} also
     * carry what the {@link io.github.kobe.GroupPolicy.Builder#contextCarrier} of the groups carries; a carrier that both have is
     * captured once. Default none.
     */
    public ThreadScope withContextCarrier(ContextCarrier carrier) {
        return set(s -> s.carrier = s.carrier.andThen(Objects.requireNonNull(carrier, "contextCarrier")));
    }

    /** The groups for {@link #submitTo}. The caller has to close them. Default none. */
    public ThreadScope withGroups(GroupExecutor groups) {
        return set(s -> s.groups = Objects.requireNonNull(groups, "groups"));
    }

    /** As set by {@link #withScheduler}. */
    public Scheduler scheduler() {
        return get(s -> s.scheduler);
    }

    /** As set by {@link #withFailurePolicy}. */
    public FailurePolicy failurePolicy() {
        return get(s -> s.failurePolicy);
    }

    /** As set by {@link #withRetryPolicy}. */
    public RetryPolicy retryPolicy() {
        return get(s -> s.retryPolicy);
    }

    /** As set by {@link #withDefaultTaskPriority}. */
    public TaskPriority defaultTaskPriority() {
        return get(s -> s.defaultPriority);
    }

    /** As set by {@link #withDeadline}; less if its parent scope had less time left when this one was opened. */
    public Duration deadline() {
        return state.totalTime();
    }

    /**
     * How much of {@link #deadline} is left, not negative. Every scope has a deadline. Useful as the timeout of a call to another system. A
     * cancelled scope has time left until its deadline passes.
     */
    public Duration timeLeft() {
        return state.timeLeft();
    }

    private <R> R get(Function<ScopeSettings, R> field) {
        return state.read(() -> field.apply(settings));
    }

    // ---- tasks ----------------------------------------------------------------------------------------------------

    @Override
    public <T extends @Nullable Object> Task<T> submit(
            @Nullable String name,
            Callable<T> callable,
            @Nullable TaskPriority priority,
            @Nullable RetryPolicy retry,
            @Nullable Duration timeout) {
        Objects.requireNonNull(callable, "callable");
        ScopeTasks tasks = state.tasks();
        return state.submit(ScopeTaskImpl.plain(tasks, name, callable, settings.forTask(priority, retry, timeout)));
    }

    /**
     * Submits a task of this scope that runs under the limits of the group {@code groupKey} of {@link #withGroups}, and waits in the queue of
     * that group. If it is cancelled while it is queued, it leaves that queue. If the group rejects it, it fails with
     * {@link io.github.kobe.RejectedTaskException}. For the group each of its attempts is a task, with the same outcome.
     *
     * @param groupKey the group whose limits apply
     * @param name its name; {@code null} for "task-" and its number
     * @param callable what to run
     * @param priority as for {@link #submit(String, Callable, TaskPriority, RetryPolicy, Duration)}
     * @param retry likewise
     * @param timeout likewise
     * @throws IllegalStateException if the scope has no groups, or is closed
     */
    public <T extends @Nullable Object> Task<T> submitTo(
            String groupKey,
            @Nullable String name,
            Callable<T> callable,
            @Nullable TaskPriority priority,
            @Nullable RetryPolicy retry,
            @Nullable Duration timeout) {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(callable, "callable");
        ScopeTasks tasks = state.tasks();
        GroupExecutor groups = settings.groups;
        if (groups == null) {
            throw new IllegalStateException(id() + " has no groups: say withGroups first");
        }
        ScopeSettings.PerTask taskSettings = settings.forTask(priority, retry, timeout);
        GroupRoute route = new GroupRoute(groups, groupKey);
        return state.submit(
                new ScopeTaskImpl<>(tasks, name, callable, taskSettings, tasks.captureForGroup(), route, null));
    }

    /** As {@link #submitTo(String, String, Callable, TaskPriority, RetryPolicy, Duration)}, with the defaults of the scope. */
    public <T extends @Nullable Object> Task<T> submitTo(String groupKey, Callable<T> callable) {
        return submitTo(groupKey, null, callable, null, null, null);
    }

    /** As {@link #submitTo(String, Callable)}, with a name for the task. */
    public <T extends @Nullable Object> Task<T> submitTo(String groupKey, String name, Callable<T> callable) {
        return submitTo(groupKey, Objects.requireNonNull(name, "name"), callable, null, null, null);
    }

    /** As {@link #submitTo(String, Callable)}, for a task that returns nothing. */
    public Task<?> submitTo(String groupKey, Runnable runnable) {
        return submitTo(groupKey, null, asCallable(runnable), null, null, null);
    }

    /** As {@link #submitTo(String, String, Callable)}, for a task that returns nothing. */
    public Task<?> submitTo(String groupKey, String name, Runnable runnable) {
        return submitTo(groupKey, Objects.requireNonNull(name, "name"), asCallable(runnable), null, null, null);
    }

    /**
     * As {@link #submitTo(String, String, Callable)}. Prefer that method: in the other overloads of {@code submit} a leading string is the name
     * of the task, not a group.
     */
    public <T extends @Nullable Object> Task<T> submit(String groupKey, String name, Callable<T> callable) {
        return submitTo(groupKey, name, callable);
    }

    /** As {@link #submitTo(String, String, Callable, TaskPriority, RetryPolicy, Duration)}, with a name. Prefer that method. */
    public <T extends @Nullable Object> Task<T> submit(
            String groupKey,
            String name,
            Callable<T> callable,
            @Nullable TaskPriority priority,
            @Nullable RetryPolicy retry,
            @Nullable Duration timeout) {
        return submitTo(groupKey, Objects.requireNonNull(name, "name"), callable, priority, retry, timeout);
    }

    /**
     * Waits for tasks of this scope, and applies the failure policy as soon as one fails, regardless of their order in {@code tasks}.
     *
     * @return the counts of their outcomes, and the failures
     * @throws RuntimeException under {@link FailurePolicy#FAIL_FAST}, what {@link Task#await} throws for the first task that failed
     * @throws AggregateException under {@link FailurePolicy#COLLECT_ALL}, if any failed
     * @throws ScopeTimeoutException if the deadline passed and cancelled any of them
     * @throws CancelledException if the calling thread is interrupted; its interrupt flag is set again, and the tasks continue
     * @throws IllegalArgumentException if a task belongs to another scope
     */
    public Outcome await(Collection<? extends Task<?>> tasks) {
        List<ScopeTaskImpl<?>> awaited = AwaitOperation.requireTasksOf(state, tasks);
        ScopeTasks scopeTasks = state.tasksOrNull();
        if (scopeTasks == null) {
            return new Outcome(0, 0, 0, 0, List.of());
        }
        try {
            return new AwaitOperation(scopeTasks, settings.failurePolicy, awaited).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancelledException("interrupted while waiting for tasks of " + id() + ", which go on", e);
        }
    }

    /** As {@link #await(Collection)}. */
    public Outcome await(Task<?> first, Task<?>... rest) {
        return await(list(first, rest));
    }

    /**
     * As {@link #await(Collection)}.
     *
     * @return what the tasks returned, in the order of {@code tasks}; {@code null} for each that failed or was cancelled
     */
    public <T extends @Nullable Object> List<@Nullable T> awaitAll(Collection<? extends Task<? extends T>> tasks) {
        Objects.requireNonNull(tasks, "tasks");
        List<Task<? extends T>> list = new ArrayList<>(tasks);
        await(list);
        List<@Nullable T> values = new ArrayList<>(list.size());
        for (Task<? extends T> task : list) {
            values.add(task.state() == Task.State.SUCCESS ? task.await() : null);
        }
        return Collections.unmodifiableList(values);
    }

    /** As {@link #awaitAll(Collection)}. */
    @SafeVarargs
    @SuppressWarnings("varargs") // only read
    public final <T extends @Nullable Object> List<@Nullable T> awaitAll(
            Task<? extends T> first, Task<? extends T>... rest) {
        return awaitAll(list(first, rest));
    }

    private static <E> List<E> list(E first, E[] rest) {
        Objects.requireNonNull(rest, "rest");
        List<E> all = new ArrayList<>(rest.length + 1);
        all.add(first);
        all.addAll(Arrays.asList(rest));
        return all;
    }

    /** Runs alternatives for one result; see {@link ScopeJoiner}. */
    public ScopeJoiner joiner() {
        return new ScopeJoiner(this);
    }

    /** As {@link #join(JoinStrategy, Collection)}. */
    @SafeVarargs
    @SuppressWarnings("varargs") // only read
    public final <T extends @Nullable Object, R extends @Nullable Object> R join(
            JoinStrategy<T, R> strategy, Callable<? extends T>... callables) {
        return join(strategy, Arrays.asList(Objects.requireNonNull(callables, "callables")));
    }

    /**
     * Runs {@code callables} as tasks of this scope, and waits for the result that {@code strategy} makes of them. Does not wait for
     * permits under the concurrency limit: tasks beyond it are queued.
     *
     * @throws AggregateException if too many failed; with all failures
     * @throws ScopeTimeoutException if the deadline passed
     * @throws CancelledException if they were cancelled; or if the calling thread is interrupted; its interrupt flag is set again
     * @throws IllegalArgumentException if there are too few callables for the strategy
     */
    public <T extends @Nullable Object, R extends @Nullable Object> R join(
            JoinStrategy<T, R> strategy, Collection<? extends Callable<? extends T>> callables) {
        Objects.requireNonNull(strategy, "strategy");
        Objects.requireNonNull(callables, "callables");
        List<Callable<? extends T>> list = new ArrayList<>(callables);
        list.forEach(callable -> Objects.requireNonNull(callable, "callable"));
        strategy.check(list.size());
        try {
            return JoinOperation.of(state, strategy, list).run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancelledException("interrupted while waiting for " + strategy + " in " + id(), e);
        }
    }

    // ---- schedules ------------------------------------------------------------------------------------------------

    /**
     * Submits {@code callable} once, after {@code delay}, with the default priority and retry policy of the scope.
     * The delay holds no thread.
     *
     * @throws IllegalArgumentException if {@code delay} is negative
     * @throws IllegalStateException if the scope is closed
     */
    public <T extends @Nullable Object> ScheduledTask schedule(Duration delay, Callable<T> callable) {
        Objects.requireNonNull(callable, "callable");
        return state.schedule("delay", delay, callable, null);
    }

    /** As {@link #schedule(Duration, Callable)}. */
    public ScheduledTask schedule(Duration delay, Runnable runnable) {
        return state.schedule("delay", delay, asCallable(runnable), null);
    }

    /**
     * Submits {@code runnable} after {@code initial}, and then every {@code period}, counted from when the previous run was due. Runs never
     * overlap: if one takes too long, the next follows at once. After a run that fails, retries included, there is no other.
     *
     * @throws IllegalArgumentException if {@code initial} is negative or {@code period} not positive
     * @throws IllegalStateException if the scope is closed
     */
    public ScheduledTask scheduleAtFixedRate(Duration initial, Duration period, Runnable runnable) {
        return state.schedule("initial", initial, asCallable(runnable), ScheduledTaskImpl.atFixedRate(period));
    }

    /** As {@link #scheduleAtFixedRate}, but {@code delay} after the previous run has completed. */
    public ScheduledTask scheduleWithFixedDelay(Duration initial, Duration delay, Runnable runnable) {
        return state.schedule("initial", initial, asCallable(runnable), ScheduledTaskImpl.withFixedDelay(delay));
    }

    private static Callable<?> asCallable(Runnable runnable) {
        return Executors.callable(Objects.requireNonNull(runnable, "runnable"));
    }

    // ---- state ----------------------------------------------------------------------------------------------------

    /** Tells whether the scope is cancelled, and cancels it. */
    public CancellationToken token() {
        return state;
    }

    /** Counts and durations of its tasks so far; each run of a schedule is a task. */
    public ScopeMetricsSnapshot metrics() {
        ScopeTasks tasks = state.tasksOrNull();
        return tasks == null ? new ScopeMetricsSnapshot(0, 0, 0, 0, Duration.ZERO, Duration.ZERO) : tasks.metrics();
    }

    /**
     * The text of {@link #toString} and the awaited tasks, as they were when {@link #await} first found a failed task, before it cancelled the
     * others. Empty if that has not happened; always empty under a policy that does not cancel the others. The failure itself is an
     * object of the user: nothing is added to it but the failures of earlier attempts, as suppressed.
     */
    public Optional<String> failureTree() {
        ScopeTasks tasks = state.tasksOrNull();
        return tasks == null ? Optional.empty() : Optional.ofNullable(tasks.failureTree());
    }

    /** Its name, such as "scope-7"; unique in this JVM. */
    public String id() {
        return state.id();
    }

    /** A text of several lines: the scope, its state, its queued and running tasks, and its nested scopes. */
    @Override
    public String toString() {
        return ScopeTreeFormatter.format(state);
    }

    // ---- close ----------------------------------------------------------------------------------------------------

    /**
     * Runs {@code cleanup} when the scope is closed, after its tasks have completed. Cleanups run in reverse order. If one throws, the others
     * still run.
     *
     * @throws IllegalStateException if the scope is closed
     */
    public void defer(Runnable cleanup) {
        state.closer().defer(Objects.requireNonNull(cleanup, "cleanup"));
    }

    /**
     * First cancels the tasks that have not completed, which interrupts those that run; to let tasks finish, await them before. Then waits until
     * their threads are done, and runs the cleanups. When this returns, no task of the scope runs, and its hooks have been called. Further calls have no effect. If the calling thread is interrupted, this continues, and the
     * interrupt flag is set again.
     *
     * @throws ScopeCloseException if tasks do not return within {@link #withCloseGrace}; the message names them
     * @throws RuntimeException what the first failing cleanup threw, with what others threw suppressed in it; if there is a
     *     {@link ScopeCloseException}, that is thrown, with this one suppressed in it
     * @throws IllegalStateException if it is called by a task of the scope, which would wait for itself
     */
    @Override
    public void close() {
        state.closer().close();
    }
}
