package io.github.kobe.benchmarks;

import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskLifecycleListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * What a feature costs once it is switched on, although it never has anything to do: the difference to the plain policy, which
 * has none of them, is what those who do not use it are spared.
 */
final class Feature {

    /** The library with nothing but limits. */
    static final String NONE = "ours";

    private static final int NEVER_REACHED = 10_000_000;

    private static final Map<String, UnaryOperator<GroupPolicy.Builder>> ALL = new LinkedHashMap<>();

    static {
        ALL.put("an endless idleGroupTtl", policy -> policy.idleGroupTtl(Duration.ofSeconds(Long.MAX_VALUE)));
        ALL.put("a queue threshold", policy -> policy.defaultQueueThresholdPerGroup(NEVER_REACHED));
        ALL.put("a global cap", policy -> policy.globalMaxInFlight(NEVER_REACHED));
        ALL.put("a listener", policy -> policy.taskLifecycleListener(new TaskLifecycleListener() {}));
    }

    private Feature() {}

    /** The plain library, and unless in a hurry once more with each feature. */
    static void addTo(Rounds rounds, int limit, Effort effort) {
        rounds.side(NONE, Library.with(policy -> policy.defaultMaxConcurrencyPerGroup(limit)));
        if (!effort.quick()) {
            ALL.forEach((name, setting) -> rounds.side(
                    name, Library.with(policy -> setting.apply(policy.defaultMaxConcurrencyPerGroup(limit)))));
        }
    }

    static List<Row> rows(String what, Rounds rounds, Effort effort) {
        List<Row> rows = new ArrayList<>();
        if (!effort.quick()) {
            ALL.keySet()
                    .forEach(name -> rows.add(new Row(
                            what + " with " + name + ", against ours without",
                            Unit.TIMES,
                            null,
                            rounds.speed(name, NONE),
                            null)));
        }
        return rows;
    }
}
