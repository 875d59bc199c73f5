package io.github.kobe.pool;

import io.github.kobe.ContextCarrier;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskOptions;
import io.github.kobe.internal.group.ExecutorName;
import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.SettingsText;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Collects the settings of a {@link WorkerPool}. Not thread-safe. */
public final class WorkerPoolBuilder {

    private static final Duration DEFAULT_KEEP_ALIVE = Duration.ofMinutes(1);
    private static final Duration DEFAULT_MAX_BLOCK_TIME = Duration.ofMinutes(1);
    private static final Duration DEFAULT_GRACE = Duration.ofSeconds(1);

    private @Nullable String name;
    private int minWorkers = 1;
    private int maxWorkers;
    private boolean maxIsSet;
    private Duration keepAlive = DEFAULT_KEEP_ALIVE;
    private int queueCapacity = Integer.MAX_VALUE;
    private RejectionPolicy rejectionPolicy = RejectionPolicy.ABORT;
    private Duration maxBlockTime = DEFAULT_MAX_BLOCK_TIME;
    private ThreadKind threads = ThreadKind.PLATFORM;
    private @Nullable ThreadFactory threadFactory;
    private @Nullable Duration priorityAgeing;
    private @Nullable Consumer<Throwable> recovery;
    private Duration grace = DEFAULT_GRACE;
    private int maxZombies;
    private boolean maxZombiesIsSet;
    private Sizing sizing = Sizing.MAX;
    private double utilization = 1;
    private @Nullable Duration closeTimeout;
    private @Nullable TaskLifecycleListener taskLifecycleListener;
    private @Nullable ContextCarrier contextCarrier;

    WorkerPoolBuilder() {}

    WorkerPoolBuilder(PoolSettings s) {
        name = s.name();
        minWorkers = s.minWorkers();
        maxWorkers = s.maxWorkers();
        maxIsSet = true;
        keepAlive = s.keepAlive();
        queueCapacity = s.queueCapacity();
        rejectionPolicy = s.rejectionPolicy();
        maxBlockTime = s.maxBlockTime();
        threads = s.threads();
        threadFactory = s.threadFactory();
        priorityAgeing = s.priorityAgeing();
        recovery = s.recovery();
        grace = s.grace();
        maxZombies = s.maxZombies();
        maxZombiesIsSet = true;
        sizing = s.sizing();
        utilization = s.utilization();
        closeTimeout = s.closeTimeout();
        taskLifecycleListener = s.taskLifecycleListener();
        contextCarrier = s.contextCarrier();
    }

    /**
     * The name of the pool in threads, messages and statistics, and the group of tasks without one. Not blank. Default "pool-" and a number that no
     * other pool of this JVM without a name has.
     */
    public WorkerPoolBuilder name(String value) {
        name = Objects.requireNonNull(value, "name");
        return this;
    }

    /** How many workers stay when they are idle, at least 1. They start when they are first needed. Default 1. */
    public WorkerPoolBuilder minWorkers(int number) {
        minWorkers = number;
        return this;
    }

    /** The maximum number of workers, at least {@link #minWorkers}. Default the same as that. */
    public WorkerPoolBuilder maxWorkers(int number) {
        maxWorkers = number;
        maxIsSet = true;
        return this;
    }

    /** How long a worker beyond {@link #minWorkers} is idle before it leaves, not negative. Default one minute. */
    public WorkerPoolBuilder keepAlive(Duration time) {
        keepAlive = Objects.requireNonNull(time, "keepAlive");
        return this;
    }

    /** The maximum number of queued tasks, at least 0. Default unlimited. */
    public WorkerPoolBuilder queueCapacity(int tasks) {
        queueCapacity = tasks;
        return this;
    }

    /** What to do with a task when the queue is full. Default {@link RejectionPolicy#ABORT}. */
    public WorkerPoolBuilder rejectionPolicy(RejectionPolicy policy) {
        rejectionPolicy = Objects.requireNonNull(policy, "rejectionPolicy");
        return this;
    }

    /** How long {@link RejectionPolicy#BLOCK} waits, not negative. Default one minute. */
    public WorkerPoolBuilder maxBlockTime(Duration time) {
        maxBlockTime = Objects.requireNonNull(time, "maxBlockTime");
        return this;
    }

    /** The kind of threads of workers. Default {@link ThreadKind#PLATFORM}. Replaces {@link #threads(ThreadFactory)}. */
    public WorkerPoolBuilder threads(ThreadKind kind) {
        threads = Objects.requireNonNull(kind, "threads");
        threadFactory = null;
        return this;
    }

    /** Creates the threads of workers, one for each worker, when it is needed and on the thread that needs it. */
    public WorkerPoolBuilder threads(ThreadFactory factory) {
        threadFactory = Objects.requireNonNull(factory, "threads");
        return this;
    }

    /**
     * The time in the queue that is worth one step of {@link TaskOptions#priority}; positive. Default none: larger priorities always start
     * first.
     */
    public WorkerPoolBuilder priorityAgeing(Duration perStep) {
        priorityAgeing = Objects.requireNonNull(perStep, "priorityAgeing");
        return this;
    }

    /**
     * Called with what a task throws, {@link Error}s included, if the task has no {@link TaskOptions.Builder#recovery} of its own. What the
     * callback throws is reported through {@link System.Logger} and changes nothing. Default none.
     */
    public WorkerPoolBuilder recovery(Consumer<Throwable> consumer) {
        recovery = Objects.requireNonNull(consumer, "recovery");
        return this;
    }

    /**
     * How long a task may take to return after its timeout or a {@code cancel(true)} interrupted it. After that its worker is replaced. Not
     * negative. Default one second.
     */
    public WorkerPoolBuilder grace(Duration time) {
        grace = Objects.requireNonNull(time, "grace");
        return this;
    }

    /**
     * How many workers may be replaced at a time because their tasks do not return, at least 0. There are at most that many workers beyond
     * {@link #maxWorkers}. Default the same as {@link #maxWorkers}.
     */
    public WorkerPoolBuilder maxZombies(int number) {
        maxZombies = number;
        maxZombiesIsSet = true;
        return this;
    }

    /**
     * How many of its workers the pool uses.
     *
     * @param mode how it decides
     * @param target the fraction of their time that workers should be busy, above 0 and at most 1; ignored with {@link Sizing#MAX}
     */
    public WorkerPoolBuilder sizing(Sizing mode, double target) {
        sizing = Objects.requireNonNull(mode, "sizing");
        utilization = target;
        return this;
    }

    /**
     * How long {@link WorkerPool#close} lets running and queued tasks complete before it stops them, not negative. Zero: it stops them at once.
     * Default none: it waits until all have completed.
     */
    public WorkerPoolBuilder closeTimeout(Duration time) {
        closeTimeout = Objects.requireNonNull(time, "closeTimeout");
        return this;
    }

    /**
     * Is notified of each step in the life of each task. The worker of a task calls it before and after the task; see
     * {@link TaskLifecycleListener}. If it does not return, the worker is replaced as after an interrupt that has no effect. Default none.
     */
    public WorkerPoolBuilder taskLifecycleListener(TaskLifecycleListener listener) {
        taskLifecycleListener = Objects.requireNonNull(listener, "taskLifecycleListener");
        return this;
    }

    /**
     * Carries context from submitters to tasks and their callbacks. What a task sets of that context is undone before the next task of its
     * worker, also if the submitter had no context and the carrier has an {@linkplain ContextCarrier#empty empty} one. For several, see
     * {@link ContextCarrier#andThen}. Default none.
     */
    public WorkerPoolBuilder contextCarrier(ContextCarrier carrier) {
        contextCarrier = Objects.requireNonNull(carrier, "contextCarrier");
        return this;
    }

    /**
     * Creates the pool. It has no threads until it is used.
     *
     * @throws IllegalArgumentException if a setting is out of range; the message has its name and its value
     */
    public WorkerPool build() {
        return new WorkerPool(settings());
    }

    PoolSettings settings() {
        if (name != null) {
            Checks.notBlank("name", name);
        }
        int max = maxIsSet ? maxWorkers : minWorkers;
        requireRange(minWorkers, max);
        Checks.notNegative("keepAlive", keepAlive);
        Checks.atLeast(0, "queueCapacity", queueCapacity);
        Checks.notNegative("maxBlockTime", maxBlockTime);
        if (priorityAgeing != null) {
            Checks.positive("priorityAgeing", priorityAgeing);
        }
        Checks.notNegative("grace", grace);
        if (closeTimeout != null) {
            Checks.notNegative("closeTimeout", closeTimeout);
        }
        if (maxZombiesIsSet) {
            Checks.atLeast(0, "maxZombies", maxZombies);
        }
        Checks.check(utilization > 0 && utilization <= 1, "utilization", "above 0 and at most 1", utilization);
        return new PoolSettings(
                name == null ? ExecutorName.numbered("pool") : name,
                minWorkers,
                max,
                keepAlive,
                queueCapacity,
                rejectionPolicy,
                maxBlockTime,
                threads,
                threadFactory,
                priorityAgeing,
                recovery,
                grace,
                maxZombiesIsSet ? maxZombies : max,
                sizing,
                utilization,
                closeTimeout,
                taskLifecycleListener,
                contextCarrier);
    }

    /**
     * Returns the numbers of workers, and each other setting that differs from its default, such as
     * "WorkerPool[name images, workers 2 to 8, queue capacity 100]".
     */
    @Override
    public String toString() {
        int max = maxIsSet ? maxWorkers : minWorkers;
        return new SettingsText("WorkerPool")
                .addUnless(null, "name", name)
                .add("workers", minWorkers == max ? max : minWorkers + " to " + max)
                .addIf(sizing == Sizing.UTILIZATION, "sizing by utilization " + utilization)
                .addUnless(DEFAULT_KEEP_ALIVE, "keep alive", keepAlive)
                .addLimit("queue capacity", queueCapacity)
                .addUnless(RejectionPolicy.ABORT, "rejection policy", rejectionPolicy)
                .addUnless(DEFAULT_MAX_BLOCK_TIME, "max block time", maxBlockTime)
                .addIf(threadFactory != null, "thread factory")
                .addUnless(ThreadKind.PLATFORM, "threads", threadFactory == null ? threads : null)
                .addUnless(null, "priority ageing", priorityAgeing)
                .addUnless(DEFAULT_GRACE, "grace", grace)
                .addUnless(max, "max zombies", maxZombiesIsSet ? maxZombies : max)
                .addUnless(null, "close timeout", closeTimeout)
                .addIf(recovery != null, "recovery")
                .addIf(taskLifecycleListener != null, "listener")
                .addIf(contextCarrier != null, "context carrier")
                .toString();
    }

    /** The message contains both numbers. */
    static void requireRange(int min, int max) {
        if (min < 1 || max < min) {
            throw new IllegalArgumentException(
                    "minWorkers must be at least 1 and maxWorkers at least minWorkers, but minWorkers is " + min
                            + " and maxWorkers is " + max);
        }
    }
}
