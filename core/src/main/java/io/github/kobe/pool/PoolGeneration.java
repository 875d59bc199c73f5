package io.github.kobe.pool;

import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.internal.group.GroupEngine;
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
 * A pool from one start to the next: workers, and the executor whose tickets they run.
 *
 * <p>Tasks without a group are in one that has the pool's name and as many places as there are workers. When a task first comes with a
 * group, a global limit is put over all: then it is that which has as many places, and groups take turns.
 */
final class PoolGeneration {

    private static final long STEERING_PERIOD = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int STEERED_BY_SECONDS = 1;
    private static final int MOST_DECISIONS = 16;

    private final String name;
    private final GroupEngine engine;
    private final Dispatcher kernel;
    private final WorkerSet workers;
    private final @Nullable UtilizationSizer sizer;
    private final @Nullable PeriodicSweep steering;
    private final AtomicInteger fits = new AtomicInteger();
    private volatile boolean keyed;
    private volatile boolean down;

    // Guarded by this.
    private final Deque<SizingDecision> decisions = new ArrayDeque<>();
    private int min;
    private int max;
    private int size; // how many workers are used, but for those that stand in for others
    private int applied; // by the one who fits

    PoolGeneration(PoolSettings s, WorkerThreads threads, Timer timer, Faults faults) {
        name = s.name();
        min = s.minWorkers();
        max = s.maxWorkers();
        sizer = s.sizing() == Sizing.UTILIZATION ? new UtilizationSizer(s.utilization()) : null;
        size = sizer == null ? max : min;
        applied = size;
        steering = sizer == null ? null : new PeriodicSweep(timer, STEERING_PERIOD, this::steer, this::isToBeSteered);
        WorkerSet.Terms terms = new WorkerSet.Terms(
                Durations.saturatedNanos(s.keepAlive()), Durations.saturatedNanos(s.grace()), s.maxZombies());
        workers = new WorkerSet(threads, timer, faults, terms, min, size, this::fit, this::busier);
        engine = new GroupEngine(policy(s, size), workers, timer);
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
        return ageing == null ? policy.build() : policy.priorityAgeing(ageing).build();
    }

    String name() {
        return name;
    }

    GroupEngine engine() {
        return engine;
    }

    /** For tasks with groups. */
    GroupEngine keyedEngine() {
        if (!keyed) {
            engine.setGlobalMaxInFlight(cap());
            keyed = true;
            fit(); // the number may have changed meanwhile
        }
        return engine;
    }

    // ---- how many workers ----------------------------------------------------------------------------------------

    private synchronized int cap() {
        return size + workers.zombies();
    }

    /** Raises and lowers the limits to what they should be. By one thread at a time; whoever comes meanwhile leaves it to that one. */
    private void fit() {
        if (fits.getAndIncrement() > 0) {
            return;
        }
        int asked;
        do {
            asked = fits.get();
            int cap = cap();
            workers.setLimit(Math.max(cap, applied)); // never below what the kernel goes by
            engine.setMaxConcurrency(name, cap);
            if (keyed) {
                engine.setGlobalMaxInFlight(cap);
            }
            workers.setLimit(cap);
            applied = cap;
        } while (fits.addAndGet(-asked) > 0);
    }

    /** @param settings as they are, when we look: of two changes at once the later one holds */
    void resize(Supplier<PoolSettings> settings) {
        synchronized (this) {
            PoolSettings now = settings.get();
            min = now.minWorkers();
            max = now.maxWorkers();
            size = sizer == null ? max : Math.clamp(size, min, max);
            workers.setMin(min);
        }
        fit();
    }

    private void busier() {
        if (steering != null) {
            steering.schedule();
        }
    }

    private synchronized boolean isToBeSteered() {
        return !kernel.isClosed() && (workers.busy() > 0 || size > min);
    }

    private void steer() {
        GroupExecutorStats now = engine.stats();
        double busyShare = workers.busyShare(STEERED_BY_SECONDS);
        synchronized (this) {
            UtilizationSizer.Figures figures = new UtilizationSizer.Figures(
                    size, min, max, busyShare, now.totalQueuedCount(), now.oldestWaiting());
            int to = sizer == null ? size : sizer.decide(figures);
            if (sizer == null || to == size) {
                return;
            }
            decisions.addLast(new SizingDecision(Instant.now(), size, to, sizer.why(figures)));
            if (decisions.size() > MOST_DECISIONS) {
                decisions.removeFirst();
            }
            size = to;
        }
        fit();
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    boolean isClosed() {
        return kernel.isClosed();
    }

    /** Whether nothing of it is left but tasks that were stopped and take no notice. */
    boolean isDown() {
        return down || (isClosed() && hasDrained());
    }

    /** Whether all tasks have ended, and none is on a thread. */
    boolean hasDrained() {
        try {
            return kernel.awaitTermination(0);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Takes no more tasks; workers leave when there are none. */
    void close() {
        kernel.close();
        workers.close();
    }

    /** Waits until all tasks have ended and no worker is left, or until {@code nanos} are over. */
    boolean awaitEnd(long nanos) throws InterruptedException {
        if (!kernel.awaitTermination(nanos)) {
            return false;
        }
        workers.awaitNone();
        stop();
        return true;
    }

    /** Stops what is left. */
    void stop() {
        close();
        workers.stop();
        engine.shutdown();
        down = true;
    }

    /** Stops everything, and says which tasks were still in line. */
    List<TaskHandle<?>> stopNow() {
        close();
        List<TaskHandle<?>> waiting = new ArrayList<>();
        kernel.groups()
                .forEach(group -> kernel.forEachTask(group.key(), ticket -> {
                    if (ticket.isQueuedForFirstStart() && ticket instanceof TaskHandle<?> handle) {
                        waiting.add(handle);
                    }
                }));
        stop();
        waiting.removeIf(handle -> !neverRan(handle));
        return waiting;
    }

    /** One that was given a worker since we looked has a start, and so a duration. */
    private static boolean neverRan(TaskHandle<?> handle) {
        GroupResult<?> end = handle.join();
        return end.status() == TaskStatus.CANCELLED && end.durationNanos() == 0;
    }

    boolean isOwnThread() {
        Worker self = WorkerSet.SELF.get();
        return self != null && self.isOf(workers);
    }

    // ---- figures -------------------------------------------------------------------------------------------------

    GroupExecutorStats tasks() {
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
