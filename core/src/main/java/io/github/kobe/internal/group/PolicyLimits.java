package io.github.kobe.internal.group;

import io.github.kobe.GroupPolicy;
import io.github.kobe.LiveSettings;
import io.github.kobe.internal.group.LiveOverrides.GroupOverride;
import io.github.kobe.internal.kernel.GroupLimits;
import io.github.kobe.internal.kernel.LimitSource;
import io.github.kobe.internal.util.Faults;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The limits of groups: what the policy says, and over that what was set at run time. The policy is asked when the limits of a group are
 * resolved. A group keeps its answer, from which its limits are computed again whenever a setting changes.
 */
final class PolicyLimits implements LimitSource {

    private final GroupSetting concurrency;
    private final GroupSetting inFlight;
    private final GroupSetting queueThreshold;
    private final GroupSetting weight;
    private final LiveOverrides overrides = new LiveOverrides(LiveOverrides.MAX_GROUPS);
    private volatile int defaultConcurrency;
    private volatile int defaultQueueThreshold;

    /**
     * The limits that the last group got. Most groups have equal limits, so they share one object. It is immutable: a thread may read any
     * of the values that were written.
     */
    private @Nullable GroupLimits lastLimits;

    /** What the policy says about a group; {@code null} where the default applies, which can change. */
    private record Resolved(
            @Nullable Integer concurrency,
            int inFlight,
            @Nullable Integer queueThreshold,
            int weight) {}

    PolicyLimits(GroupPolicy policy, Faults faults) {
        concurrency = GroupSetting.concurrency(policy, faults);
        inFlight = GroupSetting.maxInFlight(policy, faults);
        queueThreshold = GroupSetting.queueThreshold(policy, faults);
        weight = GroupSetting.weight(policy, faults);
        defaultConcurrency = concurrency.defaultValue();
        defaultQueueThreshold = queueThreshold.defaultValue();
    }

    @Override
    public GroupLimits resolve(String key) {
        return limits(
                key, new Resolved(concurrency.find(key), inFlight.of(key), queueThreshold.find(key), weight.of(key)));
    }

    @Override
    public GroupLimits inForce(String key, GroupLimits limits) {
        return limits.origin() instanceof Resolved resolved ? limits(key, resolved) : limits;
    }

    private GroupLimits limits(String key, Resolved resolved) {
        GroupOverride override = overrides.of(key);
        GroupLimits limits = new GroupLimits(
                or(override.concurrency(), or(resolved.concurrency, defaultConcurrency)),
                or(override.inFlight(), resolved.inFlight),
                or(override.queueThreshold(), or(resolved.queueThreshold, defaultQueueThreshold)),
                or(override.weight(), resolved.weight),
                override.paused(),
                resolved);
        GroupLimits last = lastLimits;
        if (last != null && last.equals(limits)) {
            return last;
        }
        lastLimits = limits;
        return limits;
    }

    private static int or(@Nullable Integer number, int otherwise) {
        return number == null ? otherwise : number;
    }

    // ---- settings made at run time ---------------------------------------------------------------------------------

    /** The overrides of a group. */
    GroupOverride overridesOf(String key) {
        return overrides.of(key);
    }

    /** The caller then has the kernel compute the limits of the group again. */
    void change(String key, UnaryOperator<GroupOverride> change) {
        overrides.change(key, change);
    }

    /** Removes the overrides of a group. The caller does as after {@link #change}. */
    void reset(String key) {
        overrides.remove(key);
    }

    /** The overrides of all groups. */
    Map<String, LiveSettings> liveSettings() {
        return overrides.settings();
    }

    int defaultConcurrency() {
        return defaultConcurrency;
    }

    /** The caller then has the kernel compute the limits of every group again. */
    void setDefaultConcurrency(int n) {
        defaultConcurrency = n;
    }

    int defaultQueueThreshold() {
        return defaultQueueThreshold;
    }

    /** The caller does as after {@link #setDefaultConcurrency}. */
    void setDefaultQueueThreshold(int n) {
        defaultQueueThreshold = n;
    }
}
