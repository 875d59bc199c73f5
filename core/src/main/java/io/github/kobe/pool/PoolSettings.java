package io.github.kobe.pool;

import io.github.kobe.ContextCarrier;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskLifecycleListener;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The checked settings of a pool. */
record PoolSettings(
        String name,
        int minWorkers,
        int maxWorkers,
        Duration keepAlive,
        int queueCapacity,
        RejectionPolicy rejectionPolicy,
        Duration maxBlockTime,
        ThreadKind threads,
        @Nullable ThreadFactory threadFactory,
        @Nullable Duration priorityAgeing,
        @Nullable Consumer<Throwable> recovery,
        Duration grace,
        int maxZombies,
        Sizing sizing,
        double utilization,
        @Nullable Duration closeTimeout,
        @Nullable TaskLifecycleListener taskLifecycleListener,
        @Nullable ContextCarrier contextCarrier) {

    /** Threads named after the pool, which inherit nothing from the thread that creates them. */
    ThreadFactory factory() {
        if (threadFactory != null) {
            return threadFactory;
        }
        Thread.Builder builder = threads == ThreadKind.PLATFORM
                ? Thread.ofPlatform().daemon().name(name + "-", 1)
                : Thread.ofVirtual().name(name + "-", 1);
        return builder.inheritInheritableThreadLocals(false).factory();
    }

    PoolSettings withWorkers(int min, int max) {
        return with(min, max, queueCapacity);
    }

    PoolSettings withQueueCapacity(int capacity) {
        return with(minWorkers, maxWorkers, capacity);
    }

    private PoolSettings with(int min, int max, int capacity) {
        return new PoolSettings(
                name,
                min,
                max,
                keepAlive,
                capacity,
                rejectionPolicy,
                maxBlockTime,
                threads,
                threadFactory,
                priorityAgeing,
                recovery,
                grace,
                maxZombies,
                sizing,
                utilization,
                closeTimeout,
                taskLifecycleListener,
                contextCarrier);
    }
}
