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

    private static final int NEVER_REACHED = 10_000_000;

    private static final Map<String, UnaryOperator<GroupPolicy.Builder>> ALL = new LinkedHashMap<>();

    static {
        ALL.put("an endless idleGroupTtl", policy -> policy.idleGroupTtl(Duration.ofSeconds(Long.MAX_VALUE)));
        ALL.put("a queue threshold", policy -> policy.defaultQueueThresholdPerGroup(NEVER_REACHED));
        ALL.put("a global cap", policy -> policy.globalMaxInFlight(NEVER_REACHED));
        ALL.put("a listener", policy -> policy.taskLifecycleListener(new TaskLifecycleListener() {}));
    }

    private Feature() {}

    /** Comes last, and apart from what is promised: code that has seen every feature in use is not compiled as well any more. */
    static List<Row> rows(Effort effort) throws InterruptedException {
        List<Row> rows = new ArrayList<>();
        if (!effort.quick()) {
            rows.addAll(rows("dispatch", sides(Dispatch.LIMIT).run(10, 30, Dispatch.work())));
            rows.addAll(rows("one group", sides(1).run(5, 15, Drain::nanosWhenQueued)));
        }
        return rows;
    }

    private static Rounds sides(int limit) {
        Rounds rounds = new Rounds().side(Library.NAME, Library.ofLimit(limit));
        ALL.forEach((name, setting) ->
                rounds.side(name, Library.with(policy -> setting.apply(policy.defaultMaxConcurrencyPerGroup(limit)))));
        return rounds;
    }

    private static List<Row> rows(String what, Rounds rounds) {
        return ALL.keySet().stream()
                .map(name -> new Row(
                        what + " with " + name + ", against ours without",
                        Unit.TIMES,
                        null,
                        rounds.speed(name, Library.NAME),
                        null))
                .toList();
    }
}
