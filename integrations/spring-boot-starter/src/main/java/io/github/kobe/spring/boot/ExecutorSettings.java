package io.github.kobe.spring.boot;

import io.github.kobe.GroupControl;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.LiveSettings;
import io.github.kobe.spring.boot.GroupConcurrencyProperties.Executor;
import io.github.kobe.spring.boot.GroupConcurrencyProperties.SharedLimits;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The live settings of one executor. They have two sources: properties that change, and changes by hand. A setting that was made by hand, through the
 * endpoint or through {@link GroupControl}, wins until it is reset.
 *
 * <p>The policy of the executor has the properties of the start. So a property becomes a live setting only when it differs from that. To tell it from
 * a setting by hand, this class remembers what it has set itself: any other value is by hand.
 *
 * <p>Safe for use by many threads.
 */
final class ExecutorSettings {

    private final GroupExecutor executor;
    private final GroupPolicy policy;
    private final Executor atStart;

    /** The values in force when this object was created. A customizer may have replaced those of the properties. */
    private final Map<ExecutorSetting, Integer> initial = new EnumMap<>(ExecutorSetting.class);

    private Executor current;

    /** What properties say, and was set; at first {@link #initial}. */
    private final Map<ExecutorSetting, Integer> applied = new EnumMap<>(ExecutorSetting.class);

    private final Set<ExecutorSetting> byHand = EnumSet.noneOf(ExecutorSetting.class);

    /** Live settings of groups that were made because of a property. */
    private final Map<String, Map<GroupSetting, Integer>> appliedToGroups = new HashMap<>();

    ExecutorSettings(GroupExecutor executor, GroupPolicy policy, Executor properties) {
        this.executor = executor;
        this.policy = policy;
        this.atStart = properties;
        this.current = properties;
        for (ExecutorSetting setting : ExecutorSetting.values()) {
            initial.put(setting, setting.inForce(executor));
        }
        applied.putAll(initial);
    }

    GroupExecutor executor() {
        return executor;
    }

    // ---- by hand ---------------------------------------------------------------------------------------------------

    /**
     * Sets values of a group by hand: all of them or, if one is out of range, none.
     *
     * @param paused {@code null} for no change
     * @throws IllegalArgumentException if a value is out of range
     * @throws IllegalStateException if there are settings of too many groups
     */
    synchronized void setByHand(String group, Map<GroupSetting, Integer> values, @Nullable Boolean paused) {
        setAllOrNone(control -> {
            values.forEach((setting, value) -> setting.set(control, group, value));
            if (paused != null && paused) {
                control.pauseGroup(group);
            } else if (paused != null) {
                control.resumeGroup(group);
            }
        });
        Map<GroupSetting, Integer> appliedToGroup = appliedToGroups.get(group);
        if (appliedToGroup != null) {
            appliedToGroup.keySet().removeAll(values.keySet());
        }
    }

    /**
     * Sets values of the executor by hand: all of them or, if one is out of range, none.
     *
     * @throws IllegalArgumentException if a value is out of range
     */
    synchronized void setByHand(Map<ExecutorSetting, Integer> values) {
        setAllOrNone(control -> values.forEach((setting, value) -> setting.set(control, value)));
        byHand.addAll(values.keySet());
    }

    /**
     * Sets values of a shared limit by hand: all of them or, if one is wrong, none.
     *
     * @param max {@code null} for no change
     * @param paused {@code null} for no change
     * @throws IllegalArgumentException if there is no such limit, or the value is out of range
     * @throws IllegalStateException if there are settings of too many values
     */
    synchronized void setByHand(String limit, String value, @Nullable Integer max, @Nullable Boolean paused) {
        if (max != null) {
            executor.setSharedLimit(limit, value, max); // if it does not throw, neither do the others
        }
        if (paused != null && paused) {
            executor.pauseSharedLimit(limit, value);
        } else if (paused != null) {
            executor.resumeSharedLimit(limit, value);
        }
    }

    /** A value that is out of range throws already at an executor that is not in use. */
    private void setAllOrNone(Consumer<GroupControl> change) {
        try (GroupExecutor unused = GroupExecutor.newVirtualThreadExecutor(
                GroupPolicy.builder().name("check").build())) {
            change.accept(unused);
        }
        change.accept(executor);
    }

    /** Removes the settings by hand of a group, also a pause. The properties apply again. */
    synchronized void reset(String group) {
        executor.resetGroup(group);
        appliedToGroups.remove(group);
        applyToGroup(group, null, current, new ArrayList<>());
    }

    /** Removes the settings by hand of the executor; those of groups stay. The properties apply again. */
    synchronized void reset() {
        byHand.clear();
        for (ExecutorSetting setting : ExecutorSetting.values()) {
            int target = target(setting);
            if (setting.inForce(executor) != target) {
                setting.set(executor, target);
            }
            applied.put(setting, target);
        }
    }

    // ---- by properties ---------------------------------------------------------------------------------------------

    /**
     * Applies properties that have changed. Settings by hand stay.
     *
     * @return what was done, for the log
     */
    synchronized List<String> refresh(Executor properties) {
        List<String> log = new ArrayList<>();
        Executor previous = current;
        current = properties;
        Set<String> groups = new TreeSet<>(previous.groups().keySet());
        groups.addAll(current.groups().keySet());
        groups.addAll(appliedToGroups.keySet());
        for (ExecutorSetting setting : ExecutorSetting.values()) {
            int target = target(setting);
            int before = Objects.requireNonNull(applied.get(setting));
            if (target == before) {
                continue;
            }
            applied.put(setting, target);
            if (byHand.contains(setting) || setting.inForce(executor) != before) {
                byHand.add(setting);
                log.add(setting.property() + " stays as it was set by hand");
            } else {
                setting.set(executor, target);
                log.add(setting.property() + " is " + text(target));
            }
        }
        refreshSharedLimits(previous, log);
        Map<String, LiveSettings> live = executor.liveSettings();
        groups.forEach(group -> applyToGroup(group, live.get(group), previous, log));
        return log;
    }

    /** The policy reads the limits from the properties, see {@link SharedLimitMapping}; a setting by hand overrides the policy. */
    private void refreshSharedLimits(Executor previous, List<String> log) {
        current.sharedLimits().forEach((name, now) -> {
            SharedLimits before = previous.sharedLimits().get(name);
            if (before == null
                    || !atStart.sharedLimits().containsKey(name)
                    || (Objects.equals(now.max(), before.max()) && now.values().equals(before.values()))) {
                return; // a limit that is new takes effect at the next start
            }
            executor.refreshSharedLimit(name);
            log.add("the limits of shared limit '" + name + "' have changed");
            executor.liveSharedLimits().stream()
                    .filter(live -> live.name().equals(name) && live.max().isPresent())
                    .filter(live -> now.maxOf(live.value()) != before.maxOf(live.value()))
                    .forEach(live -> log.add(
                            "max of shared limit " + name + " '" + live.value() + "' stays as it was set by hand"));
        });
    }

    /** What the properties say now; what a customizer said, if the property has not changed. */
    private int target(ExecutorSetting setting) {
        int now = setting.configured(current);
        return now == setting.configured(atStart) ? Objects.requireNonNull(initial.get(setting)) : now;
    }

    private void applyToGroup(String group, @Nullable LiveSettings live, Executor previous, List<String> log) {
        for (GroupSetting setting : GroupSetting.values()) {
            Integer inForce = setting.live(live);
            Integer before = appliedToGroups.getOrDefault(group, Map.of()).get(setting);
            Integer now = setting.configured(current.groups().get(group));
            if (before == null
                    && Objects.equals(now, setting.configured(atStart.groups().get(group)))) {
                continue; // as in the policy
            }
            if (inForce != null && !inForce.equals(before)) {
                if (!Objects.equals(now, setting.configured(previous.groups().get(group)))) {
                    log.add(setting.property() + " of group '" + group + "' stays as it was set by hand");
                }
                continue;
            }
            int target = now != null ? now : setting.resolve(policyWithoutGroups(), group);
            if (inForce == null || inForce != target) {
                setting.set(executor, group, target);
                appliedToGroups
                        .computeIfAbsent(group, key -> new EnumMap<>(GroupSetting.class))
                        .put(setting, target);
                log.add(setting.property() + " of group '" + group + "' is " + text(target));
            }
        }
    }

    /** Says what applies to a group whose property was removed: a resolver, or the default. */
    private GroupPolicy policyWithoutGroups() {
        GroupPolicy.Builder builder = GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(executor.defaultMaxConcurrency())
                .defaultQueueThresholdPerGroup(executor.defaultQueueThreshold())
                .defaultMaxInFlightPerGroup(policy.defaultMaxInFlightPerGroup());
        ifPresent(policy.concurrencyResolver(), builder::concurrencyResolver);
        ifPresent(policy.maxInFlightResolver(), builder::maxInFlightResolver);
        ifPresent(policy.queueThresholdResolver(), builder::queueThresholdResolver);
        ifPresent(policy.weightResolver(), builder::weightResolver);
        return builder.build();
    }

    private static <T> void ifPresent(@Nullable T value, Consumer<T> setter) {
        if (value != null) {
            setter.accept(value);
        }
    }

    private static String text(int limit) {
        return limit == Integer.MAX_VALUE ? "unlimited" : String.valueOf(limit);
    }
}
