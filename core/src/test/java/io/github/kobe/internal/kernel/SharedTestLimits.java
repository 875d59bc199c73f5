package io.github.kobe.internal.kernel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** The limits of groups and of the shared limits that they belong to, for tests of the kernel. */
final class SharedTestLimits implements LimitSource {

    private final int groupLimit;
    private final Map<String, Function<String, @Nullable String>> classifiers = new LinkedHashMap<>();
    private final Map<String, ToIntFunction<String>> limits = new HashMap<>();
    private final Map<String, ToIntFunction<String>> weights = new HashMap<>();
    private final Map<SharedKey, Integer> live = new HashMap<>();

    SharedTestLimits(int groupLimit) {
        this.groupLimit = groupLimit;
    }

    SharedTestLimits with(String name, Function<String, @Nullable String> classifier, ToIntFunction<String> limit) {
        classifiers.put(name, classifier);
        limits.put(name, limit);
        return this;
    }

    /** The value of the limit {@code name} is what the key has after it, up to the next slash: "tenant=a/endpoint=b". */
    SharedTestLimits with(String name, int limit) {
        return with(name, key -> part(key, name), value -> limit);
    }

    /** The groups of a value of the limit {@code name} take turns as one at other limits. */
    SharedTestLimits weighted(String name, ToIntFunction<String> weight) {
        weights.put(name, weight);
        return this;
    }

    static @Nullable String part(String key, String name) {
        for (String part : key.split("/", -1)) {
            if (part.startsWith(name + "=")) {
                return part.substring(name.length() + 1);
            }
        }
        return null;
    }

    /** 0 as if it was paused. */
    void set(SharedKey key, int limit, Dispatcher dispatcher) {
        live.put(key, limit);
        dispatcher.sharedLimitChanged(key);
    }

    @Override
    public GroupLimits resolve(String key) {
        return new GroupLimits(groupLimit, Integer.MAX_VALUE, Integer.MAX_VALUE);
    }

    @Override
    public boolean hasSharedLimits() {
        return true;
    }

    @Override
    public List<SharedMembership> sharedLimits(String key) {
        List<SharedMembership> memberships = new ArrayList<>();
        classifiers.forEach((name, classifier) -> {
            String value = classifier.apply(key);
            if (value != null) {
                memberships.add(new SharedMembership(
                        new SharedKey(name, value),
                        limits.get(name).applyAsInt(value),
                        weights.getOrDefault(name, any -> 0).applyAsInt(value)));
            }
        });
        return memberships;
    }

    @Override
    public int sharedInForce(SharedKey key, int resolved) {
        return live.getOrDefault(key, resolved);
    }
}
