package io.github.kobe.scope;

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
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Owns the tasks that are handed to it: none outlives it, and every failure, timeout and cancellation shows up in one place.
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
 * <p>Each {@code with} method must come before the first submission or schedule, and throws {@link IllegalStateException} after it, and
 * {@link NullPointerException} or {@link IllegalArgumentException}, with name and value, for what it cannot take; then the scope is closed.
 *
 * <p>A scope that is opened by a task of another, or by a thread that has another open, is nested in it: it has no more time than that,
 * and is cancelled with it.
 *
 * <p>Safe for use by many threads. What a thread did before it submitted a task happens before the task; the task happens before anyone
 * is told of its end.
 */
public final class ThreadScope implements TaskSubmitter, AutoCloseable {

    private final ScopeState state = ScopeState.open();
    private final ScopeSettings settings = state.settings();

    private ThreadScope() {}

    /**
     * Opens a scope: virtual threads, {@link FailurePolicy#FAIL_FAST}, no retry, no limit, 30 seconds from now. Close it, always: one that
     * is left open is around whatever its thread opens later.
     */
    public static ThreadScope open() {
        return new ThreadScope();
    }

    // ---- settings ------------------------------------------------------------------------------------------------

    /** One that cannot take {@code change} is closed, unless it is in use: in {@code open().with...()} nobody else could. */
    private ThreadScope set(Consumer<ScopeSettings> change) {
        try {
            state.configure(() -> change.accept(settings));
            return this;
        } catch (RuntimeException refusal) {
            state.closeIfUnused(refusal);
            throw refusal;
        }
    }

    /** What threads its tasks run on. Default {@link Scheduler#detect}. */
    public ThreadScope withScheduler(Scheduler scheduler) {
        return set(s -> {
            if (Objects.requireNonNull(scheduler, "scheduler").isShutDown()) {
                throw new IllegalStateException(scheduler + " is shut down, with the scope that it was made for");
            }
            s.scheduler = scheduler;
        });
    }

    /** What {@link #await} does about failures. Default {@link FailurePolicy#FAIL_FAST}. */
    public ThreadScope withFailurePolicy(FailurePolicy policy) {
        return set(s -> s.failurePolicy = Objects.requireNonNull(policy, "failurePolicy"));
    }

    /**
     * What happens if a task throws that has no retry policy of its own; each run of a schedule is such a task. Default
     * {@link RetryPolicy#noRetry}.
     */
    public ThreadScope withRetryPolicy(RetryPolicy policy) {
        return set(s -> s.retryPolicy = Objects.requireNonNull(policy, "retryPolicy"));
    }

    /** The priority of tasks that have none of their own. Default {@link TaskPriority#NORMAL}. */
    public ThreadScope withDefaultTaskPriority(TaskPriority priority) {
        return set(s -> s.defaultPriority = Objects.requireNonNull(priority, "defaultTaskPriority"));
    }

    /**
     * The most tasks that run at once. Default no such limit. Who submits one more waits for its place: until the deadline, or until
     * interrupted. Only a task of this scope, or of one nested in it, does not wait, since it may hold the very place that it would wait for:
     * what it submits is put in line.
     */
    public ThreadScope withConcurrencyLimit(int limit) {
        return set(s -> s.concurrencyLimit = Checks.atLeast(1, "concurrencyLimit", limit));
    }

    /** Whether tasks beyond the concurrency limit are put in line whoever submits them, and no submitter waits. Default no. */
    public ThreadScope withQueueing(boolean always) {
        return set(s -> s.queuesAlways = always);
    }

    /** How long the scope may take, from {@link #open} on; then all is cancelled. Default 30 seconds. */
    public ThreadScope withDeadline(Duration deadline) {
        return set(s -> s.deadline = Checks.positive("deadline", Objects.requireNonNull(deadline, "deadline")));
    }

    /** How long {@link #close} waits for tasks that do not end when they are interrupted. Default 30 seconds. */
    public ThreadScope withCloseGrace(Duration grace) {
        return set(s -> s.closeGrace = Checks.notNegative("closeGrace", Objects.requireNonNull(grace, "closeGrace")));
    }

    /** Told what happens to each task; if there is one already, after that. Default none. */
    public ThreadScope withHook(ThreadHook hook) {
        return set(s -> {
            Objects.requireNonNull(hook, "hook");
            s.hook = s.hook == null ? hook : s.hook.andThen(hook);
        });
    }

    /** Carries more than {@link Context} from submitters to tasks; if there is one already, after that. Default none. */
    public ThreadScope withContextCarrier(ContextCarrier carrier) {
        return set(s -> s.carrier = s.carrier.andThen(Objects.requireNonNull(carrier, "contextCarrier")));
    }

    /** Where {@link #submit(String, String, Callable)} finds its groups. It stays the caller's to close. Default none. */
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

    /** As set by {@link #withDeadline}; less if a scope around it had less time left when this one was opened. */
    public Duration deadline() {
        return state.totalTime();
    }

    private <R> R get(Function<ScopeSettings, R> field) {
        return state.read(() -> field.apply(settings));
    }

    // ---- tasks ---------------------------------------------------------------------------------------------------

    @Override
    public <T> Task<T> submit(
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
     * Hands in a task that runs under the limits of the group {@code groupKey} of {@link #withGroups}, in that group's line, and is this
     * scope's all the same: if it is cancelled while it waits it leaves the group's line. If the group does not let it in, it fails
     * with {@link io.github.kobe.RejectedTaskException}. Each of its attempts is a task to the group, and comes to the same there.
     *
     * @throws IllegalStateException if the scope has no groups, or is closed
     */
    public <T> Task<T> submit(String groupKey, String name, Callable<T> callable) {
        return submit(groupKey, name, callable, null, null, null);
    }

    /** As {@link #submit(String, String, Callable)}, with what {@link #submit(String, Callable, TaskPriority, RetryPolicy, Duration)} has. */
    public <T> Task<T> submit(
            String groupKey,
            String name,
            Callable<T> callable,
            @Nullable TaskPriority priority,
            @Nullable RetryPolicy retry,
            @Nullable Duration timeout) {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(callable, "callable");
        ScopeTasks tasks = state.tasks();
        GroupExecutor groups = settings.groups;
        if (groups == null) {
            throw new IllegalStateException(id() + " has no groups: say withGroups first");
        }
        ScopeSettings.TaskSettings taskSettings = settings.forTask(priority, retry, timeout);
        GroupRoute route = new GroupRoute(groups, groupKey);
        return state.submit(new ScopeTaskImpl<>(tasks, name, callable, taskSettings, tasks.capture(), route, null));
    }

    /**
     * Waits for tasks of this scope, and does what the failure policy has for those that fail, when they do, in whatever order they are
     * listed.
     *
     * @return how they ended
     * @throws RuntimeException under {@link FailurePolicy#FAIL_FAST}, what {@link Task#await} throws for the first that failed
     * @throws AggregateException under {@link FailurePolicy#COLLECT_ALL}, if any failed
     * @throws ScopeTimeoutException if the deadline passed and cancelled any of them
     * @throws CancelledException if the calling thread is interrupted; its flag is set again, and the tasks go on
     * @throws IllegalArgumentException if a task is another scope's
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
            throw new CancelledException("interrupted while it waited for tasks of " + id() + ", which go on", e);
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
    public <T> List<@Nullable T> awaitAll(Collection<? extends Task<? extends T>> tasks) {
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
    public final <T> List<@Nullable T> awaitAll(Task<? extends T> first, Task<? extends T>... rest) {
        return awaitAll(list(first, rest));
    }

    private static <E> List<E> list(E first, E[] rest) {
        Objects.requireNonNull(rest, "rest");
        List<E> all = new ArrayList<>(rest.length + 1);
        all.add(first);
        all.addAll(Arrays.asList(rest));
        return all;
    }

    /** Several ways to the same end; see {@link ScopeJoiner}. */
    public ScopeJoiner joiner() {
        return new ScopeJoiner(this);
    }

    /** As {@link #join(JoinStrategy, Collection)}. */
    @SafeVarargs
    @SuppressWarnings("varargs") // only read
    public final <T, R> R join(JoinStrategy<T, R> strategy, Callable<? extends T>... callables) {
        return join(strategy, Arrays.asList(Objects.requireNonNull(callables, "callables")));
    }

    /**
     * Has {@code callables} run as tasks of this scope, and waits for the result that {@code strategy} makes of them. Never waits for
     * places under the concurrency limit: what there is no room for is put in line.
     *
     * @throws AggregateException if too many failed; with all failures
     * @throws ScopeTimeoutException if the deadline passed
     * @throws CancelledException if they were cancelled; or if the calling thread is interrupted, whose flag is set again
     * @throws IllegalArgumentException if there are too few callables for the strategy
     */
    public <T, R> R join(JoinStrategy<T, R> strategy, Collection<? extends Callable<? extends T>> callables) {
        Objects.requireNonNull(strategy, "strategy");
        Objects.requireNonNull(callables, "callables");
        List<Callable<? extends T>> list = new ArrayList<>(callables);
        list.forEach(callable -> Objects.requireNonNull(callable, "callable"));
        strategy.check(list.size());
        try {
            return JoinOperation.of(state, strategy, list).run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancelledException("interrupted while it waited for " + strategy + " in " + id(), e);
        }
    }

    // ---- schedules -----------------------------------------------------------------------------------------------

    /**
     * Submits {@code callable} once, after {@code delay}, with the priority and retry policy that the scope has for tasks that have none.
     * The delay holds no thread.
     *
     * @throws IllegalArgumentException if {@code delay} is negative
     * @throws IllegalStateException if the scope is closed
     */
    public <T> ScheduledTask schedule(Duration delay, Callable<T> callable) {
        Objects.requireNonNull(callable, "callable");
        return state.schedule("delay", delay, callable, null);
    }

    /** As {@link #schedule(Duration, Callable)}. */
    public ScheduledTask schedule(Duration delay, Runnable runnable) {
        return state.schedule("delay", delay, asCallable(runnable), null);
    }

    /**
     * Submits {@code runnable} after {@code initial}, and then every {@code period}, counted from when the run before was due. Runs never
     * overlap: after one that took too long the next follows at once. One that fails, retries included, is the last.
     *
     * @throws IllegalArgumentException if {@code initial} is negative or {@code period} not positive
     * @throws IllegalStateException if the scope is closed
     */
    public ScheduledTask scheduleAtFixedRate(Duration initial, Duration period, Runnable runnable) {
        return state.schedule("initial", initial, asCallable(runnable), ScheduledTaskImpl.atFixedRate(period));
    }

    /** As {@link #scheduleAtFixedRate}, but {@code delay} after the end of the run before. */
    public ScheduledTask scheduleWithFixedDelay(Duration initial, Duration delay, Runnable runnable) {
        return state.schedule("initial", initial, asCallable(runnable), ScheduledTaskImpl.withFixedDelay(delay));
    }

    private static Callable<?> asCallable(Runnable runnable) {
        return Executors.callable(Objects.requireNonNull(runnable, "runnable"));
    }

    // ---- what it is at -------------------------------------------------------------------------------------------

    /** Whether it is cancelled, and a way to do that. */
    public CancellationToken token() {
        return state;
    }

    /** What its tasks have come to so far; each run of a schedule counts as one. */
    public ScopeMetricsSnapshot metrics() {
        ScopeTasks tasks = state.tasksOrNull();
        return tasks == null ? new ScopeMetricsSnapshot(0, 0, 0, 0, Duration.ZERO, Duration.ZERO) : tasks.metrics();
    }

    /** Its name, such as "scope-7"; unique in this JVM. */
    public String id() {
        return state.id();
    }

    /** The scope, what it is at, those of its tasks that wait or run, and the scopes opened in it; many lines. */
    @Override
    public String toString() {
        return ScopeTreeFormatter.format(state);
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    /**
     * Has {@code cleanup} run when the scope is closed, after its tasks have ended; the last one first. If one throws, the others run all
     * the same.
     *
     * @throws IllegalStateException if the scope is closed
     */
    public void defer(Runnable cleanup) {
        state.closer().defer(Objects.requireNonNull(cleanup, "cleanup"));
    }

    /**
     * Cancels what has not ended, waits until it has, and runs the cleanups. When this returns, no task of the scope runs, and its hooks have
     * been told everything. May be called again, which does nothing. If the calling thread is interrupted it goes on all the same, and the
     * thread's flag is set again.
     *
     * @throws ScopeCloseException if tasks do not end within {@link #withCloseGrace}; it names them
     * @throws RuntimeException what the first failing cleanup threw, with what others threw suppressed in it; suppressed itself in a
     *     {@link ScopeCloseException}
     * @throws IllegalStateException if it is called by a task of the scope, which would wait for itself
     */
    @Override
    public void close() {
        state.closer().close();
    }
}
