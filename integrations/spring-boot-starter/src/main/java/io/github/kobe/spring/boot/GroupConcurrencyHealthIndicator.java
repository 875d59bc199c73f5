package io.github.kobe.spring.boot;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Down if tasks of a group wait for too long. Off by default: whoever takes an instance out of service because of load adds to the load of the others. */
final class GroupConcurrencyHealthIndicator extends AbstractHealthIndicator {

    private static final int MAX_NAMED = 10;

    private final Map<String, GroupExecutor> executors;
    private final Duration maxWait;

    GroupConcurrencyHealthIndicator(Map<String, GroupExecutor> executors, Duration maxWait) {
        super("the statistics of a group executor could not be read");
        this.executors = new TreeMap<>(executors);
        this.maxWait = maxWait;
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
