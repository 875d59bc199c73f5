package io.github.kobe;

import io.github.kobe.LiveOverrides.Setting;
import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.kernel.Backstage;
import io.github.kobe.internal.kernel.CallbackMonitor;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.SystemTimer;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.Durations;
import io.github.kobe.internal.util.Faults;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks of many groups at once, each group under limits of its own.
 *
 * <p>A task that may start does so on a fresh virtual thread, which inherits no thread-locals. One that may not waits in line
 * and costs no thread. Within a group tasks of larger {@link TaskOptions#priority priorities} start first, equal ones in the order of
 * submission; groups that compete for {@link GroupPolicy.Builder#globalMaxInFlight} take turns, so that a long backlog in one of them
 * delays another by at most one task of each group in line. At no instant do more tasks run than the limits allow; only what was
 * rejected and is run all the same, by {@link RejectionPolicy#CALLER_RUNS} or a {@link RejectionHandler}, is outside them.
 *
 * <p>Safe for use by many threads. What a thread did before it submitted a task happens before the task; the task happens
 * before anyone is told of its end. Threads are daemons: an executor that is not closed does not keep the JVM alive for its tasks.
 *
 * <pre>{@code
 * GroupPolicy policy = GroupPolicy.builder()
 *         .perGroupMaxConcurrency(Map.of("vip", 4))
 *         .defaultMaxConcurrencyPerGroup(1)
 *         .build();
 * try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
 *     TaskHandle<String> handle = executor.submit("vip", "hello", () -> "world");
 *     System.out.println(handle.await().value());
 * }
 * }</pre>
 */
public final class GroupExecutor implements GroupControl, AutoCloseable {

    /** Enough to keep the limits of most groups busy. */
    private static final int WINDOW = 256;

    static {
        Backstage.enter(new GroupBackstage());
    }

    final Dispatcher dispatcher;
    private final AdmissionControl entrance;
    private final PermitAcquirer permits;
    private final StatsReader census;
    private final LiveOverrides live = new LiveOverrides();
    private final @Nullable ListenerNotifier announcer;
    private final Faults faults = new Faults();

    GroupExecutor(GroupPolicy policy, @Nullable ReadyQueue ready, TaskRunner runner, Timer timer) {
        dispatcher = DispatcherFactory.of(policy, live, ready, runner, timer);
        TaskLifecycleListener listener = policy.taskLifecycleListener();
        announcer = listener == null
                ? null
                : new ListenerNotifier(listener, new CallbackMonitor(timer, dispatcher::spawn, faults));
        census = new StatsReader(dispatcher);
        entrance = new AdmissionControl(dispatcher, census, policy, announcer, faults);
        permits = new PermitAcquirer(entrance);
    }

    /** An executor that runs each task on a fresh virtual thread. */
    public static GroupExecutor newVirtualThreadExecutor(GroupPolicy policy) {
        Objects.requireNonNull(policy, "policy");
        return new GroupExecutor(policy, null, TaskRunner.freshVirtualThreads(), SystemTimer.shared());
    }

    /**
     * Hands in a task. It starts at once if its group and the global limit have room, else it waits, else it is rejected;
     * what a rejection means is up to the policy. Does not block, but to wait for room under {@link RejectionPolicy#BLOCK}, and for what
     * the policy has run right here: a resolver, a listener's {@code onSubmitted}, the task itself under
     * {@link RejectionPolicy#CALLER_RUNS}.
     *
     * <p>A task that waits for another one of its own group, or under the same global limit, keeps its place meanwhile. If there
     * is no other, it waits for ever: hang what comes next on {@link TaskHandle#toCompletableFuture} instead.
     *
     * @param groupKey the group whose limits it runs under
     * @param taskId a name for it, which need not be unique
     * @param task what to run; whatever it throws, {@link Error}s included, ends up in its result
     * @throws IllegalStateException after a shutdown
     */
    public <T> TaskHandle<T> submit(String groupKey, String taskId, Callable<T> task) {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(task, "task");
        return entrance.submit(new GroupTaskImpl<>(groupKey, taskId, task, announcer));
    }

    /**
     * As {@link #submit(String, String, Callable)}, with a priority, budgets, further attempts or a tag of its own. A task that
     * {@link RejectionPolicy#CALLER_RUNS} has run on the submitting thread is tried once, and not interrupted at its timeout.
     *
     * @throws IllegalStateException after a shutdown
     */
    public <T> TaskHandle<T> submit(String groupKey, String taskId, Callable<T> task, TaskOptions options) {
        Objects.requireNonNull(options, "options");
        if (options.equals(TaskOptions.defaults())) {
            return submit(groupKey, taskId, task);
        }
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(task, "task");
        return entrance.submit(new OptionedTaskImpl<>(groupKey, taskId, task, options, announcer, faults));
    }

    /** As {@link #submit(String, String, Callable, TaskOptions)}, for a task that wants to know how it stands. */
    public <T> TaskHandle<T> submit(String groupKey, String taskId, TaskFunction<T> task, TaskOptions options) {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(task, "task");
        Objects.requireNonNull(options, "options");
        TaskFunction<T> function =
                task instanceof Callable<?> ? context -> task.apply(context) : task; // it is called as what it came as
        return entrance.submit(
                options.equals(TaskOptions.defaults())
                        ? new GroupTaskImpl<>(groupKey, taskId, function, announcer)
                        : new OptionedTaskImpl<>(groupKey, taskId, function, options, announcer, faults));
    }

    /**
     * Hands in all tasks and waits for all of them, whether or not some fail. If the calling thread is interrupted while it
     * waits, the tasks that it has not seen end are cancelled and listed as {@link TaskStatus#CANCELLED}, and the thread's
     * interrupt flag is set again.
     *
     * @return the results, in the order of {@code tasks}
     * @throws IllegalStateException after a shutdown; if that came in between, the tasks handed in so far are cancelled
     */
    public <T> List<GroupResult<T>> executeAll(List<GroupTask<T>> tasks) {
        BatchSubmitter.requireTasks(tasks);
        entrance.requireOpen();
        return BatchSubmitter.run(tasks, this::submit);
    }

    private <T> TaskHandle<T> submit(GroupTask<T> task) {
        return submit(task.groupKey(), task.taskId(), task.task(), task.options());
    }

    /**
     * The results of tasks in the order in which they end, however they end; those that were rejected included. Tasks are taken
     * from {@code tasks} and handed in by the thread that consumes the stream, as it asks for results: never are more than
     * {@code window} handed in whose results it has not been given. Once the source has no more, the stream ends with the last result.
     *
     * <p>Close the stream unless it is consumed to its end: that cancels the tasks whose results were not given out, and closes
     * {@code tasks}. They are cancelled as well if consuming it throws, and if the consuming thread has to wait for a result and is
     * interrupted; that throws {@link java.util.concurrent.CancellationException}, and the thread's interrupt flag is set again.
     *
     * <pre>{@code
     * Stream<GroupTask<String>> pings = hosts.stream().map(host -> new GroupTask<>("ping", host, () -> ping(host)));
     * try (Stream<GroupResult<String>> answers = executor.completions(pings, 10)) {
     *     answers.filter(GroupResult::isSuccess).limit(3).forEach(answer -> System.out.println(answer.value()));
     * }
     * }</pre>
     *
     * @param tasks where the tasks come from; may be endless
     * @param window how many may be under way at once, at least 1; those that have ended and wait to be consumed count
     * @return a sequential stream; it does not gain from being made parallel
     * @throws IllegalArgumentException if {@code window} is less than 1
     * @throws IllegalStateException after a shutdown; if that comes in between, the consumer gets it when it would hand in another
     *     task, and those under way are cancelled
     */
    public <T> Stream<GroupResult<T>> completions(Stream<GroupTask<T>> tasks, int window) {
        Objects.requireNonNull(tasks, "tasks");
        Checks.atLeast(1, "window", window);
        entrance.requireOpen();
        return CompletionStream.stream(tasks, window, this::submit);
    }

    /** As {@link #completions(Stream, int)}, of the tasks as they are in {@code tasks} now, with a window of 256. */
    public <T> Stream<GroupResult<T>> completions(List<GroupTask<T>> tasks) {
        BatchSubmitter.requireTasks(tasks);
        return completions(List.copyOf(tasks).stream(), WINDOW);
    }

    // ---- permits -------------------------------------------------------------------------------------------------

    /**
     * Waits for a place of the group, for the calling thread to work under: in the same line, by the same limits, weights and
     * turns, and counted in the same figures as a submitted task. Close the permit when the work is done; until then it counts
     * as a task that runs. Listeners are not told; a shutdown ends the waiting, but leaves alone who has a permit.
     *
     * <pre>{@code
     * try (Permit permit = executor.acquire("tenant")) {
     *     handle(request);
     * }
     * }</pre>
     *
     * @throws RejectedTaskException if as many wait as may, and the policy is not {@link RejectionPolicy#BLOCK} or
     *     {@link RejectionPolicy#DISCARD_OLDEST}; also after a shutdown, and if one comes while it waits
     * @throws InterruptedException if the thread is interrupted before it has the place
     */
    public Permit acquire(String groupKey) throws InterruptedException {
        Objects.requireNonNull(groupKey, "groupKey");
        return permits.acquire(groupKey);
    }

    /**
     * As {@link #acquire}, but waits no longer than {@code timeout}; zero: only takes what is free at once. Empty if there was no
     * place in that time, or no room to wait for one.
     *
     * @throws IllegalArgumentException if {@code timeout} is negative
     * @throws RejectedTaskException after a shutdown
     * @throws InterruptedException if the thread is interrupted before it has the place
     */
    public Optional<Permit> tryAcquire(String groupKey, Duration timeout) throws InterruptedException {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(timeout, "timeout");
        Checks.notNegative("timeout", timeout);
        return Optional.ofNullable(permits.tryAcquire(groupKey, Durations.saturatedNanos(timeout)));
    }

    /**
     * Runs {@code task} on the calling thread, with a place of the group that it waits for as {@link #acquire} does. Under
     * {@link RejectionPolicy#CALLER_RUNS} it runs without one if there is no room to wait.
     *
     * @return what the task returned
     * @throws Exception what the task threw
     * @throws RejectedTaskException as {@link #acquire} does
     * @throws InterruptedException if the thread is interrupted before it has the place
     */
    public <T> T call(String groupKey, Callable<T> task) throws Exception {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(task, "task");
        return permits.call(groupKey, task);
    }

    // ---- for code that does not know groups ----------------------------------------------------------------------

    /**
     * The group as an executor service, for all that takes one. Its tasks are tasks of the group, under the same limits and in the
     * same line; errors and listeners know them as "execute". Each call makes another view, whose shutdown is its own: it neither
     * hears of tasks that came another way nor stops them. After a shutdown of this executor, though, its views are shut down too.
     *
     * <p>What is not let in follows the policy: under {@link RejectionPolicy#ABORT}, and {@link RejectionPolicy#BLOCK} when the
     * time is over, the method that it was given to throws {@link RejectedTaskException}, as it does after a shutdown; under
     * {@link RejectionPolicy#CALLER_RUNS} it runs right there; what is discarded, and what a {@link RejectionHandler} does not run,
     * never runs. A future that was given out for a task that will never run is cancelled, but for those of the tasks that
     * {@code shutdownNow} returns, which are the caller's. The future of a {@link java.util.concurrent.CompletableFuture} cannot be
     * reached like this: where tasks may be discarded or groups shut down, give it a time limit.
     *
     * <p>A future's end is known when its task's place is free again. What a task that has no future throws goes to the uncaught
     * exception handler of its thread. {@code shutdownNow} does not interrupt what runs on a thread of a caller or a handler.
     */
    public ExecutorService asExecutorService(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        return new GroupExecutorService(groupKey, dispatcher, entrance, announcer, faults);
    }

    // ---- live settings -------------------------------------------------------------------------------------------

    @Override
    public void setMaxConcurrency(String groupKey, int n) {
        set(groupKey, Checks.atLeast(1, "maxConcurrency", n), Setting::withConcurrency);
    }

    @Override
    public void setMaxInFlight(String groupKey, int n) {
        set(groupKey, Checks.atLeast(1, "maxInFlight", n), Setting::withInFlight);
    }

    @Override
    public void setQueueThreshold(String groupKey, int n) {
        set(groupKey, Checks.atLeast(0, "queueThreshold", n), Setting::withQueueThreshold);
    }

    @Override
    public void setWeight(String groupKey, int n) {
        set(groupKey, Checks.atLeast(1, "weight", n), Setting::withWeight);
    }

    @Override
    public void setGlobalMaxInFlight(int n) {
        dispatcher.setGlobalLimit(Checks.atLeast(1, "globalMaxInFlight", n));
    }

    @Override
    public void pauseGroup(String groupKey) {
        set(groupKey, true, Setting::withPaused);
    }

    @Override
    public void resumeGroup(String groupKey) {
        set(groupKey, false, Setting::withPaused);
    }

    @Override
    public void resetGroup(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        live.forget(groupKey);
        dispatcher.reresolveLimits(groupKey);
    }

    /** The kernel asks for the settings as they are when it makes the change, so of two changes at once the later one holds. */
    private <V> void set(String groupKey, V value, BiFunction<Setting, V, Setting> change) {
        Objects.requireNonNull(groupKey, "groupKey");
        live.change(groupKey, setting -> change.apply(setting, value));
        dispatcher.changeLimits(groupKey, limits -> live.over(groupKey, limits));
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    /**
     * Stops the tasks of one group: those that wait are cancelled, those that run are interrupted, and all their handles are
     * done, as far as a listener does not hold them up. The next task for the group is welcome; its limits are resolved anew. A
     * task that ignores the interruption keeps its place until it really ends. Other groups are not touched; does nothing if the
     * group is not known.
     */
    public void shutdownGroup(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        dispatcher.stopGroup(groupKey);
        dispatcher.stopDetached(ticket ->
                ticket instanceof TaskHandle<?> task && task.groupKey().equals(groupKey));
    }

    /**
     * Forgets the group's limits, so that the next submit to it resolves them again; until then the old ones hold for what waits.
     * Tasks that run or wait are not disturbed and still count: a lower limit is reached as they end. Does nothing if the group is
     * not known.
     */
    public void evictGroup(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        dispatcher.evict(groupKey);
    }

    /**
     * Stops now, unlike the method of that name of {@link java.util.concurrent.ExecutorService}: no more tasks are taken, those
     * that wait are cancelled, those that run are interrupted, and every handle is done, as far as a listener does not hold it up.
     * Does not wait for tasks that ignore the interruption, and nothing does later. Calling it again does nothing.
     */
    public void shutdown() {
        dispatcher.stop();
    }

    /**
     * Takes no more tasks, lets those that run and wait finish, and stops what is left when {@code timeout} is over, or when
     * the calling thread is interrupted, whose flag is then set again.
     *
     * @return whether all tasks finished; after a {@link #shutdown()}, whether none is on a thread any more
     * @throws IllegalArgumentException if {@code timeout} is negative
     */
    public boolean shutdown(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        Checks.notNegative("timeout", timeout);
        return dispatcher.drain(Durations.saturatedNanos(timeout));
    }

    /** The same as {@link #shutdown()}: stops now. */
    @Override
    public void close() {
        shutdown();
    }

    /** The group as it is now; empty if it is not known, and after a shutdown. Never blocks, never throws on a key. */
    public Optional<GroupStats> groupStats(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        return Optional.ofNullable(dispatcher.group(groupKey)).map(census::of);
    }

    /**
     * The executor as it is now, and what it has done so far. What is now is all zero, but for the limit, after a shutdown. Never
     * blocks, never throws.
     */
    public GroupExecutorStats stats() {
        return census.ofAll();
    }

    /**
     * The groups that are known now: those with tasks that run or wait, and those that had some within
     * {@link GroupPolicy.Builder#idleGroupTtl}. A snapshot; empty after a shutdown. Never blocks, never throws.
     */
    public Set<String> activeGroupKeys() {
        return dispatcher.groups().stream().map(Group::key).collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public String toString() {
        return "GroupExecutor[" + (dispatcher.isClosed() ? "shut down | " : "") + stats()
                + (faults.count() == 0 ? "" : " | " + faults.count() + " faults in callbacks") + "]";
    }
}
