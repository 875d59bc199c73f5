package io.github.kobe.spring.boot;

import io.github.kobe.GroupControl;
import io.github.kobe.GroupExecutor;
import io.github.kobe.spring.boot.GroupConcurrencyProperties.Executor;

/** A setting of an executor that can be changed while tasks run. */
enum ExecutorSetting {
    DEFAULT_MAX_CONCURRENCY("default-max-concurrency-per-group"),
    DEFAULT_QUEUE_THRESHOLD("default-queue-threshold-per-group"),
    GLOBAL_MAX_IN_FLIGHT("global-max-in-flight"),
    GLOBAL_QUEUE_THRESHOLD("global-queue-threshold");

    private final String property;

    ExecutorSetting(String property) {
        this.property = property;
    }

    /** Returns the last part of the name of the property. */
    String property() {
        return property;
    }

    /** Returns the value of the property; {@link Integer#MAX_VALUE} if it is absent. */
    int configured(Executor properties) {
        Integer value = switch (this) {
            case DEFAULT_MAX_CONCURRENCY -> properties.defaultMaxConcurrencyPerGroup();
            case DEFAULT_QUEUE_THRESHOLD -> properties.defaultQueueThresholdPerGroup();
            case GLOBAL_MAX_IN_FLIGHT -> properties.globalMaxInFlight();
            case GLOBAL_QUEUE_THRESHOLD -> properties.globalQueueThreshold();
        };
        return value == null ? Integer.MAX_VALUE : value;
    }

    /** Returns the value in force; {@link Integer#MAX_VALUE} if there is no limit. */
    int inForce(GroupExecutor executor) {
        return switch (this) {
            case DEFAULT_MAX_CONCURRENCY -> executor.defaultMaxConcurrency();
            case DEFAULT_QUEUE_THRESHOLD -> executor.defaultQueueThreshold();
            case GLOBAL_MAX_IN_FLIGHT -> executor.stats().globalInFlightMax();
            case GLOBAL_QUEUE_THRESHOLD -> executor.globalQueueThreshold();
        };
    }

    void set(GroupControl control, int value) {
        switch (this) {
            case DEFAULT_MAX_CONCURRENCY -> control.setDefaultMaxConcurrency(value);
            case DEFAULT_QUEUE_THRESHOLD -> control.setDefaultQueueThreshold(value);
            case GLOBAL_MAX_IN_FLIGHT -> control.setGlobalMaxInFlight(value);
            case GLOBAL_QUEUE_THRESHOLD -> control.setGlobalQueueThreshold(value);
        }
    }
}
