package io.github.kobe.pool;

import io.github.kobe.GroupExecutor;
import io.github.kobe.TaskFunction;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.internal.time.SystemTimer;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.Durations;
import io.github.kobe.internal.util.Faults;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A bounded set of long-lived workers: for work that keeps a processor busy, and for libraries that want threads of their own.
 *
 * <p>Workers start when they are needed, up to {@link WorkerPoolBuilder#maxWorkers}; those beyond {@link WorkerPoolBuilder#minWorkers}
 * leave when they have had nothing to do for {@link WorkerPoolBuilder#keepAlive}. Of the tasks that wait, larger priorities start
 * first, equal ones in the order of submission; tasks of different groups take turns.
 *
 * <p>A worker goes on to the next task. Its interrupt flag is clear when a task starts, and an interruption that is meant for one task
 * never hits another; but what a task leaves in thread-locals the next one finds there. If a task does not end when its timeout is over
 * and it was interrupted, its worker is replaced after {@link WorkerPoolBuilder#grace}, so that it does not cost the pool a worker.
 *
 * <p>Safe for use by many threads. What a thread did before it submitted a task happens before the task; the task happens before anyone
 * is told of its end. What hangs on a handle's future does not run on a worker.
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
 *     System.out.println(pixels.await().value());
 * }
 * }</pre>
 */
public final class WorkerPool implements AutoCloseable {

    private static final long FOR_EVER = Long.MAX_VALUE;

    private final Timer timer;
    private final Function<PoolSettings, WorkerThreads> threadsOf;
    private final Faults faults = new Faults();

    private final PoolHistory history = new PoolHistory();

    // The next three are written under the monitor.
    private volatile PoolSettings settings;
    private volatile @Nullable TaskOptions defaultOptions; // if it takes some to do without
    private volatile PoolGeneration run;

    WorkerPool(PoolSettings settings) {
        this(settings, s -> WorkerThreads.of(s.factory()), SystemTimer.shared());
    }

    WorkerPool(PoolSettings settings, Function<PoolSettings, WorkerThreads> threadsOf, Timer timer) {
        this.threadsOf = threadsOf;
        this.timer = timer;
        this.settings = settings;
        this.defaultOptions = defaultOptions(settings);
        this.run = newRun(settings);
    }

    private PoolGeneration newRun(PoolSettings s) {
        return new PoolGeneration(s, threadsOf.apply(s), timer, faults);
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

    // ---- tasks ---------------------------------------------------------------------------------------------------

    /**
     * Hands in a task. It starts at once if a worker is free or may be added, else it waits, else it is rejected as the pool's
     * {@link WorkerPoolBuilder#rejectionPolicy} has it.
     *
     * <p>Errors and results know it by the name of its class, or, if it is a lambda, of the class that it is written in. To tell apart tasks
     * of one kind, give them a {@link TaskOptions#tag}.
     *
     * @throws IllegalStateException if the pool is shut down
     */
    public <T> TaskHandle<T> submit(Callable<T> task) {
        Objects.requireNonNull(task, "task");
        return submitCall(TaskNames.of(task), task, defaultOptions);
    }

    /** As {@link #submit(Callable)}; its value is {@code null}. */
    public TaskHandle<?> submit(Runnable task) {
        Objects.requireNonNull(task, "task");
        return submitCall(TaskNames.of(task), Executors.callable(task), defaultOptions);
    }

    /** As {@link #submit(Callable)}, for a task that wants to know how it stands. */
    public <T> TaskHandle<T> submit(TaskFunction<T> task) {
        return submit(task, TaskOptions.defaults());
    }

    /**
     * As {@link #submit(TaskFunction)}, with a priority, budgets, further attempts, hooks or a tag of its own.
     *
     * @throws IllegalStateException if the pool is shut down
     */
    public <T> TaskHandle<T> submit(TaskFunction<T> task, TaskOptions options) {
        Objects.requireNonNull(task, "task");
        return submitFunction(null, TaskNames.of(task), task, options);
    }

    /** As {@link #submit(TaskFunction, TaskOptions)}. */
    public <T> TaskHandle<T> submit(Callable<T> task, TaskOptions options) {
        Objects.requireNonNull(task, "task");
        return submitCall(TaskNames.of(task), task, withDefaults(options));
    }

    /** As {@link #submit(TaskFunction, TaskOptions)}; its value is {@code null}. */
    public TaskHandle<?> submit(Runnable task, TaskOptions options) {
        Objects.requireNonNull(task, "task");
        return submitCall(TaskNames.of(task), Executors.callable(task), withDefaults(options));
    }

    /**
     * As {@link #submit(TaskFunction)}, for a task of a group. Groups with waiting tasks take turns, in proportion to their weights;
     * tasks without a group are one together, by the pool's name.
     *
     * @throws IllegalStateException if the pool is shut down
     */
    public <T> TaskHandle<T> submit(String groupKey, TaskFunction<T> task) {
        return submit(groupKey, task, TaskOptions.defaults());
    }

    /** As {@link #submit(String, TaskFunction)}, with options. */
    public <T> TaskHandle<T> submit(String groupKey, TaskFunction<T> task, TaskOptions options) {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(task, "task");
        return submitFunction(groupKey, TaskNames.of(task), task, options);
    }

    /** As {@link #submit(String, TaskFunction)}. */
    public <T> TaskHandle<T> submit(String groupKey, Callable<T> task) {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(task, "task");
        return submitFunction(groupKey, TaskNames.of(task), context -> task.call(), TaskOptions.defaults());
    }

    private <T> TaskHandle<T> submitCall(String name, Callable<T> task, @Nullable TaskOptions options) {
        PoolGeneration to = run;
        try {
            return options == null
                    ? to.engine().submit(to.name(), name, task)
                    : to.engine().submit(to.name(), name, task, options);
        } catch (IllegalStateException e) {
            throw refused(to, e);
        }
    }

    private <T> TaskHandle<T> submitFunction(
            @Nullable String groupKey, String name, TaskFunction<T> task, TaskOptions options) {
        TaskOptions whole = withDefaults(options);
        PoolGeneration to = run;
        try {
            return groupKey == null
                    ? to.engine().submit(to.name(), name, task, whole)
                    : to.keyedEngine().submit(groupKey, name, task, whole);
        } catch (IllegalStateException e) {
            throw refused(to, e);
        }
    }

    private IllegalStateException refused(PoolGeneration by, IllegalStateException e) {
        return by.isClosed()
                ? new IllegalStateException(text() + " is shut down, and takes no tasks until it is restarted")
                : e;
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
     * The pool as an executor service, for all that takes one; see {@link GroupExecutor#asExecutorService}. Its tasks are among those
     * without a group. Each call makes another view, whose shutdown is its own; a shutdown of this pool shuts it down too, and a
     * restart does not bring it back.
     */
    public ExecutorService asExecutorService() {
        PoolGeneration of = run;
        return of.engine().asExecutorService(of.name());
    }

    // ---- live settings -------------------------------------------------------------------------------------------

    /**
     * Sets how many workers stay. Those that are too many leave when they have had nothing to do for long enough.
     *
     * @throws IllegalArgumentException if it is less than 1 or more than there may be; the message has both numbers
     */
    public void setMinWorkers(int number) {
        change(s -> s.withWorkers(number, s.maxWorkers())).resize(() -> settings);
    }

    /**
     * Sets how many workers there may be. If they are more than before, waiting tasks get theirs at once; if they are fewer, what runs
     * is not disturbed, and workers leave as their tasks end.
     *
     * @throws IllegalArgumentException if it is less than 1 or less than the number that stays; the message has both numbers
     */
    public void setMaxWorkers(int number) {
        change(s -> s.withWorkers(s.minWorkers(), number)).resize(() -> settings);
    }

    /** Returns the run that is to be told. */
    private synchronized PoolGeneration change(UnaryOperator<PoolSettings> change) {
        PoolSettings changed = change.apply(settings);
        WorkerPoolBuilder.requireRange(changed.minWorkers(), changed.maxWorkers());
        settings = changed;
        return run;
    }

    /** Sets the share of a group where groups compete for workers, at least 1; forgotten at a restart. Default 1. */
    public void setWeight(String groupKey, int weight) {
        run.engine().setWeight(groupKey, weight);
    }

    // ---- the end, and a new beginning ----------------------------------------------------------------------------

    /**
     * Takes no more tasks, lets all that were accepted finish, and returns when that is done and no worker is left. If the calling
     * thread is interrupted, it returns at once with its flag set, and the tasks finish all the same.
     *
     * @throws IllegalStateException if it is called by a task of this pool, which would wait for itself
     */
    public void shutdown() {
        PoolGeneration ending = closeFromOutside();
        try {
            ending.awaitEnd(FOR_EVER);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * As {@link #shutdown()}, but stops what is left when {@code timeout} is over, or when the calling thread is interrupted: tasks that
     * wait are cancelled, those that run are interrupted, all handles are done.
     *
     * @return whether all tasks finished
     * @throws IllegalArgumentException if {@code timeout} is negative
     * @throws IllegalStateException if it is called by a task of this pool
     */
    public boolean shutdown(Duration timeout) {
        Objects.requireNonNull(timeout, "timeout");
        Checks.notNegative("timeout", timeout);
        PoolGeneration ending = closeFromOutside();
        boolean finished = false;
        try {
            finished = ending.awaitEnd(Durations.saturatedNanos(timeout));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        ending.stop();
        return finished;
    }

    private PoolGeneration closeFromOutside() {
        PoolGeneration ending = run;
        if (ending.isOwnThread()) {
            throw new IllegalStateException("a task of " + text() + " cannot wait for the end of all its tasks");
        }
        ending.close();
        return ending;
    }

    /**
     * Stops now: no more tasks are taken, those that wait are cancelled, those that run are interrupted, every handle is done. Does not
     * wait for tasks that ignore the interruption.
     *
     * @return the tasks that were still in line, and so never ran
     */
    public List<TaskHandle<?>> shutdownNow() {
        return run.stopNow();
    }

    /** The same as {@link #shutdown()}. */
    @Override
    public void close() {
        shutdown();
    }

    /** Whether the pool takes no tasks. */
    public boolean isShutdown() {
        return run.isClosed();
    }

    /** As {@link #restart(UnaryOperator)}, with the settings as they are. */
    public void restart() {
        restart(same -> same);
    }

    /**
     * Takes up work again after a shutdown, with changed settings. Counts of the time since the restart begin at zero, those of the
     * lifetime go on.
     *
     * @param change applied to a builder that has the settings as they are
     * @throws IllegalStateException if the pool is running, or still finishing its tasks
     * @throws IllegalArgumentException if a setting is out of range; then the pool stays shut down
     */
    public void restart(UnaryOperator<WorkerPoolBuilder> change) {
        Objects.requireNonNull(change, "change");
        PoolGeneration last = requireDown();
        PoolSettings next = change.apply(new WorkerPoolBuilder(settings)).settings();
        synchronized (this) {
            if (run != last) {
                throw new IllegalStateException(text() + " was restarted meanwhile");
            }
            history.add(last);
            settings = next;
            defaultOptions = defaultOptions(next);
            run = newRun(next);
        }
    }

    private PoolGeneration requireDown() {
        PoolGeneration last = run;
        if (!last.isClosed()) {
            throw new IllegalStateException(text() + " is running; shut it down before a restart");
        }
        if (!last.isDown()) {
            throw new IllegalStateException(text() + " is still finishing its tasks; wait for the shutdown");
        }
        return last;
    }

    // ---- figures -------------------------------------------------------------------------------------------------

    /** The pool as it is now, and what it has done so far. Never blocks, never throws. */
    public WorkerPoolStats stats() {
        PoolGeneration now = run;
        var tasks = now.tasks();
        WorkerSet workers = now.workers();
        return new WorkerPoolStats(
                name(),
                workers.alive(),
                workers.busy(),
                now.min(),
                now.max(),
                now.size(),
                tasks.totalQueuedCount(),
                tasks.counts(),
                history.counts().plus(tasks.counts()),
                workers.replacements(),
                workers.zombies(),
                tasks.oldestWaiting(),
                workers.busyShare(60),
                history.restarts(),
                now.decisions());
    }

    private String name() {
        return settings.name();
    }

    private String text() {
        return "worker pool '" + name() + "'";
    }

    @Override
    public String toString() {
        return "WorkerPool '" + name() + "'[" + (isShutdown() ? "shut down | " : "") + stats() + "]";
    }
}
