package io.github.kobe.internal.group;

import io.github.kobe.LiveSharedLimit;
import io.github.kobe.internal.kernel.SharedKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The settings of shared limits that were made at run time, by value. They override the policy, and stay until they are removed. */
final class SharedOverrides {

    /**
     * The settings of one value.
     *
     * @param max {@code null} if the policy applies
     */
    record SharedOverride(@Nullable Integer max, boolean paused) {
        private static final SharedOverride NONE = new SharedOverride(null, false);

        SharedOverride withMax(int n) {
            return new SharedOverride(n, paused);
        }

        SharedOverride withPaused(boolean now) {
            return new SharedOverride(max, now);
        }

        private LiveSharedLimit settings(SharedKey key) {
            return new LiveSharedLimit(
                    key.name(), key.value(), max == null ? OptionalInt.empty() : OptionalInt.of(max), paused);
        }
    }

    private final AtomicInteger values = new AtomicInteger(); // how many have settings, or are about to
    private final ConcurrentHashMap<SharedKey, SharedOverride> byValue = new ConcurrentHashMap<>();

    /** A snapshot of all overrides, in no particular order. */
    List<LiveSharedLimit> settings() {
        List<LiveSharedLimit> copy = new ArrayList<>();
        byValue.forEach((key, override) -> copy.add(override.settings(key)));
        return Collections.unmodifiableList(copy);
    }

    SharedOverride of(SharedKey key) {
        return byValue.getOrDefault(key, SharedOverride.NONE);
    }

    /** @throws IllegalStateException if this would be one value with settings too many; then nothing has changed */
    void change(SharedKey key, UnaryOperator<SharedOverride> change) {
        byValue.compute(key, (k, known) -> {
            SharedOverride changed = change.apply(known == null ? SharedOverride.NONE : known);
            boolean none = changed.equals(SharedOverride.NONE);
            if (known == null && !none) {
                add(key);
            } else if (known != null && none) {
                values.decrementAndGet();
            }
            return none ? null : changed;
        });
    }

    private void add(SharedKey key) {
        if (values.incrementAndGet() > LiveOverrides.MAX_GROUPS) {
            values.decrementAndGet();
            throw new IllegalStateException("no setting for shared limit " + key + ": " + LiveOverrides.MAX_GROUPS
                    + " values have settings, which is the maximum; resetSharedLimit removes those of a value");
        }
    }

    void remove(SharedKey key) {
        if (byValue.remove(key) != null) {
            values.decrementAndGet();
        }
    }
}
