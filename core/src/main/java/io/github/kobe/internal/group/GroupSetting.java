package io.github.kobe.internal.group;

import io.github.kobe.GroupPolicy;
import io.github.kobe.internal.util.Faults;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A number for each group: the group's own setting, else the resolver's answer, else the default. A resolver that throws counts as
 * absent. An answer less than the minimum counts as the minimum. Both are reported.
 *
 * @param resolverName the resolver's name in reports
 * @param min the smallest number
 * @param perGroup the groups' own settings
 * @param resolver answers for the other groups; {@code null} if there is none
 * @param defaultValue the number of a group without setting and answer
 * @param faults where faults of the resolver are reported
 */
public record GroupSetting(
        String resolverName,
        int min,
        Map<String, Integer> perGroup,
        @Nullable ToIntFunction<String> resolver,
        int defaultValue,
        Faults faults) {

    private static final int DEFAULT_WEIGHT = 1;

    /** Returns the concurrency limits of a policy. */
    public static GroupSetting concurrency(GroupPolicy policy, Faults faults) {
        return new GroupSetting(
                "concurrencyResolver",
                1,
                policy.perGroupMaxConcurrency(),
                policy.concurrencyResolver(),
                policy.defaultMaxConcurrencyPerGroup(),
                faults);
    }

    /** Returns the in-flight limits of a policy. */
    public static GroupSetting maxInFlight(GroupPolicy policy, Faults faults) {
        return new GroupSetting(
                "maxInFlightResolver",
                1,
                policy.perGroupMaxInFlight(),
                policy.maxInFlightResolver(),
                policy.defaultMaxInFlightPerGroup(),
                faults);
    }

    /** Returns the queue thresholds of a policy. */
    public static GroupSetting queueThreshold(GroupPolicy policy, Faults faults) {
        return new GroupSetting(
                "queueThresholdResolver",
                0,
                policy.perGroupQueueThreshold(),
                policy.queueThresholdResolver(),
                policy.defaultQueueThresholdPerGroup(),
                faults);
    }

    /** Returns the weights of a policy. */
    public static GroupSetting weight(GroupPolicy policy, Faults faults) {
        return new GroupSetting(
                "weightResolver", 1, policy.perGroupWeight(), policy.weightResolver(), DEFAULT_WEIGHT, faults);
    }

    /** Returns the number of a group. */
    public int of(String groupKey) {
        Integer found = find(groupKey);
        return found == null ? defaultValue : found;
    }

    /** Returns the number of a group; {@code null} if the default applies. */
    @Nullable
    Integer find(String groupKey) {
        Objects.requireNonNull(groupKey, "groupKey");
        Integer own = perGroup.get(groupKey);
        return own != null || resolver == null ? own : resolve(resolver, groupKey);
    }

    private @Nullable Integer resolve(ToIntFunction<String> userResolver, String groupKey) {
        try {
            int answer = userResolver.applyAsInt(groupKey);
            if (answer < min) {
                String did = "said less than " + min + ", taken as " + min + ",";
                faults.report(resolverName, "group '" + groupKey + "': " + answer, did);
            }
            return Math.max(min, answer);
        } catch (Throwable fault) {
            faults.report(resolverName, "group '" + groupKey + "', which gets the default", fault);
            return null;
        }
    }
}
