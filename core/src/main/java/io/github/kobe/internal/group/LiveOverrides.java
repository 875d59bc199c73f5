package io.github.kobe.internal.group;

import io.github.kobe.LiveSettings;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The limits that were set at run time, by group. They override the policy, and stay until they are removed. Keys may be chosen by others, so
 * there is a maximum of groups with overrides.
 */
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

        private LiveSettings settings() {
            return new LiveSettings(
                    optional(concurrency), optional(inFlight), optional(queueThreshold), optional(weight), paused);
        }

        private static OptionalInt optional(@Nullable Integer number) {
            return number == null ? OptionalInt.empty() : OptionalInt.of(number);
        }
    }

    /** How many groups may have overrides. */
    static final int MAX_GROUPS = 100_000;

    private final int maxGroups;
    private final AtomicInteger groups = new AtomicInteger(); // how many have overrides, or are about to
    private final ConcurrentHashMap<String, GroupOverride> byGroup = new ConcurrentHashMap<>();

    LiveOverrides(int maxGroups) {
        this.maxGroups = maxGroups;
    }

    /** A snapshot of all overrides, by group. */
    Map<String, LiveSettings> settings() {
        Map<String, LiveSettings> copy = new HashMap<>();
        byGroup.forEach((key, override) -> copy.put(key, override.settings()));
        return Collections.unmodifiableMap(copy);
    }

    GroupOverride of(String key) {
        return byGroup.getOrDefault(key, GroupOverride.NONE);
    }

    /** @throws IllegalStateException if this would be one group with overrides too many; then nothing has changed */
    void change(String key, UnaryOperator<GroupOverride> change) {
        byGroup.compute(key, (k, known) -> {
            GroupOverride changed = change.apply(known == null ? GroupOverride.NONE : known);
            boolean none = changed.equals(GroupOverride.NONE);
            if (known == null && !none) {
                add(key);
            } else if (known != null && none) {
                groups.decrementAndGet();
            }
            return none ? null : changed;
        });
    }

    private void add(String key) {
        if (groups.incrementAndGet() > maxGroups) {
            groups.decrementAndGet();
            throw new IllegalStateException("no setting for group '" + key + "': " + maxGroups
                    + " groups have settings, which is the maximum; resetGroup removes those of a group");
        }
    }

    void remove(String key) {
        if (byGroup.remove(key) != null) {
            groups.decrementAndGet();
        }
    }
}
