package io.github.kobe.console;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskOptions;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.Sizing;
import io.github.kobe.pool.WorkerPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** A service under load, for screenshots: tenants of an order system, a pool for thumbnails, and calls to partners. */
final class SampleLoad implements AutoCloseable {

    /** A tenant: so many tasks at once, so long apart, each of so many milliseconds. */
    private record Tenant(String name, int burst, int gapMillis, int taskMillis) {}

    private static final List<Tenant> TENANTS = List.of(
            new Tenant("checkout", 1, 14, 60),
            new Tenant("search", 1, 12, 40),
            new Tenant("reports", 24, 6_000, 900),
            new Tenant("backfill", 70, 9_000, 600),
            new Tenant("mail", 1, 90, 300),
            new Tenant("acme", 2, 250, 330),
            new Tenant("globex", 1, 70, 180),
            new Tenant("initech", 6, 2_500, 400),
            new Tenant("umbrella", 1, 160, 500),
            new Tenant("hooli", 1, 320, 200),
            new Tenant("wayne enterprises", 3, 900, 350),
            new Tenant("wonka", 1, 600, 120));

    final GroupExecutor groups = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
            .name("orders")
            .defaultMaxConcurrencyPerGroup(4)
            .perGroupMaxConcurrency(Map.of("checkout", 8, "search", 6))
            .defaultQueueThresholdPerGroup(60)
            .globalMaxInFlight(40)
            .recordTimes(true)
            .rejectionPolicy(RejectionPolicy.DISCARD)
            .build());
    final WorkerPool pool = WorkerPool.builder()
            .name("thumbnails")
            .minWorkers(2)
            .maxWorkers(8)
            .queueCapacity(200)
            .sizing(Sizing.UTILIZATION, 0.7)
            .build();
    final IsolationExecutor isolation = IsolationExecutor.create(IsolationPolicy.builder()
            .name("partner calls")
            .maxConcurrency(30)
            .queueCapacity(400)
            .slowThreshold(Duration.ofMillis(300))
            .build());

    private final List<Thread> submitters = new ArrayList<>();

    SampleLoad() {
        TENANTS.forEach(tenant -> submit(tenant, TENANTS.indexOf(tenant)));
        for (int i = 0; i < 48; i++) {
            submit(new Tenant("tenant-" + (1000 + 7 * i), 1, 700 + 130 * i, 60 + 9 * i), 100 + i);
        }
        for (int i = 0; i < 9; i++) {
            call("partner-" + i, 30, 35);
        }
        call("slow-bank", 900, 60);
        call("slow-carrier", 700, 80);
        thumbnails();
        groups.setMaxConcurrency("acme", 2);
        groups.pauseGroup("hooli");
    }

    /** A step of a submitter; returns how long to wait until the next one. */
    private interface Step {
        double submit(SplittableRandom random);
    }

    private void start(int seed, Step step) {
        submitters.add(Thread.ofVirtual().start(() -> {
            SplittableRandom random = new SplittableRandom(seed);
            try {
                while (true) {
                    Thread.sleep((long) (step.submit(random) * (0.4 + 1.2 * random.nextDouble())));
                }
            } catch (InterruptedException e) {
                // The load ends.
            }
        }));
    }

    private static boolean work(double millis) throws InterruptedException {
        Thread.sleep((long) millis);
        return true;
    }

    private void submit(Tenant tenant, int seed) {
        start(seed, random -> {
            for (int i = 0; i < tenant.burst; i++) {
                double millis = tenant.taskMillis * (0.6 + 0.8 * random.nextDouble());
                boolean fails = random.nextInt(90) == 0;
                groups.submit(
                        tenant.name,
                        "order-" + random.nextInt(100_000),
                        () -> work(millis) && (!fails || failed()),
                        TaskOptions.builder()
                                .tag(random.nextInt(3) == 0 ? "write" : "read")
                                .build());
            }
            return tenant.gapMillis;
        });
    }

    private static boolean failed() {
        throw new IllegalStateException("one in ninety");
    }

    private void call(String partner, int millis, int gapMillis) {
        start(partner.hashCode(), random -> {
            isolation.submit(partner, () -> work(millis * (0.7 + 0.6 * random.nextDouble())));
            return gapMillis;
        });
    }

    private void thumbnails() {
        start(7, random -> {
            for (int i = random.nextInt(30); i > 0; i--) {
                pool.submit("album-" + random.nextInt(4), "thumbnail-" + i, () -> work(60 + random.nextInt(80)));
            }
            return 700;
        });
    }

    @Override
    public void close() {
        submitters.forEach(Thread::interrupt);
        groups.close();
        pool.shutdownNow();
        isolation.close();
    }
}
