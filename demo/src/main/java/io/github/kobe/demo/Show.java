package io.github.kobe.demo;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectionPolicy;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Plays a {@link Plan} on an executor and has a {@link Screen} show it. */
final class Show {

    private static final long TICK_MILLIS = 20;
    private static final long GRACE_MILLIS = 1000;

    private final List<Tenant> tenants;
    private final int globalCap;
    private final Options options;
    private final Ledger ledger;

    Show(List<Tenant> tenants, int globalCap, Options options) {
        this.tenants = tenants;
        this.globalCap = globalCap;
        this.options = options;
        this.ledger = new Ledger(tenants, globalCap);
    }

    Ledger run(Screen screen) throws InterruptedException {
        List<Plan.Arrival> plan = Plan.of(tenants, options.seconds(), options.seed());
        screen.open(tenants, options);
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy())) {
            play(plan, executor, screen);
        }
        awaitLastNews();
        return ledger;
    }

    private GroupPolicy policy() {
        return GroupPolicy.builder()
                .perGroupMaxConcurrency(tenants.stream().collect(Collectors.toMap(Tenant::key, Tenant::limit)))
                .perGroupQueueThreshold(tenants.stream().collect(Collectors.toMap(Tenant::key, Tenant::mayWait)))
                .globalMaxInFlight(globalCap)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .taskLifecycleListener(ledger)
                .build();
    }

    /** Until all is submitted and finished, or time is up; closing the executor then cancels what is left. */
    private void play(List<Plan.Arrival> plan, GroupExecutor executor, Screen screen) throws InterruptedException {
        long start = System.nanoTime();
        long deadline = TimeUnit.SECONDS.toMillis(options.seconds()) + GRACE_MILLIS;
        int next = 0;
        for (long now = 0; now < deadline; now = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)) {
            for (; next < plan.size() && plan.get(next).atMillis() <= now; next++) {
                submit(plan.get(next), executor);
            }
            Snapshot snapshot = Snapshot.of(executor, ledger, now);
            boolean over = next == plan.size() && ledger.all().addsUp();
            screen.show(snapshot, over);
            if (over) {
                return;
            }
            Thread.sleep(TICK_MILLIS);
        }
    }

    private void submit(Plan.Arrival arrival, GroupExecutor executor) {
        executor.submit(arrival.groupKey(), arrival.taskId(), ledger.task(arrival.groupKey(), arrival.workMillis()));
    }

    /** A cancelled task may be told to the ledger a moment after the executor is closed. */
    private void awaitLastNews() throws InterruptedException {
        long start = System.nanoTime();
        while (!ledger.all().addsUp() && System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(GRACE_MILLIS)) {
            Thread.sleep(TICK_MILLIS);
        }
    }
}
