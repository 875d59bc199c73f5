package io.github.kobe.micrometer;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.SharedLimit;
import io.github.kobe.TaskOptions;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.fleet.InMemoryStore;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPool;
import io.github.kobe.scope.ThreadScope;
import io.micrometer.core.instrument.MeterRegistry;

/** Executors of all kinds that have run tasks, with all their metrics in one registry. */
final class Everything implements AutoCloseable {

    /** Has meters of groups and of shared limits, timers and a limit. */
    final GroupExecutor orders = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
            .name("orders")
            .globalMaxInFlight(8)
            .defaultMaxConcurrencyPerGroup(2)
            .sharedLimit(SharedLimit.by("tenant", key -> key).max(4))
            .build());

    private final Fleet fleet =
            Fleet.builder("fleet", new InMemoryStore()).founding(true).join();

    /** Has meters of a shared limit of the fleet. */
    final GroupExecutor nodes = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
            .name("nodes")
            .fleet(fleet)
            .sharedLimit(SharedLimit.by("region", key -> key).max(5).acrossFleet())
            .build());

    /** Has none of them, but recorded times. */
    final GroupExecutor mails = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
            .name("mails")
            .recordTimes(true)
            .defaultMaxConcurrencyPerGroup(Integer.MAX_VALUE)
            .build());

    private final WorkerPool pool =
            WorkerPool.builder().name("pool").maxWorkers(2).queueCapacity(10).build();
    private final WorkerPool unbounded =
            WorkerPool.builder().name("unbounded").maxWorkers(2).build();
    private final IsolationExecutor isolation = IsolationExecutor.create(
            IsolationPolicy.builder().name("isolation").maxConcurrency(4).build());

    Everything(MeterRegistry registry) {
        GroupExecutorMetrics.builder(orders)
                .groupTags(GroupTags.first(50))
                .sharedLimitTags(GroupTags.first(50))
                .timers(true)
                .build()
                .bindTo(registry);
        GroupExecutorMetrics.monitor(registry, mails);
        GroupExecutorMetrics.builder(nodes)
                .sharedLimitTags(GroupTags.first(50))
                .build()
                .bindTo(registry);
        nodes.submit("eu", () -> 1).join();
        WorkerPoolMetrics.builder(pool).timers(true).build().bindTo(registry);
        WorkerPoolMetrics.monitor(registry, unbounded);
        IsolationMetrics.monitor(registry, isolation);
        FleetMetrics.monitor(registry, fleet);
        for (int i = 0; i < 4; i++) {
            orders.submit(
                            "tenant-" + i % 2,
                            () -> 1,
                            TaskOptions.builder().tag("report").build())
                    .join();
            mails.submit("tenant-" + i, () -> 1).join();
            pool.submit(() -> 1).join();
            isolation.submit("key-" + i, () -> 1).join();
        }
        try (ThreadScope scope = ThreadScope.open().withHook(ScopeMetrics.of(registry, "checkout"))) {
            scope.await(scope.submit(() -> 1));
        }
    }

    @Override
    public void close() {
        orders.close();
        mails.close();
        nodes.close();
        pool.close();
        unbounded.close();
        isolation.close();
        fleet.close();
    }
}
