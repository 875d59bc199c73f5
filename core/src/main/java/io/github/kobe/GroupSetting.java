package io.github.kobe;

import io.github.kobe.internal.util.Faults;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A number for each group: the group's own value, else the result of a resolver, else the default.
 *
 * <p>If the resolver throws, the default applies. If it returns less than 1, the value is 1. Both are reported.
 */
record GroupSetting(
        String resolverName,
        Map<String, Integer> own,
        @Nullable ToIntFunction<String> resolver,
        int fallback,
        Faults faults) {

    int of(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        Integer ownValue = own.get(groupKey);
        if (ownValue != null) {
            return ownValue;
        }
        return resolver == null ? fallback : resolve(resolver, groupKey);
    }

    private int resolve(ToIntFunction<String> function, String groupKey) {
        try {
            int value = function.applyAsInt(groupKey);
            if (value < 1) {
                faults.report(resolverName, "group '" + groupKey + "': " + value, "returned less than 1, 1 is used,");
            }
            return Math.max(1, value);
        } catch (Throwable fault) {
            faults.report(resolverName, "group '" + groupKey + "', which gets the default", fault);
            return fallback;
        }
    }
}
