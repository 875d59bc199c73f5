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

/** The executors that tenants share, with the same number of permits. {@link #THREADS} has no limit: its waits are due to the machine. */
enum TenantExecutor {
    THREADS("thread per task") {
        @Override
        Opened open(int permits, int speed) {
            Queue<Thread> threads = new ConcurrentLinkedQueue<>();
            return new Opened(
                    (tenant, task) -> threads.add(Thread.ofVirtual().start(task)),
                    () -> threads.forEach(Thread::interrupt));
        }
    },

    THREAD_POOL("ThreadPoolExecutor") {
        @Override
        Opened open(int permits, int speed) {
            ThreadPoolExecutor pool =
                    new ThreadPoolExecutor(permits, permits, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), DAEMONS);
            return new Opened((tenant, task) -> pool.execute(task), pool::shutdownNow);
        }
    },

    /** The permits are divided by the five of its six pools that receive tasks here. It cannot be closed and leaves idle threads behind. */
    CAMELLIA("camellia-tools") {
        @Override
        Opened open(int permits, int speed) {
            CamelliaDynamicIsolationExecutorConfig config =
                    new CamelliaDynamicIsolationExecutorConfig("benchmark", () -> Math.max(1, permits / 5));
            config.setIsolationThresholdPercentage(() -> 0.3);
            config.setTaskSpendThresholdMs(() -> 1000L / speed);
            config.setTargetLatencyMs(() -> 300L / speed);
            CamelliaDynamicIsolationExecutor executor = new CamelliaDynamicIsolationExecutor(config);
            return new Opened(executor::submit, () -> {});
        }
    },

    ISOLATION("IsolationExecutor") {
        @Override
        Opened open(int permits, int speed) {
            IsolationExecutor executor = IsolationExecutor.create(IsolationPolicy.builder()
                    .maxConcurrency(permits)
                    .slowThreshold(Duration.ofMillis(1000 / speed))
                    .targetWait(Duration.ofMillis(300 / speed))
                    .build());
            return new Opened(executor::execute, executor::close);
        }
    };

    /** Submits a task of a tenant. */
    interface Submitter {
        void submit(String tenant, Runnable task);
    }

    /** An executor in use. */
    record Opened(Submitter submitter, Runnable close) {}

    private static final ThreadFactory DAEMONS = Thread.ofPlatform().daemon().factory();

    private final String title;

    TenantExecutor(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /** @param speed all times are divided by this */
    abstract Opened open(int permits, int speed);
}
