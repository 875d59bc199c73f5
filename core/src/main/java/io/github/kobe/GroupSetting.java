package io.github.kobe;

import io.github.kobe.internal.util.Faults;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A number for each group: the group's own, else what a resolver says, else the default. A resolver that throws counts as
 * absent, one that returns less than 1 as saying 1; both are reported.
 */
record GroupSetting(
        String resolverName,
        Map<String, Integer> own,
        @Nullable ToIntFunction<String> resolver,
        int fallback,
        Faults faults) {

    int of(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        Integer mine = own.get(groupKey);
        if (mine != null) {
            return mine;
        }
        return resolver == null ? fallback : ask(resolver, groupKey);
    }

    private int ask(ToIntFunction<String> asked, String groupKey) {
        try {
            int answer = asked.applyAsInt(groupKey);
            if (answer < 1) {
                faults.report(resolverName, "group '" + groupKey + "': " + answer, "said less than 1, taken as 1,");
            }
            return Math.max(1, answer);
        } catch (Throwable fault) {
            faults.report(resolverName, "group '" + groupKey + "', which gets the default", fault);
            return fallback;
        }
    }
}
