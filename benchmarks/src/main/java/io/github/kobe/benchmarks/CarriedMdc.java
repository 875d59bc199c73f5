package io.github.kobe.benchmarks;

import io.github.kobe.benchmarks.Row.Promise;
import io.github.kobe.context.MdcCarrier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** Empty tasks that carry the MDC of their submitter, compared with tasks of an executor without a carrier. */
final class CarriedMdc {

    private static final Map<String, String> VALUES = Map.of("request", "6f1c0a52-9b0e", "tenant", "tenant-17");
    private static final String CARRIED = "carried";

    /** Each is measured in its own JVM: code that has seen all of them is compiled less well. */
    private enum Case {
        DISPATCH("MDC carried, dispatch", VALUES, Dispatch.LIMIT, Dispatch.TASKS, Dispatch.workload()),
        ONE_GROUP("MDC carried, one group of limit 1", VALUES, 1, Drain.TASKS, Drain::nanosWhenAllAreQueued),
        NOTHING("a carrier, nothing to carry, dispatch", Map.of(), Dispatch.LIMIT, Dispatch.TASKS, Dispatch.workload());

        private final String title;
        private final Map<String, String> values;
        private final int limit;
        private final int tasks;
        private final Workload workload;

        Case(String title, Map<String, String> values, int limit, int tasks, Workload workload) {
            this.title = title;
            this.values = values;
            this.limit = limit;
            this.tasks = tasks;
            this.workload = executor -> withMdc(values, executor, workload);
        }

        Supplier<ExecutorAdapter> carrying() {
            return GroupExecutorAdapter.with(
                    policy -> policy.defaultMaxConcurrencyPerGroup(limit).contextCarrier(MdcCarrier.create()));
        }
    }

    private static final Case[] CASES = Case.values();

    private CarriedMdc() {}

    static List<Row> rows(RunLength length) throws InterruptedException {
        List<Row> rows = new ArrayList<>();
        rows.add(row(Case.DISPATCH, length, Promise.atLeast(0.7)));
        rows.add(row(Case.ONE_GROUP, length, Promise.atLeast(0.7)));
        if (!length.quick()) {
            rows.add(row(Case.NOTHING, length, null));
        }
        return rows;
    }

    static List<LibraryWorkload> libraryWorkloads(RunLength length) {
        return Stream.of(CASES)
                .map(of ->
                        LibraryWorkload.of(of.title + ", per task", Unit.NANOS, of.tasks, of.carrying(), of.workload))
                .toList();
    }

    private static Row row(Case of, RunLength length, @Nullable Promise promise) throws InterruptedException {
        Fork fork = Fork.run(length.pick(3, 1), CarriedMdc.class, length.pick(10, 8), length.pick(12, 4), of.ordinal());
        return new Row(of.title + ", against no carrier", Unit.SPEEDUP, null, fork.quartiles(CARRIED), promise);
    }

    /** The forked JVM. Arguments: warm-up rounds, rounds, the case. */
    public static void main(String[] args) throws InterruptedException {
        Case of = CASES[Integer.parseInt(args[2])];
        requireMdc();
        InterleavedRounds rounds = new InterleavedRounds()
                .add(GroupExecutorAdapter.NAME, GroupExecutorAdapter.withLimit(of.limit))
                .add(CARRIED, of.carrying())
                .run(Integer.parseInt(args[0]), Integer.parseInt(args[1]), of.workload);
        Fork.print(CARRIED, rounds.speedups(CARRIED, GroupExecutorAdapter.NAME));
    }

    /** Without a logging library that has an MDC there would be nothing to carry, and the figure would mean nothing. */
    private static void requireMdc() {
        MDC.put("probe", "value");
        if (MDC.get("probe") == null) {
            throw new IllegalStateException("the MDC keeps no values");
        }
        MDC.clear();
    }

    private static double withMdc(Map<String, String> values, ExecutorAdapter executor, Workload workload)
            throws InterruptedException {
        MDC.clear();
        values.forEach(MDC::put);
        try {
            return workload.measure(executor);
        } finally {
            MDC.clear();
        }
    }
}
