package io.github.kobe.internal.group;

import io.github.kobe.GroupPolicy;
import io.github.kobe.LiveSettings;
import io.github.kobe.LiveSharedLimit;
import io.github.kobe.SharedLimit;
import io.github.kobe.internal.group.LiveOverrides.GroupOverride;
import io.github.kobe.internal.group.SharedOverrides.SharedOverride;
import io.github.kobe.internal.kernel.GroupLimits;
import io.github.kobe.internal.kernel.LimitSource;
import io.github.kobe.internal.kernel.SharedKey;
import io.github.kobe.internal.kernel.SharedMembership;
import io.github.kobe.internal.util.Faults;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
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
    private final List<SharedSetting> shared; // in the order that the kernel wants
    private final SharedOverrides sharedOverrides = new SharedOverrides();
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

    /** A shared limit of the policy, and its position there. */
    private record SharedSetting(
            SharedLimit limit, int position, GroupSetting max, GroupSetting weight, Faults faults) {
        SharedSetting(SharedLimit limit, int position, Faults faults) {
            this(
                    limit,
                    position,
                    new GroupSetting(
                            "maxResolver of shared limit '" + limit.name() + "'",
                            1,
                            limit.maxByValue(),
                            limit.maxResolver(),
                            limit.defaultMax(),
                            faults),
                    new GroupSetting(
                            "weightResolver of shared limit '" + limit.name() + "'",
                            1,
                            limit.weightByValue(),
                            limit.weightResolver(),
                            1,
                            faults),
                    faults);
        }

        /** 0 if values do not take turns as one. */
        int weightOf(String value) {
            return limit.hasWeights() ? weight.of(value) : 0;
        }

        /** {@code null} if the group is not under this limit. A limit that protects something must hold also if its classifier fails. */
        @Nullable
        String valueOf(String key) {
            try {
                return limit.classifier().apply(key);
            } catch (Throwable fault) {
                faults.report(
                        "classifier of shared limit '" + limit.name() + "'",
                        "group '" + key + "', which gets the empty value",
                        fault);
                return "";
            }
        }
    }

    PolicyLimits(GroupPolicy policy, Faults faults) {
        shared = policy.sharedLimits().stream()
                .sorted(Comparator.comparing(limit -> limit.isAcrossFleet() ? limit.name() : "")) // a stable sort
                .map(limit -> new SharedSetting(limit, policy.sharedLimits().indexOf(limit), faults))
                .toList();
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

    // ---- shared limits
    // -----------------------------------------------------------------------------------------------

    @Override
    public boolean hasSharedLimits() {
        return !shared.isEmpty();
    }

    @Override
    public List<SharedMembership> sharedLimits(String key) {
        if (shared.isEmpty()) {
            return List.of();
        }
        List<SharedMembership> memberships = new ArrayList<>(shared.size());
        for (SharedSetting setting : shared) {
            String value = setting.valueOf(key);
            if (value != null) {
                memberships.add(new SharedMembership(
                        new SharedKey(setting.limit.name(), value),
                        setting.max.of(value),
                        setting.weightOf(value),
                        setting.position,
                        setting.limit.isAcrossFleet()));
            }
        }
        return memberships;
    }

    @Override
    public int sharedInForce(SharedKey key, int resolved) {
        return isPaused(key) ? 0 : sharedMax(key, resolved);
    }

    @Override
    public int sharedMax(SharedKey key, int resolved) {
        return or(sharedOverrides.of(key).max(), resolved);
    }

    boolean isPaused(SharedKey key) {
        return sharedOverrides.of(key).paused();
    }

    /** Asks the policy again. May run user code. */
    int resolveShared(SharedKey key) {
        return setting(key.name()).max.of(key.value());
    }

    List<String> sharedLimitNames() {
        return shared.stream().map(setting -> setting.limit.name()).toList();
    }

    List<LiveSharedLimit> liveSharedLimits() {
        return sharedOverrides.settings();
    }

    /** @throws IllegalArgumentException if the policy has no shared limit of that name */
    private SharedSetting setting(String name) {
        return shared.stream()
                .filter(setting -> setting.limit.name().equals(name))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("there is no shared limit '" + name + "'"));
    }

    /** @throws IllegalArgumentException if the policy has no shared limit of that name */
    void requireShared(String name) {
        setting(name);
    }

    /** The caller then has the kernel apply it. Throws {@link IllegalArgumentException} if the policy has no shared limit of that name. */
    void changeShared(SharedKey key, UnaryOperator<SharedOverride> change) {
        setting(key.name());
        sharedOverrides.change(key, change);
    }

    /** Removes the settings of a value. The caller does as after {@link #changeShared}. */
    void resetShared(SharedKey key) {
        setting(key.name());
        sharedOverrides.remove(key);
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
