package io.github.kobe.scope;

import java.util.HashMap;
import java.util.Map;

/** The default settings of a scope, by the names of their setters. */
public final class ScopeDefaults {

    private ScopeDefaults() {}

    public static Map<String, Object> values() {
        ScopeSettings settings = new ScopeSettings();
        Map<String, Object> values = new HashMap<>();
        values.put("withConcurrencyLimit", settings.concurrencyLimit);
        values.put("withQueueing", settings.queuesAlways);
        values.put("withCloseGrace", settings.closeGrace);
        values.put("withAttemptTimeout", settings.attemptTimeout);
        values.put("withHook", settings.hook);
        values.put("withContextCarrier", settings.carrier == Context.CARRIER ? null : settings.carrier);
        values.put("withGroups", settings.groups);
        try (ThreadScope scope = ThreadScope.open()) {
            values.put("withDeadline", scope.deadline());
            values.put("withFailurePolicy", scope.failurePolicy());
            values.put("withRetryPolicy", scope.retryPolicy());
            values.put("withDefaultTaskPriority", scope.defaultTaskPriority());
            values.put("withScheduler", scope.scheduler());
        }
        return values;
    }
}
