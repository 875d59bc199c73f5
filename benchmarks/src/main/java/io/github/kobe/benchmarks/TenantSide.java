package io.github.kobe.benchmarks;

import com.netease.nim.camellia.tools.executor.CamelliaDynamicIsolationExecutor;
import com.netease.nim.camellia.tools.executor.CamelliaDynamicIsolationExecutorConfig;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The executors that tenants can share, each with the same number of places. */
enum TenantSide {
    PLAIN("ThreadPoolExecutor") {
        @Override
        Tenancy open(int places) {
            ThreadPoolExecutor pool =
                    new ThreadPoolExecutor(places, places, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
            return new Tenancy((tenant, task) -> pool.execute(task), pool::shutdownNow);
        }
    },

    /** Five of its six pools see tasks here. It has no end: its threads are left behind, idle. */
    SEED("camellia-tools") {
        @Override
        Tenancy open(int places) {
            CamelliaDynamicIsolationExecutorConfig config =
                    new CamelliaDynamicIsolationExecutorConfig("benchmark", () -> Math.max(1, places / 5));
            config.setIsolationThresholdPercentage(() -> 0.3);
            config.setTaskSpendThresholdMs(() -> 1000L / TenantLoad.SCALE);
            config.setTargetLatencyMs(() -> 300L / TenantLoad.SCALE);
            CamelliaDynamicIsolationExecutor executor = new CamelliaDynamicIsolationExecutor(config);
            return new Tenancy(executor::submit, () -> {});
        }
    },

    OURS("IsolationExecutor") {
        @Override
        Tenancy open(int places) {
            IsolationExecutor executor = IsolationExecutor.create(IsolationPolicy.builder()
                    .maxConcurrency(places)
                    .slowThreshold(Duration.ofMillis(1000 / TenantLoad.SCALE))
                    .targetWait(Duration.ofMillis(300 / TenantLoad.SCALE))
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

    private final String title;

    TenantSide(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    abstract Tenancy open(int places);
}
