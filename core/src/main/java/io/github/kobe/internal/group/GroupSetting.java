package io.github.kobe.internal.group;

import io.github.kobe.internal.util.Faults;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A number for each group: the group's own setting, else the resolver's answer, else the default. A resolver that throws counts as
 * absent. An answer less than 1 counts as 1. Both are reported.
 *
 * @param resolverName the resolver's name in reports
 * @param perGroup the groups' own settings
 * @param resolver answers for the other groups; {@code null} if there is none
 * @param defaultValue the number of a group without setting and answer
 * @param faults where faults of the resolver are reported
 */
public record GroupSetting(
        String resolverName,
        Map<String, Integer> perGroup,
        @Nullable ToIntFunction<String> resolver,
        int defaultValue,
        Faults faults) {

    /** Returns the number of a group. */
    public int of(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        Integer own = perGroup.get(groupKey);
        if (own != null) {
            return own;
        }
        return resolver == null ? defaultValue : resolve(resolver, groupKey);
    }

    private int resolve(ToIntFunction<String> userResolver, String groupKey) {
        try {
            int answer = userResolver.applyAsInt(groupKey);
            if (answer < 1) {
                faults.report(resolverName, "group '" + groupKey + "': " + answer, "said less than 1, taken as 1,");
            }
            return Math.max(1, answer);
        } catch (Throwable fault) {
            faults.report(resolverName, "group '" + groupKey + "', which gets the default", fault);
            return defaultValue;
        }
    }
}
