package io.github.kobe.pool;

import io.github.kobe.Registration;
import io.github.kobe.RunningTask;
import io.github.kobe.ShutdownMode;
import io.github.kobe.ShutdownReport;
import io.github.kobe.TaskCounts;
import io.github.kobe.TaskFunction;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskOptions;
import io.github.kobe.internal.group.ExecutorName;
import io.github.kobe.internal.group.GroupEngine;
import io.github.kobe.internal.group.ListenerRegistry;
import io.github.kobe.internal.time.SystemTimer;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.Faults;
import io.github.kobe.internal.util.TaskNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A bounded set of long-lived workers, for work that keeps a processor busy and for libraries that need threads of their own.
 *
 * <p>Workers start when they are needed, up to {@link WorkerPoolBuilder#maxWorkers}; those beyond {@link WorkerPoolBuilder#minWorkers}
 * leave when they have been idle for {@link WorkerPoolBuilder#keepAlive}. Of the queued tasks, larger priorities start
 * first, and equal ones in the order of submission. Groups compete for workers by weighted round robin.
 *
 * <p>A worker runs one task after the other. The interrupt flag is clear when a task starts, and an interrupt for one task never hits another.
 * Thread-locals that a task sets are visible to the next one, unless a {@link WorkerPoolBuilder#contextCarrier} undoes that. If a task does not
 * return after its timeout and an interrupt, its worker is replaced after {@link WorkerPoolBuilder#grace}, so that the pool does not lose a worker.
 *
 * <p>Thread-safe. Actions before the submission of a task happen-before the task, and the task happens-before the completion of its handle.
 * Dependent stages of a handle's future do not run on a worker.
 *
 * <pre>{@code
 * try (WorkerPool pool = WorkerPool.builder().name("images").minWorkers(2).maxWorkers(8).build()) {
 *     TaskHandle<Long> pixels = pool.submit(context -> {
 *         long sum = 0;
 *         for (int row = 0; row < 1_000; row++) {
 *             context.throwIfCancelled();
 *             sum += row;
 *         }
 *         return sum;
 *     });
 *     System.out.println(pixels.get());
 * }
 * }</pre>
 */
public final class WorkerPool implements AutoCloseable {

    private static final long NO_TIMEOUT = Long.MAX_VALUE;

    private final Timer timer;
    private final Function<PoolSettings, WorkerThreads> threadsOf;
    private final Faults faults;

    private final History history = new History();

    /** Of all generations: a listener stays in a restart. */
    private final ListenerRegistry listeners = new ListenerRegistry();

    /** That of the builder. Written under the monitor. */
    private @Nullable Registration builderListener;

    // The next three fields are written under the monitor.
    private volatile PoolSettings settings;
    private volatile @Nullable TaskOptions defaultOptions; // null if there are no defaults
    private volatile PoolGeneration generation;

    WorkerPool(PoolSettings settings) {
        this(settings, s -> WorkerThreads.of(s.factory()), SystemTimer.shared());
    }

    WorkerPool(PoolSettings settings, Function<PoolSettings, WorkerThreads> threadsOf, Timer timer) {
        this.threadsOf = threadsOf;
        this.timer = timer;
        this.faults = new Faults(timer::nanoTime, this::description);
        this.settings = settings;
        this.defaultOptions = defaultOptions(settings);
        this.builderListener = register(settings);
        this.generation = newGeneration(settings);
    }

    private @Nullable Registration register(PoolSettings s) {
        TaskLifecycleListener listener = s.taskLifecycleListener();
        return listener == null ? null : listeners.add(listener);
    }

    static ExecutorName nameOf(PoolSettings settings) {
        return ExecutorName.of("worker pool", "pool", settings.name());
    }

    private PoolGeneration newGeneration(PoolSettings s) {
        return new PoolGeneration(s, threadsOf.apply(s), timer, faults, listeners);
    }

    private static @Nullable TaskOptions defaultOptions(PoolSettings s) {
        Consumer<Throwable> recovery = s.recovery();
        return recovery == null
                ? null
                : TaskOptions.builder().recovery(recovery).build();
    }

    /** A builder with the defaults that its methods name. */
    public static WorkerPoolBuilder builder() {
        return new WorkerPoolBuilder();
    }

    /** Returns the {@link WorkerPoolBuilder#name name} of this pool. A restart may change it. */
    public String name() {
        return settings.name();
    }

    // ---- tasks ------------------------------------------------------------------------------------------------------

    /**
     * Submits a task. It starts at once if a worker is idle or may be added. Else it is queued. If the queue is full, the
     * {@link WorkerPoolBuilder#rejectionPolicy} decides.
     *
     * <p>Errors and results contain the name of its class, or, for a lambda, of the class that contains it. To distinguish tasks of one class,
     * give them a {@link TaskOptions#tag}.
     *
     * @throws io.github.kobe.ExecutorShutdownException if the pool is shut down
     */
    public <T extends @Nullable Object> TaskHandle<T> submit(Callable<T> task) {
        return submitCallable(null, TaskNames.nameOf(task), task, defaultOptions);
    }

    /** As {@link #submit(Callable)}; its value is {@code null}. */
    public TaskHandle<?> submit(Runnable task) {
        return submitRunnable(null, TaskNames.nameOf(task), task, defaultOptions);
    }

    /** As {@link #submit(Callable)}, for a task that uses its context. */
    public <T extends @Nullable Object> TaskHandle<T> submit(TaskFunction<T> task) {
        return submit(task, TaskOptions.defaults());
    }

    /**
     * As {@link #submit(TaskFunction)}, with a priority, timeouts, retries, hooks or a tag.
     *
     * @throws io.github.kobe.ExecutorShutdownException if the pool is shut down
     */
    public <T extends @Nullable Object> TaskHandle<T> submit(TaskFunction<T> task, TaskOptions options) {
        return submitFunction(null, TaskNames.nameOf(task), task, withDefaults(options));
    }

    /** As {@link #submit(TaskFunction, TaskOptions)}. */
    public <T extends @Nullable Object> TaskHandle<T> submit(Callable<T> task, TaskOptions options) {
        return submitCallable(null, TaskNames.nameOf(task), task, withDefaults(options));
    }

    /** As {@link #submit(TaskFunction, TaskOptions)}; its value is {@code null}. */
    public TaskHandle<?> submit(Runnable task, TaskOptions options) {
        return submitRunnable(null, TaskNames.nameOf(task), task, withDefaults(options));
    }

    // ---- tasks of groups --------------------------------------------------------------------------------------------

    /**
     * As {@link #submit(Callable)}, for a task of a group. Groups with queued tasks compete in proportion to their weights. All tasks without a
     * group form one group with the name of the pool.
     *
     * @throws io.github.kobe.ExecutorShutdownException if the pool is shut down
     */
    public <T extends @Nullable Object> TaskHandle<T> submit(String groupKey, Callable<T> task) {
        return submitCallable(requireGroup(groupKey), TaskNames.nameOf(task), task, defaultOptions);
    }

    /** As {@link #submit(String, Callable)}; its value is {@code null}. */
    public TaskHandle<?> submit(String groupKey, Runnable task) {
        return submitRunnable(requireGroup(groupKey), TaskNames.nameOf(task), task, defaultOptions);
    }

    /** As {@link #submit(String, Callable)}, for a task that uses its context. */
    public <T extends @Nullable Object> TaskHandle<T> submit(String groupKey, TaskFunction<T> task) {
        return submit(groupKey, task, TaskOptions.defaults());
    }

    /** As {@link #submit(String, Callable)}, with options. */
    public <T extends @Nullable Object> TaskHandle<T> submit(String groupKey, Callable<T> task, TaskOptions options) {
        return submitCallable(requireGroup(groupKey), TaskNames.nameOf(task), task, withDefaults(options));
    }

    /** As {@link #submit(String, Runnable)}, with options. */
    public TaskHandle<?> submit(String groupKey, Runnable task, TaskOptions options) {
        return submitRunnable(requireGroup(groupKey), TaskNames.nameOf(task), task, withDefaults(options));
    }

    /** As {@link #submit(String, TaskFunction)}, with options. */
    public <T extends @Nullable Object> TaskHandle<T> submit(
            String groupKey, TaskFunction<T> task, TaskOptions options) {
        return submitFunction(requireGroup(groupKey), TaskNames.nameOf(task), task, withDefaults(options));
    }

    /** As {@link #submit(String, Callable)}, with a name for the task; it need not be unique. */
    public <T extends @Nullable Object> TaskHandle<T> submit(String groupKey, String taskId, Callable<T> task) {
        return submitCallable(requireGroup(groupKey), taskId, task, defaultOptions);
    }

    /** As {@link #submit(String, String, Callable)}; its value is {@code null}. */
    public TaskHandle<?> submit(String groupKey, String taskId, Runnable task) {
        return submitRunnable(requireGroup(groupKey), taskId, task, defaultOptions);
    }

    /** As {@link #submit(String, String, Callable)}, with options. */
    public <T extends @Nullable Object> TaskHandle<T> submit(
            String groupKey, String taskId, Callable<T> task, TaskOptions options) {
        return submitCallable(requireGroup(groupKey), taskId, task, withDefaults(options));
    }

    /** As {@link #submit(String, String, Runnable)}, with options. */
    public TaskHandle<?> submit(String groupKey, String taskId, Runnable task, TaskOptions options) {
        return submitRunnable(requireGroup(groupKey), taskId, task, withDefaults(options));
    }

    /** As {@link #submit(String, String, Callable, TaskOptions)}, for a task that uses its context. */
    public <T extends @Nullable Object> TaskHandle<T> submit(
            String groupKey, String taskId, TaskFunction<T> task, TaskOptions options) {
        return submitFunction(requireGroup(groupKey), taskId, task, withDefaults(options));
    }

    private static String requireGroup(String groupKey) {
        return Objects.requireNonNull(groupKey, "groupKey");
    }

    // In the next three methods, groupKey is null for the group of the tasks without a group.

    private <T extends @Nullable Object> TaskHandle<T> submitCallable(
            @Nullable String groupKey, String taskId, Callable<T> task, @Nullable TaskOptions options) {
        PoolGeneration current = generation;
        GroupEngine engine = current.engineFor(groupKey);
        String key = current.keyOf(groupKey);
        return options == null ? engine.submit(key, taskId, task) : engine.submit(key, taskId, task, options);
    }

    private TaskHandle<?> submitRunnable(
            @Nullable String groupKey, String taskId, Runnable task, @Nullable TaskOptions options) {
        PoolGeneration current = generation;
        GroupEngine engine = current.engineFor(groupKey);
        String key = current.keyOf(groupKey);
        return options == null ? engine.submit(key, taskId, task) : engine.submit(key, taskId, task, options);
    }

    private <T extends @Nullable Object> TaskHandle<T> submitFunction(
            @Nullable String groupKey, String taskId, TaskFunction<T> task, TaskOptions options) {
        PoolGeneration current = generation;
        return current.engineFor(groupKey).submit(current.keyOf(groupKey), taskId, task, options);
    }

    private TaskOptions withDefaults(TaskOptions options) {
        Objects.requireNonNull(options, "options");
        TaskOptions defaults = defaultOptions;
        Consumer<Throwable> recovery = defaults == null ? null : defaults.recovery();
        return recovery == null || options.recovery() != null
                ? options
                : options.toBuilder().recovery(recovery).build();
    }

    /**
     * The pool as an executor service; see {@link io.github.kobe.GroupExecutor#asExecutorService}. Its tasks have no group. Each call creates another
     * view, which can be shut down on its own. A shutdown of this pool also shuts down the view, and a restart does not reopen it.
     */
    public ExecutorService asExecutorService() {
        PoolGeneration of = generation;
        return of.engine().asExecutorService(of.name());
    }

    // ---- live settings ----------------------------------------------------------------------------------------------

    /**
     * Sets how many workers stay when they are idle. Surplus workers leave after {@link WorkerPoolBuilder#keepAlive}.
     *
     * @throws IllegalArgumentException if it is less than 1 or more than the maximum; the message has both numbers
     */
    public void setMinWorkers(int number) {
        change(s -> s.withWorkers(number, s.maxWorkers())).resize(() -> settings);
    }

    /**
     * Sets how many workers there may be. If the number is raised, queued tasks get new workers at once. If it is lowered, running tasks are not
     * disturbed, and workers leave as their tasks complete.
     *
     * @throws IllegalArgumentException if it is less than 1 or less than the minimum; the message has both numbers
     */
    public void setMaxWorkers(int number) {
        change(s -> s.withWorkers(s.minWorkers(), number)).resize(() -> settings);
    }

    /**
     * Sets how many tasks may be queued, at least 0. If the number is lowered, tasks that are already queued stay queued.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public void setQueueCapacity(int tasks) {
        Checks.atLeast(0, "queueCapacity", tasks);
        change(s -> s.withQueueCapacity(tasks)).setQueueCapacity(() -> settings);
    }

    /** Returns the generation that the change applies to. */
    private synchronized PoolGeneration change(UnaryOperator<PoolSettings> change) {
        PoolSettings changed = change.apply(settings);
        WorkerPoolBuilder.requireRange(changed.minWorkers(), changed.maxWorkers());
        settings = changed;
        return generation;
    }

    /** Sets the weight of a group in the competition for workers, at least 1. A restart resets it. Default 1. At most 100,000 groups can have one. */
    public void setWeight(String groupKey, int weight) {
        generation.engine().setWeight(groupKey, weight);
    }

    // ---- shutdown and restart ---------------------------------------------------------------------------------------

    /**
     * Rejects new tasks, waits until all admitted tasks have completed, and returns when no worker is left. If the calling thread is interrupted,
     * the method returns at once with the interrupt flag set, and the tasks still finish.
     *
     * @throws IllegalStateException if a task of this pool calls it, since the task would wait for itself
     */
    public void shutdown() {
        PoolGeneration closed = notOnAWorker();
        closed.close();
        try {
            closed.awaitTermination(NO_TIMEOUT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * As {@link #shutdown()}, but stops the tasks that are left after {@code timeout}, or when the calling thread is interrupted: queued
     * tasks are cancelled, running tasks are interrupted, and all handles are done.
     *
     * @return whether all tasks finished
     * @throws IllegalArgumentException if {@code timeout} is negative
     * @throws IllegalStateException if a task of this pool calls it
     */
    public boolean shutdown(Duration timeout) {
        return shutdown(timeout, ShutdownMode.DRAIN).completed();
    }

    /**
     * Accepts no more tasks, lets finish what {@code mode} says, and stops the rest when {@code timeout} is over or when the calling thread is
     * interrupted. After an interrupt, the flag is set again. When this method returns, every handle is completed, and no
     * submitter is blocked. If everything finished in time, no worker is left.
     *
     * <p>May be called again, by any thread, in any mode. Under {@link ShutdownMode#FINISH_RUNNING} and {@link ShutdownMode#STOP} a call also
     * cuts short another call that still waits in {@link ShutdownMode#DRAIN}. Dropped tasks are listed
     * once, in the report of the first call that drops any.
     *
     * @param timeout how long to wait at most; not negative
     * @throws IllegalArgumentException if {@code timeout} is negative
     * @throws IllegalStateException if a task of this pool calls it, since the task would wait for itself
     */
    public ShutdownReport shutdown(Duration timeout, ShutdownMode mode) {
        Objects.requireNonNull(timeout, "timeout");
        Objects.requireNonNull(mode, "mode");
        Checks.notNegative("timeout", timeout);
        return notOnAWorker().shutdown(timeout, mode);
    }

    private PoolGeneration notOnAWorker() {
        PoolGeneration current = generation;
        if (current.isWorkerThread()) {
            throw new IllegalStateException("a task of " + description() + " cannot wait for the end of all its tasks");
        }
        return current;
    }

    /**
     * Stops now: rejects new tasks, cancels queued tasks, interrupts running tasks, and completes every handle. Does not wait for tasks that
     * ignore the interrupt.
     *
     * @return the tasks that were still queued, which never ran
     */
    public List<TaskHandle<?>> shutdownNow() {
        return generation.stopNow();
    }

    /**
     * As {@link #shutdown()}; but if there is a {@link WorkerPoolBuilder#closeTimeout}, as {@link #shutdown(Duration)} with it: the tasks that
     * are left then are stopped.
     *
     * @throws IllegalStateException if a task of this pool calls it
     */
    @Override
    public void close() {
        Duration timeout = settings.closeTimeout();
        if (timeout == null) {
            shutdown();
        } else {
            shutdown(timeout);
        }
    }

    /** Whether the pool rejects new tasks because of a shutdown. */
    public boolean isShutdown() {
        return generation.isClosed();
    }

    /** As {@link #restart(UnaryOperator)}, with the current settings. */
    public void restart() {
        restart(same -> same);
    }

    /**
     * Starts the pool again after a shutdown, with changed settings. Counts since the restart begin at zero; lifetime counts continue.
     *
     * @param change applied to a builder with the current settings
     * @throws IllegalStateException if the pool is running, or still finishing its tasks
     * @throws IllegalArgumentException if a setting is out of range; then the pool stays shut down
     */
    public void restart(UnaryOperator<WorkerPoolBuilder> change) {
        Objects.requireNonNull(change, "change");
        PoolGeneration last = requireTerminated();
        PoolSettings next = change.apply(new WorkerPoolBuilder(settings)).settings();
        synchronized (this) {
            if (generation != last) {
                throw new IllegalStateException(description() + " was restarted meanwhile");
            }
            PoolGeneration started = newGeneration(next); // first: it may throw, and then the pool stays shut down
            replaceListener(next);
            settings = next;
            defaultOptions = defaultOptions(next);
            synchronized (history) { // in one step for stats
                history.add(last);
                generation = started;
            }
        }
    }

    @SuppressWarnings("ReferenceEquality") // two listeners are two, whatever their equals says
    private void replaceListener(PoolSettings next) {
        if (next.taskLifecycleListener() != settings.taskLifecycleListener()) {
            if (builderListener != null) {
                builderListener.close();
            }
            builderListener = register(next);
        }
    }

    private PoolGeneration requireTerminated() {
        PoolGeneration last = generation;
        if (!last.isClosed()) {
            throw new IllegalStateException(description() + " is running; shut it down before a restart");
        }
        if (!last.isTerminated()) {
            throw new IllegalStateException(description() + " is still finishing its tasks; wait for the shutdown");
        }
        return last;
    }

    /**
     * Adds a listener. It hears of each event from now on, also of tasks that were submitted before, and after a restart; see
     * {@link TaskLifecycleListener}. Listeners are called in the order in which they were added, {@link WorkerPoolBuilder#taskLifecycleListener} first.
     * If one throws or does not return, the others are called all the same. A restart with another listener in its builder calls that one last.
     *
     * @return removes the listener when it is closed; a call that another thread is about to make may still begin
     */
    public Registration addListener(TaskLifecycleListener listener) {
        return listeners.add(listener);
    }

    // ---- statistics -------------------------------------------------------------------------------------------------

    /**
     * A snapshot of the pool, and what it has done so far. Never blocks, never throws. Reads every group, so it takes time in proportion to their
     * number. After a shutdown the counts stay, also over a restart, see {@link WorkerPoolStats#lifetimeCounts}.
     */
    public WorkerPoolStats stats() {
        PoolGeneration now;
        TaskCounts past;
        int restarts;
        synchronized (history) { // no generation is in both
            now = generation;
            past = history.counts();
            restarts = history.restarts();
        }
        var tasks = now.taskStats();
        WorkerSet workers = now.workers();
        return new WorkerPoolStats(
                name(),
                workers.alive(),
                workers.busy(),
                now.min(),
                now.max(),
                now.size(),
                tasks.totalQueuedCount(),
                settings.queueCapacity(),
                tasks.blockedSubmitters(),
                tasks.counts(),
                past.plus(tasks.counts()),
                workers.replacements(),
                workers.zombies(),
                tasks.oldestWaiting(),
                workers.busyShare(60),
                restarts,
                now.decisions());
    }

    /**
     * Returns the tasks of all groups whose code is on a worker now, the one that has been running for longest first. A snapshot: a task may
     * start or complete meanwhile. A task that has completed by its timeout or a cancellation is in the list until its code returns; its worker may
     * be a zombie.
     */
    public List<RunningTask> runningTasks() {
        return generation.engine().runningTasks();
    }

    /**
     * Returns how often user code other than tasks has failed: a listener, hook, recovery, retry policy or context carrier that threw, returned what
     * it must not return, or did not return in time. A task that does not return in time after an interrupt is counted too. Each is logged through
     * {@link System.Logger}, at a limited rate. Failures of tasks are not counted here. Never falls, also not by a restart.
     */
    public long callbackFaults() {
        return faults.count();
    }

    private String description() {
        return nameOf(settings).toString();
    }

    @Override
    public String toString() {
        return "WorkerPool '" + name() + "'[" + (isShutdown() ? "shut down | " : "") + stats() + "]";
    }

    /**
     * The counts of past generations. A task that a shutdown stopped on its way to a worker is counted when it gets there, which may be after the
     * restart. A task that its submitter runs is counted when it completes. So a generation is kept until its tasks have terminated and its
     * outcomes add up to its submissions. A submitter that is rejected during a shutdown is not counted for a few steps, so the latest
     * generations are always kept.
     */
    private static final class History {

        private static final int MIN_KEPT = 4;

        private final List<PoolGeneration> unsettled = new ArrayList<>();
        private TaskCounts settled = TaskCounts.none();
        private int restarts;

        synchronized void add(PoolGeneration past) {
            unsettled.add(past);
            restarts++;
        }

        synchronized TaskCounts counts() {
            unsettled.subList(0, Math.max(0, unsettled.size() - MIN_KEPT)).removeIf(this::settle);
            return unsettled.stream().map(past -> past.taskStats().counts()).reduce(settled, TaskCounts::plus);
        }

        private boolean settle(PoolGeneration past) {
            if (!past.hasDrained()) {
                return false;
            }
            TaskCounts counts = past.taskStats().counts();
            boolean complete =
                    counts.submitted() == counts.succeeded() + counts.failed() + counts.cancelled() + counts.rejected();
            if (complete) {
                settled = settled.plus(counts);
            }
            return complete;
        }

        synchronized int restarts() {
            return restarts;
        }
    }
}
