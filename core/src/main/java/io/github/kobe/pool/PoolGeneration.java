package io.github.kobe.pool;

import io.github.kobe.ContextCarrier;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.ShutdownMode;
import io.github.kobe.ShutdownReport;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.internal.group.GroupEngine;
import io.github.kobe.internal.group.ListenerRegistry;
import io.github.kobe.internal.jfr.FlightRecording;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.time.PeriodicSweep;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.Durations;
import io.github.kobe.internal.util.Faults;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A pool from one start to the next: workers, and the executor whose tasks they run.
 *
 * <p>Tasks without a group belong to one group, which has the name of the pool and as many permits as there may be workers. When the first task
 * with a group is submitted, a global limit of that size is put over all groups, which compete from then on.
 */
final class PoolGeneration implements GroupEngine.Lifecycle {

    private static final long SIZING_PERIOD = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int SIZING_WINDOW_SECONDS = 1;
    private static final int MAX_DECISIONS = 16;

    private final String name;
    private final GroupEngine engine;
    private final Dispatcher kernel;
    private final WorkerSet workers;
    private final @Nullable UtilizationSizer sizer;
    private final @Nullable PeriodicSweep sizingSweep;
    private final AtomicInteger limitUpdates = new AtomicInteger();
    private volatile boolean hasGroups;
    private volatile boolean stopped;

    // Guarded by this.
    private final Deque<SizingDecision> decisions = new ArrayDeque<>();
    private int min;
    private int max;
    private int size; // how many workers are used, without those that replace zombies
    private int appliedLimit; // written by the thread that updates the limits

    PoolGeneration(PoolSettings s, WorkerThreads threads, Timer timer, Faults faults, ListenerRegistry listeners) {
        name = s.name();
        min = s.minWorkers();
        max = s.maxWorkers();
        sizer = s.sizing() == Sizing.UTILIZATION ? new UtilizationSizer(s.utilization()) : null;
        size = sizer == null ? max : min;
        appliedLimit = size;
        sizingSweep =
                sizer == null ? null : new PeriodicSweep(timer, SIZING_PERIOD, this::adjustSize, this::needsSizing);
        WorkerSet.Settings settings = new WorkerSet.Settings(
                Durations.saturatedNanos(s.keepAlive()), Durations.saturatedNanos(s.grace()), s.maxZombies());
        workers = new WorkerSet(threads, timer, faults, settings, min, size, this::updateLimits, this::onWorkerBusy);
        engine = GroupEngine.withOneQueue(WorkerPool.nameOf(s), policy(s, size), workers, timer, faults, listeners);
        kernel = engine.dispatcher();
    }

    private static GroupPolicy policy(PoolSettings s, int size) {
        GroupPolicy.Builder policy = GroupPolicy.builder()
                .perGroupMaxConcurrency(Map.of(s.name(), size))
                .defaultMaxConcurrencyPerGroup(Integer.MAX_VALUE)
                .defaultQueueThresholdPerGroup(s.queueCapacity())
                .globalQueueThreshold(s.queueCapacity())
                .rejectionPolicy(s.rejectionPolicy())
                .maxBlockTime(s.maxBlockTime());
        Duration ageing = s.priorityAgeing();
        if (ageing != null) {
            policy.priorityAgeing(ageing);
        }
        ContextCarrier carrier = s.contextCarrier();
        if (carrier != null) {
            policy.contextCarrier(carrier);
        }
        return policy.build();
    }

    String name() {
        return name;
    }

    GroupEngine engine() {
        return engine;
    }

    /** The executor of tasks of a group; of tasks without one, if {@code groupKey} is {@code null}. */
    GroupEngine engineFor(@Nullable String groupKey) {
        if (groupKey != null && !hasGroups) {
            engine.setGlobalMaxInFlight(limit());
            hasGroups = true;
            updateLimits(); // the limit may have changed in between
        }
        return engine;
    }

    /** Tasks without a group form one group with the name of the pool. */
    String keyOf(@Nullable String groupKey) {
        return groupKey == null ? name : groupKey;
    }

    // ---- number of workers ------------------------------------------------------------------------------------------

    private synchronized int limit() {
        return size + workers.zombies();
    }

    /** Sets the limits of the workers and of the kernel. One thread at a time does this; a call meanwhile makes that thread repeat it. */
    private void updateLimits() {
        if (limitUpdates.getAndIncrement() > 0) {
            return;
        }
        int seen;
        do {
            seen = limitUpdates.get();
            int limit = limit();
            workers.setLimit(Math.max(limit, appliedLimit)); // never below the limit of the kernel
            engine.setMaxConcurrency(name, limit);
            if (hasGroups) {
                engine.setGlobalMaxInFlight(limit);
            }
            workers.setLimit(limit);
            FlightRecording.poolResized(name, appliedLimit, limit, min(), max(), workers.zombies());
            appliedLimit = limit;
        } while (limitUpdates.addAndGet(-seen) > 0);
    }

    /** @param settings read under the lock, so that the later one of two concurrent changes wins */
    void resize(Supplier<PoolSettings> settings) {
        synchronized (this) {
            PoolSettings now = settings.get();
            min = now.minWorkers();
            max = now.maxWorkers();
            size = sizer == null ? max : Math.clamp(size, min, max);
            workers.setMin(min);
        }
        updateLimits();
    }

    /** @param settings read again after the change, so that the later one of two concurrent changes wins */
    void setQueueCapacity(Supplier<PoolSettings> settings) {
        int capacity;
        do {
            capacity = settings.get().queueCapacity();
            engine.setDefaultQueueThreshold(capacity);
            engine.setGlobalQueueThreshold(capacity);
        } while (settings.get().queueCapacity() != capacity);
    }

    private void onWorkerBusy() {
        if (sizingSweep != null) {
            sizingSweep.schedule();
        }
    }

    private synchronized boolean needsSizing() {
        return !kernel.isClosed() && (workers.busy() > 0 || size > min);
    }

    private void adjustSize() {
        GroupExecutorStats now = engine.stats();
        double busyShare = workers.busyShare(SIZING_WINDOW_SECONDS);
        synchronized (this) {
            UtilizationSizer.Sample sample =
                    new UtilizationSizer.Sample(size, min, max, busyShare, now.totalQueuedCount(), now.oldestWaiting());
            int to = sizer == null ? size : sizer.decide(sample);
            if (sizer == null || to == size) {
                return;
            }
            decisions.addLast(new SizingDecision(Instant.now(), size, to, sizer.explain(sample)));
            if (decisions.size() > MAX_DECISIONS) {
                decisions.removeFirst();
            }
            size = to;
        }
        updateLimits();
    }

    // ---- shutdown ---------------------------------------------------------------------------------------------------

    boolean isClosed() {
        return kernel.isClosed();
    }

    /** Whether nothing is left except tasks that were stopped and ignore the interrupt. */
    boolean isTerminated() {
        return stopped || (isClosed() && hasDrained());
    }

    /** Whether all tasks have completed and none is on a thread. */
    boolean hasDrained() {
        try {
            return kernel.awaitTermination(0);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    ShutdownReport shutdown(Duration timeout, ShutdownMode mode) {
        return engine.shutdown(timeout, mode, this);
    }

    /** Rejects new tasks; workers leave when there are no more tasks. */
    @Override
    public void close() {
        kernel.close();
        workers.close();
    }

    /** Waits until all tasks have completed and no worker is left, for at most {@code nanos}. */
    @Override
    public boolean awaitTermination(long nanos) throws InterruptedException {
        if (!kernel.awaitTermination(nanos)) {
            return false;
        }
        workers.awaitNoWorkers();
        stop();
        return true;
    }

    /** Cancels all tasks that are left. */
    @Override
    public void stop() {
        close();
        workers.stop();
        engine.shutdown();
        stopped = true;
    }

    /** Cancels all tasks and returns those that were still queued. */
    List<TaskHandle<?>> stopNow() {
        close();
        List<TaskHandle<?>> queued = new ArrayList<>();
        kernel.groups()
                .forEach(group -> kernel.forEachTask(group.key(), task -> {
                    if (task.isQueuedForFirstStart() && task instanceof TaskHandle<?> handle) {
                        queued.add(handle);
                    }
                }));
        stop();
        queued.removeIf(handle -> !neverRan(handle));
        return queued;
    }

    /** A task that got a worker in the meantime has a duration. */
    private static boolean neverRan(TaskHandle<?> handle) {
        GroupResult<?> result = handle.join();
        return result.status() == TaskStatus.CANCELLED && result.durationNanos() == 0;
    }

    boolean isWorkerThread() {
        Worker worker = WorkerSet.CURRENT.get();
        return worker != null && worker.belongsTo(workers);
    }

    // ---- statistics -------------------------------------------------------------------------------------------------

    GroupExecutorStats taskStats() {
        return engine.stats();
    }

    WorkerSet workers() {
        return workers;
    }

    synchronized int min() {
        return min;
    }

    synchronized int max() {
        return max;
    }

    synchronized int size() {
        return size;
    }

    synchronized List<SizingDecision> decisions() {
        return List.copyOf(decisions);
    }
}
