package io.github.kobe.spring.boot;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.fleet.FleetStats;
import io.github.kobe.fleet.UnreachableMode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Down if tasks of a group wait for too long, or if no task can start because the store of the fleet does not answer. Off by default: if an instance is taken out of service because of load, the load of the others grows. */
final class GroupConcurrencyHealthIndicator extends AbstractHealthIndicator {

    private static final int MAX_NAMED = 10;

    private final Map<String, GroupExecutor> executors;
    private final Map<String, Fleet> fleets;
    private final Duration maxWait;
    private final UnreachableMode whenUnreachable;

    /** @param whenUnreachable what executors do if the lease of a fleet is over */
    GroupConcurrencyHealthIndicator(
            Map<String, GroupExecutor> executors,
            Map<String, Fleet> fleets,
            Duration maxWait,
            UnreachableMode whenUnreachable) {
        super("the statistics of a group executor could not be read");
        this.executors = new TreeMap<>(executors);
        this.fleets = new TreeMap<>(fleets);
        this.maxWait = maxWait;
        this.whenUnreachable = whenUnreachable;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        health.up();
        executors.forEach((name, executor) -> {
            List<String> late = lateGroups(executor);
            if (!late.isEmpty()) {
                health.down();
            }
            health.withDetail(
                    name,
                    late.isEmpty()
                            ? executor.stats().toString()
                            : Map.of("summary", executor.stats().toString(), "lateGroups", late));
        });
        fleets.forEach((name, fleet) -> {
            boolean stopped = isStopped(fleet.stats());
            if (stopped && whenUnreachable == UnreachableMode.STOP) {
                health.down();
            }
            health.withDetail(
                    name,
                    "fleet '" + fleet.name() + (stopped ? "': no lease, the store does not answer" : "': reachable"));
        });
    }

    /** Whether permits are of use, but the store has not answered. Without tasks there is no lease, and none is needed. */
    private static boolean isStopped(FleetStats stats) {
        return stats.wanted() > 0
                && stats.sessions().stream()
                        .allMatch(session -> session.leaseLeft().isZero());
    }

    /** Groups are read only if there is a late task. Tasks of a paused group wait because somebody wants it. */
    private List<String> lateGroups(GroupExecutor executor) {
        if (executor.stats().oldestWaiting().compareTo(maxWait) <= 0) {
            return List.of();
        }
        try (Stream<GroupStats> groups = executor.groups()) {
            return groups.filter(
                            group -> !group.paused() && group.oldestWaiting().compareTo(maxWait) > 0)
                    .limit(MAX_NAMED)
                    .map(GroupStats::groupKey)
                    .toList();
        }
    }
}
