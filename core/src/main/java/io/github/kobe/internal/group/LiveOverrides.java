package io.github.kobe.internal.group;

import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The limits that were set at run time, by group. They override the policy. */
final class LiveOverrides {

    /** The overrides of one group; {@code null} where the policy applies. */
    record GroupOverride(
            @Nullable Integer concurrency,
            @Nullable Integer inFlight,
            @Nullable Integer queueThreshold,
            @Nullable Integer weight,
            boolean paused) {

        private static final GroupOverride NONE = new GroupOverride(null, null, null, null, false);

        GroupOverride withConcurrency(int n) {
            return new GroupOverride(n, inFlight, queueThreshold, weight, paused);
        }

        GroupOverride withInFlight(int n) {
            return new GroupOverride(concurrency, n, queueThreshold, weight, paused);
        }

        GroupOverride withQueueThreshold(int n) {
            return new GroupOverride(concurrency, inFlight, n, weight, paused);
        }

        GroupOverride withWeight(int n) {
            return new GroupOverride(concurrency, inFlight, queueThreshold, n, paused);
        }

        GroupOverride withPaused(boolean now) {
            return new GroupOverride(concurrency, inFlight, queueThreshold, weight, now);
        }
    }

    private final ConcurrentHashMap<String, GroupOverride> byGroup = new ConcurrentHashMap<>();

    GroupOverride of(String key) {
        return byGroup.getOrDefault(key, GroupOverride.NONE);
    }

    void change(String key, UnaryOperator<GroupOverride> change) {
        byGroup.compute(key, (k, known) -> {
            GroupOverride changed = change.apply(known == null ? GroupOverride.NONE : known);
            return changed.equals(GroupOverride.NONE) ? null : changed;
        });
    }

    void remove(String key) {
        byGroup.remove(key);
    }
}
