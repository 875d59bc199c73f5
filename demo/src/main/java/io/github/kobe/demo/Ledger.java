package io.github.kobe.demo;

import io.github.kobe.GroupResult;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/** Keeps a {@link Tally} for each group and one for all. */
final class Ledger implements TaskLifecycleListener {

    private final Map<String, Tally> groups = new LinkedHashMap<>();
    private final Tally all;

    Ledger(List<Tenant> tenants, int globalCap) {
        tenants.forEach(tenant -> groups.put(tenant.key(), new Tally(tenant.key(), tenant.limit())));
        all = new Tally("all", globalCap);
    }

    /** A task that stands in for work by sleeping, and tells its tallies that it runs. */
    Callable<Boolean> task(String groupKey, int workMillis) {
        Tally own = group(groupKey);
        long submitted = System.nanoTime();
        return () -> {
            long waited = System.nanoTime() - submitted;
            own.enter(waited);
            all.enter(waited);
            try {
                Thread.sleep(workMillis);
                return true;
            } finally {
                all.exit();
                own.exit();
            }
        };
    }

    @Override
    public void onSubmitted(String groupKey, String taskId) {
        count(groupKey, tally -> tally.submitted.incrementAndGet());
    }

    @Override
    public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
        boolean cancelled = result.status() == TaskStatus.CANCELLED;
        count(groupKey, tally -> (cancelled ? tally.cancelled : tally.done).incrementAndGet());
    }

    @Override
    public void onRejected(String groupKey, String taskId, String reason) {
        count(groupKey, tally -> tally.rejected.incrementAndGet());
    }

    private void count(String groupKey, Consumer<Tally> step) {
        step.accept(group(groupKey));
        step.accept(all);
    }

    Tally group(String groupKey) {
        return Objects.requireNonNull(groups.get(groupKey), groupKey);
    }

    Collection<Tally> groups() {
        return groups.values();
    }

    Tally all() {
        return all;
    }

    boolean anyLimitExceeded() {
        return all.limitExceeded() || groups.values().stream().anyMatch(Tally::limitExceeded);
    }
}
