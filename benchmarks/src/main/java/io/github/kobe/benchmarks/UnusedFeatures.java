package io.github.kobe.benchmarks;

import io.github.kobe.GroupPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The cost of a feature that is enabled but never needed. The baseline is a policy without these features: users who leave a feature off
 * do not pay for it.
 */
final class UnusedFeatures {

    private static final int NEVER_REACHED = 10_000_000;

    private static final Map<String, UnaryOperator<GroupPolicy.Builder>> FEATURES = new LinkedHashMap<>();

    static {
        FEATURES.put("an endless idleGroupTtl", policy -> policy.idleGroupTtl(Duration.ofSeconds(Long.MAX_VALUE)));
        FEATURES.put("a queue threshold", policy -> policy.defaultQueueThresholdPerGroup(NEVER_REACHED));
        FEATURES.put("a global limit", policy -> policy.globalMaxInFlight(NEVER_REACHED));
    }

    private UnusedFeatures() {}

    /** This chapter comes last: after all features have been used, the compiler produces slower code for the others, too. */
    static List<Row> rows(RunLength length) throws InterruptedException {
        List<Row> rows = new ArrayList<>();
        if (!length.quick()) {
            rows.addAll(rows("dispatch", candidates(Dispatch.LIMIT).run(10, 30, Dispatch.workload())));
            rows.addAll(rows("one group", candidates(1).run(5, 15, Drain::nanosWhenAllAreQueued)));
        }
        return rows;
    }

    static List<LibraryWorkload> libraryWorkloads(RunLength length) {
        List<LibraryWorkload> workloads = new ArrayList<>();
        FEATURES.forEach((name, feature) -> {
            workloads.add(LibraryWorkload.of(
                    "dispatch with " + name + ", per task",
                    Unit.NANOS,
                    Dispatch.TASKS,
                    with(feature, Dispatch.LIMIT),
                    Dispatch.workload()));
            workloads.add(LibraryWorkload.of(
                    "one group with " + name + ", per task",
                    Unit.NANOS,
                    Drain.TASKS,
                    with(feature, 1),
                    Drain::nanosWhenAllAreQueued));
        });
        return workloads;
    }

    private static Supplier<ExecutorAdapter> with(UnaryOperator<GroupPolicy.Builder> feature, int limit) {
        return GroupExecutorAdapter.with(policy -> feature.apply(policy.defaultMaxConcurrencyPerGroup(limit)));
    }

    private static InterleavedRounds candidates(int limit) {
        InterleavedRounds rounds =
                new InterleavedRounds().add(GroupExecutorAdapter.NAME, GroupExecutorAdapter.withLimit(limit));
        FEATURES.forEach((name, feature) -> rounds.add(name, with(feature, limit)));
        return rounds;
    }

    private static List<Row> rows(String workload, InterleavedRounds rounds) {
        return FEATURES.keySet().stream()
                .map(name -> new Row(
                        workload + " with " + name + ", against this library without",
                        Unit.SPEEDUP,
                        null,
                        rounds.speedup(name, GroupExecutorAdapter.NAME),
                        null))
                .toList();
    }
}
