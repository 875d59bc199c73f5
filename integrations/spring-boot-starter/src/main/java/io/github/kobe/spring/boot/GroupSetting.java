package io.github.kobe.spring.boot;

import io.github.kobe.GroupControl;
import io.github.kobe.GroupPolicy;
import io.github.kobe.LiveSettings;
import io.github.kobe.spring.boot.GroupConcurrencyProperties.GroupLimits;
import org.jspecify.annotations.Nullable;

/** A setting of a group that can be changed while tasks run. */
enum GroupSetting {
    MAX_CONCURRENCY("max-concurrency"),
    MAX_IN_FLIGHT("max-in-flight"),
    QUEUE_THRESHOLD("queue-threshold"),
    WEIGHT("weight");

    private final String property;

    GroupSetting(String property) {
        this.property = property;
    }

    /** Returns the last part of the name of the property. */
    String property() {
        return property;
    }

    /** Returns the value of the property; {@code null} if it is absent. */
    @Nullable
    Integer configured(@Nullable GroupLimits limits) {
        if (limits == null) {
            return null;
        }
        return switch (this) {
            case MAX_CONCURRENCY -> limits.maxConcurrency();
            case MAX_IN_FLIGHT -> limits.maxInFlight();
            case QUEUE_THRESHOLD -> limits.queueThreshold();
            case WEIGHT -> limits.weight();
        };
    }

    /** Returns the live setting; {@code null} if there is none. */
    @Nullable
    Integer live(@Nullable LiveSettings settings) {
        if (settings == null) {
            return null;
        }
        return switch (this) {
            case MAX_CONCURRENCY -> settings.getMaxConcurrency();
            case MAX_IN_FLIGHT -> settings.getMaxInFlight();
            case QUEUE_THRESHOLD -> settings.getQueueThreshold();
            case WEIGHT -> settings.getWeight();
        };
    }

    /** Returns what the policy says about the group. */
    int resolve(GroupPolicy policy, String group) {
        return switch (this) {
            case MAX_CONCURRENCY -> policy.resolveConcurrency(group);
            case MAX_IN_FLIGHT -> policy.resolveMaxInFlight(group);
            case QUEUE_THRESHOLD -> policy.resolveQueueThreshold(group);
            case WEIGHT -> policy.resolveWeight(group);
        };
    }

    void set(GroupControl control, String group, int value) {
        switch (this) {
            case MAX_CONCURRENCY -> control.setMaxConcurrency(group, value);
            case MAX_IN_FLIGHT -> control.setMaxInFlight(group, value);
            case QUEUE_THRESHOLD -> control.setQueueThreshold(group, value);
            case WEIGHT -> control.setWeight(group, value);
        }
    }
}
