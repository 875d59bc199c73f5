package io.github.kobe.benchmarks;

import com.netease.nim.camellia.tools.executor.CamelliaDynamicIsolationExecutor;
import com.netease.nim.camellia.tools.executor.CamelliaDynamicIsolationExecutorConfig;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The executors that tenants can share, each with the same number of places; and none, which shows what the machine makes them wait. */
enum TenantSide {
    BARE("a thread each") {
        @Override
        Tenancy open(int places, int scale) {
            Queue<Thread> threads = new ConcurrentLinkedQueue<>();
            return new Tenancy(
                    (tenant, task) -> threads.add(Thread.ofVirtual().start(task)),
                    () -> threads.forEach(Thread::interrupt));
        }
    },

    PLAIN("ThreadPoolExecutor") {
        @Override
        Tenancy open(int places, int scale) {
            ThreadPoolExecutor pool =
                    new ThreadPoolExecutor(places, places, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), DAEMONS);
            return new Tenancy((tenant, task) -> pool.execute(task), pool::shutdownNow);
        }
    },

    /** Five of its six pools see tasks here. It has no end: its threads are left behind, idle. */
    SEED("camellia-tools") {
        @Override
        Tenancy open(int places, int scale) {
            CamelliaDynamicIsolationExecutorConfig config =
                    new CamelliaDynamicIsolationExecutorConfig("benchmark", () -> Math.max(1, places / 5));
            config.setIsolationThresholdPercentage(() -> 0.3);
            config.setTaskSpendThresholdMs(() -> 1000L / scale);
            config.setTargetLatencyMs(() -> 300L / scale);
            CamelliaDynamicIsolationExecutor executor = new CamelliaDynamicIsolationExecutor(config);
            return new Tenancy(executor::submit, () -> {});
        }
    },

    OURS("IsolationExecutor") {
        @Override
        Tenancy open(int places, int scale) {
            IsolationExecutor executor = IsolationExecutor.create(IsolationPolicy.builder()
                    .maxConcurrency(places)
                    .slowThreshold(Duration.ofMillis(1000 / scale))
                    .targetWait(Duration.ofMillis(300 / scale))
                    .build());
            return new Tenancy(executor::execute, executor::close);
        }
    };

    /** Hands in a task of a tenant. */
    interface Submitter {
        void submit(String tenant, Runnable task);
    }

    /** An executor in use. */
    record Tenancy(Submitter submitter, Runnable close) {}

    private static final ThreadFactory DAEMONS = Thread.ofPlatform().daemon().factory();

    private final String title;

    TenantSide(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /** @param scale how many times as fast as usual time is played */
    abstract Tenancy open(int places, int scale);
}
