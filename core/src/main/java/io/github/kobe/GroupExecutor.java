package io.github.kobe;

import io.github.kobe.internal.group.ExecutorName;
import io.github.kobe.internal.group.GroupEngine;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.SystemTimer;
import io.github.kobe.internal.util.TaskNames;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs the tasks of many groups. Each group has its own limits.
 *
 * <p>A task that starts gets a new virtual thread, which inherits no thread-locals. A task that cannot start yet is queued and needs no
 * thread. Within a group, tasks with a higher {@link TaskOptions#priority priority} start first; tasks with equal priority start in the
 * order of submission. Groups that compete for {@link GroupPolicy.Builder#globalMaxInFlight} take turns: a long queue in one group
 * delays another group by at most one task of each queued group. The number of running tasks never exceeds a limit. The only
 * exceptions are a rejected task that runs nevertheless, through {@link RejectionPolicy#CALLER_RUNS} or a {@link RejectionHandler}, and a wait
 * that ends early, see {@link TaskHandle#await()}.
 *
 * <p>Safe for use by several threads. Actions of a thread before it submits a task happen-before the task. Actions of the task
 * happen-before its completion is reported. Threads are daemons: an executor that was not closed does not keep the JVM alive.
 *
 * <pre>{@code
 * GroupPolicy policy = GroupPolicy.builder()
 *         .perGroupMaxConcurrency(Map.of("vip", 4))
 *         .defaultMaxConcurrencyPerGroup(1)
 *         .build();
 * try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
 *     TaskHandle<String> handle = executor.submit("vip", "hello", () -> "world");
 *     System.out.println(handle.get());
 * }
 * }</pre>
 */
public final class GroupExecutor implements GroupControl, AutoCloseable {

    private static final int DEFAULT_WINDOW = 256;

    private final GroupEngine engine;

    GroupExecutor(GroupEngine engine) {
        this.engine = engine;
    }

    /** Returns an executor that runs each task on a new virtual thread. */
    public static GroupExecutor newVirtualThreadExecutor(GroupPolicy policy) {
        Objects.requireNonNull(policy, "policy");
        ExecutorName name = ExecutorName.of("group executor", "groups", policy.name());
        TaskRunner threads = TaskRunner.freshVirtualThreads(name.threadPrefix());
        return new GroupExecutor(new GroupEngine(name, policy, threads, SystemTimer.shared()));
    }

    /**
     * Returns the {@link GroupPolicy.Builder#name name} of this executor, for metrics and messages. If the policy has none, "groups-" and a number
     * that no other executor of this JVM without a name has.
     */
    public String name() {
        return engine.name();
    }

    // ---- tasks ---------------------------------------------------------------------------------------------------

    /**
     * Submits a task. If its group and the global limit have a free permit, the task starts at once. Otherwise it is queued. If the queue
     * is full, the task is rejected, and the policy decides what that means.
     *
     * <p>This method does not block, with two exceptions. Under {@link RejectionPolicy#BLOCK} it waits for space in the queue. And it runs
     * user code of the policy on the calling thread: a resolver, a listener's {@code onSubmitted}, and the task itself under
     * {@link RejectionPolicy#CALLER_RUNS}.
     *
     * <p>A task may wait for other tasks of this executor by the methods of this library: while it is blocked, it lends its permits to the
     * task that it waits for, see {@link TaskHandle#await()}.
     *
     * @param groupKey the group whose limits apply
     * @param taskId a name for the task; it need not be unique
     * @param task the code to run; if it throws, {@link Error}s included, the exception is in the result
     * @throws RejectedTaskException if the task is rejected and the policy is {@link RejectionPolicy#THROW}
     * @throws ExecutorShutdownException after a shutdown, and if a shutdown happens while the submitter is blocked
     */
    public <T extends @Nullable Object> TaskHandle<T> submit(String groupKey, String taskId, Callable<T> task) {
        return engine.submit(groupKey, taskId, task);
    }

    /** As {@link #submit(String, String, Callable)}, for a task that returns nothing. Its value is {@code null}. */
    public TaskHandle<?> submit(String groupKey, String taskId, Runnable task) {
        return engine.submit(groupKey, taskId, task);
    }

    /**
     * Submits a task with a priority, time limits, retries, callbacks or a tag. If {@link RejectionPolicy#CALLER_RUNS} runs the task on the
     * calling thread, there is one attempt and no interrupt at the timeout. Otherwise as {@link #submit(String, String, Callable)}.
     *
     * @throws ExecutorShutdownException after a shutdown
     */
    public <T extends @Nullable Object> TaskHandle<T> submit(
            String groupKey, String taskId, Callable<T> task, TaskOptions options) {
        return engine.submit(groupKey, taskId, task, options);
    }

    /** As {@link #submit(String, String, Callable, TaskOptions)}, for a task that returns nothing. Its value is {@code null}. */
    public TaskHandle<?> submit(String groupKey, String taskId, Runnable task, TaskOptions options) {
        return engine.submit(groupKey, taskId, task, options);
    }

    /** As {@link #submit(String, String, Callable, TaskOptions)}, for a task that uses its {@link TaskContext}. */
    public <T extends @Nullable Object> TaskHandle<T> submit(
            String groupKey, String taskId, TaskFunction<T> task, TaskOptions options) {
        return engine.submit(groupKey, taskId, task, options);
    }

    /**
     * As {@link #submit(String, String, Callable)}, without a name for the task. Its {@link TaskHandle#taskId task id} is the name of its
     * class, or, for a lambda, "lambda in " and the class that contains it.
     */
    public <T extends @Nullable Object> TaskHandle<T> submit(String groupKey, Callable<T> task) {
        return engine.submit(groupKey, TaskNames.nameOf(task), task);
    }

    /** As {@link #submit(String, Callable)}, for a task that returns nothing. Its value is {@code null}. */
    public TaskHandle<?> submit(String groupKey, Runnable task) {
        return engine.submit(groupKey, TaskNames.nameOf(task), task);
    }

    /** As {@link #submit(String, String, Callable, TaskOptions)}, named as by {@link #submit(String, Callable)}. */
    public <T extends @Nullable Object> TaskHandle<T> submit(String groupKey, Callable<T> task, TaskOptions options) {
        return engine.submit(groupKey, TaskNames.nameOf(task), task, options);
    }

    /** As {@link #submit(String, String, Runnable, TaskOptions)}, named as by {@link #submit(String, Callable)}. */
    public TaskHandle<?> submit(String groupKey, Runnable task, TaskOptions options) {
        return engine.submit(groupKey, TaskNames.nameOf(task), task, options);
    }

    /** As {@link #submit(String, String, TaskFunction, TaskOptions)}, named as by {@link #submit(String, Callable)}. */
    public <T extends @Nullable Object> TaskHandle<T> submit(
            String groupKey, TaskFunction<T> task, TaskOptions options) {
        return engine.submit(groupKey, TaskNames.nameOf(task), task, options);
    }

    /**
     * Submits all tasks and waits until all have completed, also if some fail. If the calling thread is interrupted while it waits, the
     * tasks that it has not seen complete are cancelled and have the status {@link TaskStatus#CANCELLED}, and the interrupt flag is set
     * again.
     *
     * @return the results, in the order of {@code tasks}
     * @throws ExecutorShutdownException after a shutdown. If the shutdown happens during this call, the tasks submitted so far are cancelled
     */
    public <T extends @Nullable Object> List<GroupResult<T>> executeAll(List<GroupTask<T>> tasks) {
        return engine.executeAll(tasks);
    }

    /**
     * Returns the results of tasks in the order of completion, including results of failed, cancelled and rejected tasks. The thread that
     * consumes the stream takes the tasks from {@code tasks} and submits them when it needs results. At most {@code window} tasks are
     * submitted whose results were not delivered. The stream ends after the result of the last task.
     *
     * <p>If you do not consume the whole stream, close it. A close cancels the tasks whose results were not delivered, and closes
     * {@code tasks}. The tasks are also cancelled if consuming throws, and if the consuming thread is interrupted while it waits for a
     * result. In the latter case the stream throws {@link java.util.concurrent.CancellationException}, and the interrupt flag is set again.
     *
     * <pre>{@code
     * Stream<GroupTask<String>> pings = hosts.stream().map(host -> new GroupTask<>("ping", host, () -> ping(host)));
     * try (Stream<GroupResult<String>> answers = executor.completions(pings, 10)) {
     *     answers.filter(GroupResult::isSuccess).limit(3).forEach(answer -> System.out.println(answer.value()));
     * }
     * }</pre>
     *
     * @param tasks the source of the tasks; may be infinite
     * @param window the maximum number of submitted tasks, at least 1; completed tasks count until their results are consumed
     * @return a sequential stream; {@code parallel} does not make it faster
     * @throws IllegalArgumentException if {@code window} is less than 1
     * @throws ExecutorShutdownException after a shutdown. If the shutdown happens later, the stream throws it at the next submit, and the
     *     outstanding tasks are cancelled
     */
    public <T extends @Nullable Object> Stream<GroupResult<T>> completions(Stream<GroupTask<T>> tasks, int window) {
        return engine.completions(tasks, window);
    }

    /**
     * As {@link #completions(Stream, int)}, with at most {@code windowPerGroup} submitted tasks of each group whose results were not delivered.
     * If the next task belongs to a group that has no room, it is held back, and later tasks of other groups are submitted. So groups
     * that hang do not delay the others, as long as {@code window} is larger than {@code windowPerGroup} times the number of groups
     * that hang at the same time. The tasks of one group are submitted in the order of {@code tasks}.
     *
     * <p>At most 10,000 tasks are held back. Then no more tasks are taken from {@code tasks} until one of those is submitted. Give tasks that
     * may hang a {@link TaskOptions.Builder#timeout}.
     *
     * <p>Under {@link RejectionPolicy#BLOCK}, choose a {@code windowPerGroup} that the limit and the queue of a group have room for. Otherwise
     * the submission of one task blocks the consuming thread.
     *
     * <pre>{@code
     * Stream<GroupTask<String>> fetches = pages.stream().map(page -> new GroupTask<>(hostOf(page), page, () -> load(page)));
     * try (Stream<GroupResult<String>> results = executor.completions(fetches, 1_000, 4)) {
     *     results.forEach(result -> System.out.println(result.taskId() + " " + result.status()));
     * }
     * }</pre>
     *
     * @param windowPerGroup the maximum number of submitted tasks of one group, at least 1; completed tasks count until their results are
     *     consumed
     * @throws IllegalArgumentException if {@code window} or {@code windowPerGroup} is less than 1
     * @throws ExecutorShutdownException as {@link #completions(Stream, int)} does
     */
    public <T extends @Nullable Object> Stream<GroupResult<T>> completions(
            Stream<GroupTask<T>> tasks, int window, int windowPerGroup) {
        return engine.completions(tasks, window, windowPerGroup);
    }

    /**
     * Submits all tasks, and waits while too many of them have not completed. This is for a producer that would otherwise call {@link #submit}
     * in a loop: under {@link RejectionPolicy#BLOCK} such a loop waits for one full group while all others are idle. Here a task
     * whose group has no room is held back, and later tasks of other groups are submitted, as in
     * {@link #completions(Stream, int, int)}, where the bounds are explained.
     *
     * <p>Returns when all tasks are submitted; the last ones may not have completed. {@code tasks} may be infinite: then this method returns only
     * by an exception. It closes {@code tasks} in any case. If it throws, the submitted tasks continue, and tasks that were held back are
     * not submitted. Rejected tasks are submitted tasks, also under {@link RejectionPolicy#THROW}: their handles say so.
     *
     * <pre>{@code
     * long number = executor.feed(mails, 10_000, 100, handle -> handle.toCompletableFuture().thenAccept(result -> log(result)));
     * }</pre>
     *
     * @param tasks the source of the tasks
     * @param window the maximum number of tasks that are submitted and have not completed, at least 1
     * @param windowPerGroup the same for each group, at least 1
     * @param onSubmitted is given the handle of each task, on the calling thread, after it is submitted; what it throws ends this method
     * @return the number of tasks
     * @throws IllegalArgumentException if {@code window} or {@code windowPerGroup} is less than 1
     * @throws ExecutorShutdownException after a shutdown, and at the next submission if the shutdown happens during this call
     * @throws InterruptedException if the thread is interrupted; the message has the numbers of submitted tasks and of tasks held back
     */
    public <T extends @Nullable Object> long feed(
            Stream<GroupTask<T>> tasks, int window, int windowPerGroup, Consumer<? super TaskHandle<T>> onSubmitted)
            throws InterruptedException {
        return engine.feed(tasks, window, windowPerGroup, onSubmitted);
    }

    /** As {@link #completions(Stream, int)}, with a window of 256. The list is copied. */
    public <T extends @Nullable Object> Stream<GroupResult<T>> completions(List<GroupTask<T>> tasks) {
        return engine.completions(tasks, DEFAULT_WINDOW);
    }

    // ---- permits -------------------------------------------------------------------------------------------------

    /**
     * Waits for a permit of the group, under which the calling thread does its own work. The request is queued with the tasks of the group,
     * under the same limits and weights, and is counted in the same statistics. Until the permit is closed, it counts as a running task.
     * Listeners are called only if {@link PermitOptions#announce} says so. A shutdown ends the wait, but does not affect a thread that has
     * its permit.
     *
     * <p>Reentrant: if the calling thread holds a permit of the group, because it runs a task of the group or has acquired it, both share that
     * permit, and this method does not wait. The permit is released when the last of them is closed or has completed. If the thread holds a
     * permit of another group, it needs no second permit of the global limit. If the permit is for an operation that continues on another thread,
     * {@link Permit#detach} it, so that the next call of this thread takes a permit of its own.
     *
     * <pre>{@code
     * try (Permit permit = executor.acquire("tenant")) {
     *     handle(request);
     * }
     * }</pre>
     *
     * @throws RejectedTaskException if the queue is full and the policy is neither {@link RejectionPolicy#BLOCK} nor
     *     {@link RejectionPolicy#DISCARD_OLDEST}; and if the group is shut down during the wait
     * @throws ExecutorShutdownException after a shutdown, and if a shutdown happens during the wait
     * @throws InterruptedException if the thread is interrupted before it has the permit
     */
    public Permit acquire(String groupKey) throws InterruptedException {
        return engine.acquire(groupKey, PermitOptions.defaults());
    }

    /**
     * As {@link #acquire(String)}, with options. A request whose {@link PermitOptions#maxWait} is over is counted as rejected.
     *
     * @throws RejectedTaskException also if there was no permit within the maximum wait, with {@link RejectionReason#EXPIRED}
     * @throws InterruptedException if the thread is interrupted before it has the permit
     */
    public Permit acquire(String groupKey, PermitOptions options) throws InterruptedException {
        return engine.acquire(groupKey, options);
    }

    /**
     * As {@link #acquire(String)}, but waits at most for {@code timeout}, and returns a rejection instead of throwing it. If {@code timeout}
     * is zero, this method takes a permit only if one is free now, and displaces no queued task. A request whose time is over is counted as
     * rejected, with {@link RejectionReason#EXPIRED}.
     *
     * @return the permit, or why there is none: the time was over, the queue is full, or the group was shut down during the wait. Close it,
     *     or close its permit
     * @throws IllegalArgumentException if {@code timeout} is negative
     * @throws ExecutorShutdownException after a shutdown, and if a shutdown happens during the wait
     * @throws InterruptedException if the thread is interrupted before it has the permit
     */
    public PermitResult tryAcquire(String groupKey, Duration timeout) throws InterruptedException {
        return engine.tryAcquire(groupKey, timeout);
    }

    /**
     * As {@link #tryAcquire(String, Duration)}, with options. If they have no {@link PermitOptions#maxWait}, this method does not wait.
     *
     * @return the permit, or why there is none
     * @throws ExecutorShutdownException after a shutdown, and if a shutdown happens during the wait
     * @throws InterruptedException if the thread is interrupted before it has the permit
     */
    public PermitResult tryAcquire(String groupKey, PermitOptions options) throws InterruptedException {
        return engine.tryAcquire(groupKey, options);
    }

    /**
     * Requests a permit as {@link #acquire(String)} does, without a thread that waits. If a permit is free, the future is complete when this
     * method returns. Otherwise it completes when the permit is granted, and its dependent stages run on a new virtual thread, not on the
     * thread that released the permit. Close the permit when the work is done; any thread may do so. The permit belongs to no thread: a request
     * of the calling thread shares it neither with this one nor with a permit that the thread holds.
     *
     * <p>Cancelling the future withdraws the request, and so does everything else that completes the future before the permit, such as
     * {@link CompletableFuture#orTimeout}. A permit that is granted at that moment is released again. So either the future has the permit,
     * or none is held. Cancelling a dependent stage does not have this effect.
     *
     * <p>This method never blocks. If the queue is full, the request is rejected, also under {@link RejectionPolicy#BLOCK} and
     * {@link RejectionPolicy#CALLER_RUNS}. Under {@link RejectionPolicy#DISCARD_OLDEST} it displaces a queued task. A rejected request
     * completes the future with a {@link RejectedTaskException}, and so does one that {@link #shutdownGroup} stops. A shutdown of the
     * executor completes the future with an {@link ExecutorShutdownException}.
     *
     * <pre>{@code
     * executor.acquireAsync("tenant")
     *         .thenCompose(permit -> send(request).whenComplete((answer, fault) -> permit.close()))
     *         .thenAccept(answer -> System.out.println(answer));
     * }</pre>
     *
     * @throws ExecutorShutdownException after a shutdown
     */
    public CompletableFuture<Permit> acquireAsync(String groupKey) {
        return engine.acquireAsync(groupKey, PermitOptions.defaults());
    }

    /**
     * As {@link #acquireAsync(String)}, with options. If there is no permit within the {@link PermitOptions#maxWait}, the future completes
     * with a {@link RejectedTaskException} with {@link RejectionReason#EXPIRED}.
     *
     * @throws ExecutorShutdownException after a shutdown
     */
    public CompletableFuture<Permit> acquireAsync(String groupKey, PermitOptions options) {
        return engine.acquireAsync(groupKey, options);
    }

    /**
     * Runs {@code task} on the calling thread with a permit of the group, for which it waits as {@link #acquire(String)} does. If the queue
     * is full and the policy is {@link RejectionPolicy#CALLER_RUNS}, the task runs without a permit.
     *
     * @return what the task returned
     * @throws Exception what the task threw
     * @throws RejectedTaskException as {@link #acquire(String)} does
     * @throws ExecutorShutdownException as {@link #acquire(String)} does
     * @throws InterruptedException if the thread is interrupted before it has the permit
     */
    public <T extends @Nullable Object> T call(String groupKey, Callable<T> task) throws Exception {
        return engine.call(groupKey, task, PermitOptions.defaults());
    }

    /**
     * As {@link #call(String, Callable)}, with options. They apply to the wait for the permit, not to the task: when the
     * {@link PermitOptions#maxWait} is over, the task does not run.
     *
     * @return what the task returned
     * @throws Exception what the task threw
     * @throws RejectedTaskException as {@link #acquire(String, PermitOptions)} does
     * @throws InterruptedException if the thread is interrupted before it has the permit
     */
    public <T extends @Nullable Object> T call(String groupKey, Callable<T> task, PermitOptions options)
            throws Exception {
        return engine.call(groupKey, task, options);
    }

    /**
     * As {@link #call(String, Callable)}, for a task without a result. What the task throws is rethrown.
     *
     * @throws RejectedTaskException as {@link #acquire(String)} does
     * @throws InterruptedException if the thread is interrupted before it has the permit
     */
    public void call(String groupKey, Runnable task) throws InterruptedException {
        engine.call(groupKey, task, PermitOptions.defaults());
    }

    /**
     * As {@link #call(String, Callable, PermitOptions)}, for a task without a result. What the task throws is rethrown.
     *
     * @throws RejectedTaskException as {@link #acquire(String, PermitOptions)} does
     * @throws InterruptedException if the thread is interrupted before it has the permit
     */
    public void call(String groupKey, Runnable task, PermitOptions options) throws InterruptedException {
        engine.call(groupKey, task, options);
    }

    /**
     * Returns whether the calling thread holds a permit of the group: it runs a task of the group, or has acquired a permit that is not closed.
     * A task that runs without a permit, after it was rejected, does not hold one.
     */
    public boolean holds(String groupKey) {
        return engine.holds(groupKey);
    }

    // ---- the view as an executor service -------------------------------------------------------------------------

    /**
     * Returns a view of the group as an executor service. Its tasks are tasks of the group: the same limits apply, and they wait in the
     * same queue. Exceptions and listeners have "execute" as their task id. Each call returns a new view with a shutdown of its own, which
     * does not affect tasks that were submitted in another way. A shutdown of this executor also shuts down its views.
     *
     * <p>The policy decides about rejected tasks. Under {@link RejectionPolicy#ABORT} and {@link RejectionPolicy#THROW}, under {@link RejectionPolicy#BLOCK} when the time is
     * over, and after a shutdown, the method that the task was given to throws {@link RejectedTaskException}. Under
     * {@link RejectionPolicy#CALLER_RUNS} the task runs on the calling thread. A task that is discarded, or that a {@link RejectionHandler}
     * does not run, never runs. If a task will never run, its future is cancelled. Tasks that {@code shutdownNow} returns are the
     * exception: the caller decides about their futures. The view cannot cancel a {@link java.util.concurrent.CompletableFuture} whose task
     * it was given. If tasks may be discarded or groups shut down, give such a future a timeout.
     *
     * <p>The view limits the tasks that it is given, and nothing else. The JDK's {@code HttpClient} gives its executor only its own callbacks, so
     * the view does not limit the requests of such a client. Send the request in a task of the group, or take a permit by
     * {@link #acquireAsync(String)} and close it when the response has arrived.
     *
     * <p>A future completes after the permit of its task is released. If a task has no future, what it throws goes to the uncaught exception
     * handler of its thread. {@code shutdownNow} does not interrupt a task that runs on a caller's thread or in a rejection handler.
     */
    public ExecutorService asExecutorService(String groupKey) {
        return engine.asExecutorService(groupKey);
    }

    // ---- live settings -------------------------------------------------------------------------------------------

    @Override
    public void setMaxConcurrency(String groupKey, int n) {
        engine.setMaxConcurrency(groupKey, n);
    }

    @Override
    public void setMaxInFlight(String groupKey, int n) {
        engine.setMaxInFlight(groupKey, n);
    }

    @Override
    public void setQueueThreshold(String groupKey, int n) {
        engine.setQueueThreshold(groupKey, n);
    }

    @Override
    public void setWeight(String groupKey, int n) {
        engine.setWeight(groupKey, n);
    }

    @Override
    public void setDefaultMaxConcurrency(int n) {
        engine.setDefaultMaxConcurrency(n);
    }

    @Override
    public int defaultMaxConcurrency() {
        return engine.defaultMaxConcurrency();
    }

    @Override
    public void setDefaultQueueThreshold(int n) {
        engine.setDefaultQueueThreshold(n);
    }

    @Override
    public int defaultQueueThreshold() {
        return engine.defaultQueueThreshold();
    }

    @Override
    public void setGlobalQueueThreshold(int n) {
        engine.setGlobalQueueThreshold(n);
    }

    @Override
    public int globalQueueThreshold() {
        return engine.globalQueueThreshold();
    }

    @Override
    public void setGlobalMaxInFlight(int n) {
        engine.setGlobalMaxInFlight(n);
    }

    @Override
    public void pauseGroup(String groupKey) {
        engine.setPaused(groupKey, true);
    }

    @Override
    public void resumeGroup(String groupKey) {
        engine.setPaused(groupKey, false);
    }

    @Override
    public void resetGroup(String groupKey) {
        engine.resetGroup(groupKey);
    }

    @Override
    public void setSharedLimit(String name, String value, int max) {
        engine.setSharedLimit(name, value, max);
    }

    @Override
    public void pauseSharedLimit(String name, String value) {
        engine.setSharedLimitPaused(name, value, true);
    }

    @Override
    public void resumeSharedLimit(String name, String value) {
        engine.setSharedLimitPaused(name, value, false);
    }

    @Override
    public void resetSharedLimit(String name, String value) {
        engine.resetSharedLimit(name, value);
    }

    @Override
    public void refreshSharedLimit(String name) {
        engine.refreshSharedLimit(name);
    }

    @Override
    public Map<String, LiveSettings> liveSettings() {
        return engine.liveSettings();
    }

    @Override
    public List<LiveSharedLimit> liveSharedLimits() {
        return engine.liveSharedLimits();
    }

    // ---- shutdown ------------------------------------------------------------------------------------------------

    /**
     * Stops the tasks of one group. Queued tasks are cancelled, running tasks are interrupted, and all their handles complete; a listener
     * may delay that. The group accepts new tasks, and its limits are resolved again. A task that ignores the interrupt keeps its permit
     * until it returns. Other groups are not affected. If the group is not known, this method does nothing.
     */
    public void shutdownGroup(String groupKey) {
        engine.shutdownGroup(groupKey);
    }

    /**
     * Forgets the group's limits, so that the next submit resolves them again. Until then the old limits apply to queued tasks. Running and
     * queued tasks continue and still count: a lower limit is reached as they complete. If the group is not known, this method does nothing.
     * A submit whose resolver is being called keeps its answer; submits after that resolve again.
     */
    public void evictGroup(String groupKey) {
        engine.evictGroup(groupKey);
    }

    /**
     * Stops now, unlike {@link java.util.concurrent.ExecutorService#shutdown()}. No more tasks are accepted, queued tasks are cancelled, and
     * running tasks are interrupted. Blocked submitters and threads that wait for a permit get an {@link ExecutorShutdownException}. When
     * this method returns, every handle is completed, and no thread waits in this executor any more. For that it waits for listeners and for threads that are about to
     * begin, complete or leave, up to three seconds. It does not wait for tasks that ignore the interrupt. A second call has no effect.
     */
    public void shutdown() {
        engine.shutdown();
    }

    /**
     * Accepts no more tasks, and waits until the running and queued tasks have completed. When {@code timeout} is over, or when the calling
     * thread is interrupted, the remaining tasks are stopped as by {@link #shutdown()}. When this method returns, every handle is completed.
     * After an interrupt, the flag is set again.
     *
     * @return whether all tasks completed; after a {@link #shutdown()}, whether no task is on a thread
     * @throws IllegalArgumentException if {@code timeout} is negative
     */
    public boolean shutdown(Duration timeout) {
        return engine.shutdown(timeout);
    }

    /**
     * Accepts no more tasks, lets finish what {@code mode} says, and stops the rest when {@code timeout} is over or when the calling thread is
     * interrupted. After an interrupt, the flag is set again. When this method returns, every handle is completed, as with
     * {@link #shutdown()}, and no thread is blocked in a submit or waits for a permit. A permit that a thread holds counts as
     * running; nothing interrupts its thread. Tasks of views and running rejection handlers are included, tasks that run on
     * their submitter under {@link RejectionPolicy#CALLER_RUNS} are not.
     *
     * <p>May be called again, by any thread, in any mode. Under {@link ShutdownMode#FINISH_RUNNING} and {@link ShutdownMode#STOP} a call also
     * cuts short another call that still waits in {@link ShutdownMode#DRAIN}. Dropped tasks are listed
     * once, in the report of the first call that drops any.
     *
     * @param timeout how long to wait at most; not negative
     * @throws IllegalArgumentException if {@code timeout} is negative
     */
    public ShutdownReport shutdown(Duration timeout, ShutdownMode mode) {
        return engine.shutdown(timeout, mode);
    }

    /**
     * Stops now, as {@link #shutdown()} does; unless the policy has a {@link GroupPolicy.Builder#closeTimeout}. Then queued tasks are
     * cancelled and running tasks may finish, as with {@code shutdown(closeTimeout, ShutdownMode.FINISH_RUNNING)}.
     */
    @Override
    public void close() {
        engine.close();
    }

    /**
     * Adds a listener. It hears of each event from now on, also of tasks that were submitted before; see {@link TaskLifecycleListener}. Listeners are
     * called in the order in which they were added, that of the policy first. If one throws or does not return, the others are called all the
     * same.
     *
     * @return removes the listener when it is closed; a call that another thread is about to make may still begin
     */
    public Registration addListener(TaskLifecycleListener listener) {
        return engine.addListener(listener);
    }

    // ---- context -------------------------------------------------------------------------------------------------

    /**
     * Returns the {@link GroupPolicy.Builder#contextCarrier} of its policy; {@code null} if there is none. A
     * {@link io.github.kobe.scope.ThreadScope} with groups captures this context too.
     */
    public @Nullable ContextCarrier contextCarrier() {
        return engine.carrier();
    }

    // ---- statistics ----------------------------------------------------------------------------------------------

    /**
     * Returns a snapshot of the group; empty if the group is not known. Never blocks, never throws for a key. Takes time in proportion to the
     * running tasks of the group; if its tasks have more than 64 different priorities, also in proportion to its queued tasks.
     *
     * <p>After a shutdown, for a final report, it returns the statistics of the groups that were known when the shutdown began, as long as the executor
     * is referenced. They take no more memory than the groups did. A task that ignores the interrupt counts as active until it returns.
     */
    public Optional<GroupStats> groupStats(String groupKey) {
        return engine.groupStats(groupKey);
    }

    /**
     * Returns a snapshot of each value of each {@link SharedLimit} that a group belongs to now, in no particular order. They are read one after the other, while
     * tasks start and complete. None after a shutdown. If some group may wait for a shared limit, it takes time in proportion to the number of groups too; the same
     * holds for the methods that return one value, or those of one group.
     */
    public List<SharedLimitStats> sharedLimits() {
        return engine.sharedLimits();
    }

    /** Returns the names of the {@linkplain GroupPolicy#sharedLimits shared limits of its policy}, in their order. */
    public List<String> sharedLimitNames() {
        return engine.sharedLimitNames();
    }

    /** Returns a snapshot of one value of a {@link SharedLimit}; empty if no group belongs to it now. */
    public Optional<SharedLimitStats> sharedLimitStats(String name, String value) {
        return engine.sharedLimitStats(name, value);
    }

    /** Returns a snapshot of each {@link SharedLimit} that the group belongs to, in the order of the policy. Empty if the group is not known. */
    public List<SharedLimitStats> sharedLimits(String groupKey) {
        return engine.sharedLimits(groupKey);
    }

    /**
     * Returns the keys of the groups that wait for one value of a {@link SharedLimit} now, see {@link SharedLimitStats#waitingGroupCount}. A snapshot. Takes time in
     * proportion to the number of groups that the executor knows.
     */
    public Set<String> groupsWaitingFor(String name, String value) {
        return engine.groupsWaitingFor(name, value);
    }

    /**
     * Returns a snapshot of the executor, with the counts since it was made. After a shutdown, all current numbers are zero, except for the
     * limit; counts and times stay. Never blocks, never throws. Reads every group that is known, so it takes time in proportion to their number: for each request,
     * {@link #groupStats} is cheaper. If tasks of a group have more than 64 different priorities, it also reads those that are queued.
     */
    public GroupExecutorStats stats() {
        return engine.stats();
    }

    /**
     * As {@link #stats()}, and calls {@code eachGroup} on the calling thread with the load of every group that it reads, in no particular order. The
     * numbers of the loads add up to those of the snapshot. Hardly slower than {@link #stats()}, so it suits a display that ranks all groups each
     * second, and then reads the {@link #groupStats} of those that it shows. After a shutdown no group is passed. What {@code eachGroup} throws ends
     * the call.
     */
    public GroupExecutorStats stats(Consumer<? super GroupLoad> eachGroup) {
        return engine.stats(eachGroup);
    }

    /**
     * Returns the keys of the groups that are known now: groups with running or queued tasks, and groups that had some within
     * {@link GroupPolicy.Builder#idleGroupTtl}. A snapshot; empty after a shutdown. Never blocks, never throws.
     * Takes time in proportion to the number of these groups.
     */
    public Set<String> activeGroupKeys() {
        return engine.activeGroupKeys();
    }

    /**
     * Returns a snapshot of each group that {@link #groupStats} has one of, also after a shutdown. Each snapshot is taken when the stream asks for it,
     * and only it is allocated. A group that becomes known or retires while the stream is read may be in it or not; every other group is in it once.
     * Never blocks, never throws. Reading the stream takes time in proportion to the number of groups and of running tasks.
     */
    public Stream<GroupStats> groups() {
        return engine.groups();
    }

    /**
     * Has {@code consumer} called with the final statistics of each group that retires from now on, so that counts outlast the group. A group retires
     * after {@link GroupPolicy.Builder#idleGroupTtl}, by {@link #evictGroup} or {@link #shutdownGroup} if it is idle then, to make room under
     * {@link GroupPolicy.Builder#maxGroups}, and by a shutdown. Tasks pay nothing for it.
     *
     * <p>The consumer is called once for each retired group, when the outcome of every task of the group is counted: if a rejected task of it still runs on
     * its submitter's thread or in a rejection handler, when that has returned. There is one exception. A task that is being rejected at the moment at
     * which the group retires is counted after that; then another call, without times, has what the first one did not count. So the counts of all
     * calls and those of {@link #groups()} add up to those of {@link #stats()}; except for calls that are still to come, and for tasks that were
     * rejected without a group, with {@link RejectionReason#TOO_MANY_GROUPS} for example.
     *
     * <p>Consumers are called one after the other on a thread that runs no task, for one group at a time. What they throw is reported and counted, see
     * {@link #callbackFaults()}. A shutdown calls them before it returns; it waits for them up to three seconds. If a consumer is so slow that more
     * than 100,000 groups wait for it, further ones are dropped, which is reported.
     *
     * @return closes the registration; a call that is in progress then continues
     */
    public Registration onGroupRetired(Consumer<? super GroupStats> consumer) {
        return engine.onGroupRetired(consumer);
    }

    /**
     * Returns the tasks of the group whose code is on a thread now, the one that has been running for longest first; empty if the group is not
     * known. A snapshot: a task may start or complete meanwhile. A task that awaits a retry is not on a thread. A task that has completed by its
     * timeout or a cancellation is in the list until its code returns. So after a shutdown the list has the tasks that ignore the interrupt.
     *
     * <p>{@link GroupStats#activeCount()} may be higher: it also counts permits that calling threads hold through {@link #acquire(String)} or
     * {@link #call(String, Callable)}, which are not in the list, and tasks whose threads are about to begin. Rejected tasks that run without a
     * permit are in neither.
     */
    public List<RunningTask> runningTasks(String groupKey) {
        return engine.runningTasks(groupKey);
    }

    /**
     * Returns how often user code other than tasks has failed: a listener, resolver, hook, rejection handler, retry policy or context carrier that
     * threw, returned what it must not return, or did not return in time. Each is logged through {@link System.Logger} too, at a limited
     * rate. Failures of tasks are not counted here. Never falls.
     */
    public long callbackFaults() {
        return engine.callbackFaults();
    }

    @Override
    public String toString() {
        return "GroupExecutor '" + name() + "'[" + engine + "]";
    }
}
