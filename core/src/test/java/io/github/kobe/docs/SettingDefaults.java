package io.github.kobe.docs;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.PermitOptions;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskOptions;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPool;
import io.github.kobe.pool.WorkerPoolBuilder;
import io.github.kobe.scope.Scheduler;
import io.github.kobe.scope.ScopeDefaults;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/** The defaults of settings by name, read from objects that were built without settings. */
final class SettingDefaults {

    /** The default of a setting that is derived from another. */
    record SameAs(String setting) {}

    private SettingDefaults() {}

    static Map<String, Object> of(String section) throws Exception {
        Map<String, Object> values = switch (section) {
            case "GroupPolicy" -> groupPolicy();
            case "TaskOptions" -> read(TaskOptions.builder().build());
            case "PermitOptions" -> read(PermitOptions.builder().build());
            case "ThreadScope" -> ScopeDefaults.values();
            case "WorkerPool" -> workerPool();
            default -> read(IsolationPolicy.builder().build());
        };
        values.replaceAll((setting, value) -> inWords(value));
        return values;
    }

    private static Object inWords(Object value) {
        if (RetryPolicy.noRetry().equals(value)) {
            return new Words("no retry");
        }
        return value == Scheduler.virtualThreads() ? new Words("virtual threads") : value;
    }

    private record Words(String text) {
        @Override
        public String toString() {
            return text;
        }
    }

    /** The policy has no accessor for the default weight, so it is read from a group without a weight. */
    private static Map<String, Object> groupPolicy() throws Exception {
        GroupPolicy policy = GroupPolicy.builder().build();
        Map<String, Object> values = read(policy);
        values.put("sharedLimit", policy.sharedLimits().isEmpty() ? null : policy.sharedLimits()); // added one by one
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            executor.submit("group", "task", () -> true).await();
            values.put(
                    "weightResolver", executor.groupStats("group").orElseThrow().weight());
        }
        return values;
    }

    private static Map<String, Object> workerPool() throws Exception {
        Map<String, Object> values = settings(builder -> builder);
        Map<String, Object> more = settings(builder -> builder.minWorkers(7));
        Map<String, Object> most = settings(builder -> builder.maxWorkers(9));
        if (values.get("maxWorkers").equals(1) && more.get("maxWorkers").equals(7)) {
            values.put("maxWorkers", new SameAs("minWorkers"));
        }
        if (more.get("maxZombies").equals(7) && most.get("maxZombies").equals(9)) {
            values.put("maxZombies", new SameAs("maxWorkers"));
        }
        if (!values.get("name").equals(more.get("name"))) {
            values.put("name", null); // numbered
        }
        return values;
    }

    private static Map<String, Object> settings(UnaryOperator<WorkerPoolBuilder> change) throws Exception {
        Method settings = WorkerPoolBuilder.class.getDeclaredMethod("settings");
        settings.setAccessible(true);
        return read(settings.invoke(change.apply(WorkerPool.builder())));
    }

    /** Returns the results of all methods without parameters. */
    private static Map<String, Object> read(Object built) throws Exception {
        Map<String, Object> values = new HashMap<>();
        for (Method method : built.getClass().getDeclaredMethods()) {
            if (method.getParameterCount() == 0 && !method.isSynthetic()) {
                method.setAccessible(true);
                values.put(method.getName(), method.invoke(built));
            }
        }
        return values;
    }
}
