package io.github.kobe;

import io.github.kobe.internal.kernel.GroupLimits;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What was set while tasks run, by group; wins over the policy. */
final class LiveOverrides {

    /** What was set for one group; {@code null} where the policy still holds. */
    record Setting(
            @Nullable Integer concurrency,
            @Nullable Integer inFlight,
            @Nullable Integer queueThreshold,
            @Nullable Integer weight,
            boolean paused) {

        private static final Setting NONE = new Setting(null, null, null, null, false);

        Setting withConcurrency(int n) {
            return new Setting(n, inFlight, queueThreshold, weight, paused);
        }

        Setting withInFlight(int n) {
            return new Setting(concurrency, n, queueThreshold, weight, paused);
        }

        Setting withQueueThreshold(int n) {
            return new Setting(concurrency, inFlight, n, weight, paused);
        }

        Setting withWeight(int n) {
            return new Setting(concurrency, inFlight, queueThreshold, n, paused);
        }

        Setting withPaused(boolean now) {
            return new Setting(concurrency, inFlight, queueThreshold, weight, now);
        }

        private GroupLimits over(GroupLimits limits) {
            return new GroupLimits(
                    concurrency == null ? limits.concurrency() : concurrency,
                    inFlight == null ? limits.inFlight() : inFlight,
                    queueThreshold == null ? limits.queueThreshold() : queueThreshold,
                    weight == null ? limits.weight() : weight,
                    paused);
        }
    }

    private final ConcurrentHashMap<String, Setting> byGroup = new ConcurrentHashMap<>();

    /** The limits that hold for a group with {@code limits}: what the policy says, or what has held so far, paused or not. */
    GroupLimits over(String key, GroupLimits limits) {
        return byGroup.getOrDefault(key, Setting.NONE).over(limits);
    }

    void change(String key, UnaryOperator<Setting> change) {
        byGroup.compute(key, (k, known) -> {
            Setting now = change.apply(known == null ? Setting.NONE : known);
            return now.equals(Setting.NONE) ? null : now;
        });
    }

    void forget(String key) {
        byGroup.remove(key);
    }
}
