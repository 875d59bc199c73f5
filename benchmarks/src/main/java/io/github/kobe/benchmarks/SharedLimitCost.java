package io.github.kobe.benchmarks;

import io.github.kobe.GroupPolicy;
import io.github.kobe.SharedLimit;
import io.github.kobe.benchmarks.Row.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Empty tasks under limits over several groups that never bind, compared with tasks without such limits. */
final class SharedLimitCost {

    private static final int NEVER_REACHED = 1_000_000;
    private static final String LIMITED = "limited";

    /** Each is measured in its own JVM: code that has seen all of them is compiled less well. */
    private enum Case {
        GLOBAL_DISPATCH(
                "a global limit, dispatch", 0.75, Dispatch.LIMIT, Dispatch.TASKS, Dispatch.workload(), Case::global),
        GLOBAL_DRAIN(
                "a global limit, one group of limit 1",
                0.75,
                1,
                Drain.TASKS,
                Drain::nanosWhenAllAreQueued,
                Case::global),
        SHARED_DISPATCH(
                "three shared limits, dispatch",
                0.5,
                Dispatch.LIMIT,
                Dispatch.TASKS,
                Dispatch.workload(),
                Case::shared),
        SHARED_DRAIN(
                "three shared limits, one group of limit 1",
                0.5,
                1,
                Drain.TASKS,
                Drain::nanosWhenAllAreQueued,
                Case::shared);

        private final String title;
        private final double promise;
        private final int limit;
        private final int tasks;
        private final Workload workload;
        private final UnaryOperator<GroupPolicy.Builder> limits;

        Case(
                String title,
                double promise,
                int limit,
                int tasks,
                Workload workload,
                UnaryOperator<GroupPolicy.Builder> limits) {
            this.title = title;
            this.promise = promise;
            this.limit = limit;
            this.tasks = tasks;
            this.workload = workload;
            this.limits = limits;
        }

        private static GroupPolicy.Builder global(GroupPolicy.Builder policy) {
            return policy.globalMaxInFlight(NEVER_REACHED);
        }

        /** One value for all groups, one of ten, and one for each group. */
        private static GroupPolicy.Builder shared(GroupPolicy.Builder policy) {
            return policy.sharedLimit(SharedLimit.by("all", key -> "all").max(NEVER_REACHED))
                    .sharedLimit(SharedLimit.by("some", key -> key.substring(key.length() - 1))
                            .max(NEVER_REACHED))
                    .sharedLimit(SharedLimit.by("own", key -> key).max(NEVER_REACHED));
        }

        Supplier<ExecutorAdapter> limited() {
            return GroupExecutorAdapter.with(policy -> limits.apply(policy.defaultMaxConcurrencyPerGroup(limit)));
        }
    }

    private static final Case[] CASES = Case.values();

    private SharedLimitCost() {}

    static List<Row> rows(RunLength length) throws InterruptedException {
        List<Row> rows = new ArrayList<>();
        for (Case of : CASES) {
            Fork fork = Fork.run(
                    length.pick(3, 1), SharedLimitCost.class, length.pick(10, 8), length.pick(12, 4), of.ordinal());
            rows.add(new Row(
                    of.title + " that never binds, against none",
                    Unit.SPEEDUP,
                    null,
                    fork.quartiles(LIMITED),
                    Promise.atLeast(of.promise)));
        }
        return rows;
    }

    static List<LibraryWorkload> libraryWorkloads(RunLength length) {
        return Stream.of(CASES)
                .map(of -> LibraryWorkload.of(of.title + ", per task", Unit.NANOS, of.tasks, of.limited(), of.workload))
                .toList();
    }

    /** The forked JVM. Arguments: warm-up rounds, rounds, the case. */
    public static void main(String[] args) throws InterruptedException {
        Case of = CASES[Integer.parseInt(args[2])];
        InterleavedRounds rounds = new InterleavedRounds()
                .add(GroupExecutorAdapter.NAME, GroupExecutorAdapter.withLimit(of.limit))
                .add(LIMITED, of.limited())
                .run(Integer.parseInt(args[0]), Integer.parseInt(args[1]), of.workload);
        Fork.print(LIMITED, rounds.speedups(LIMITED, GroupExecutorAdapter.NAME));
    }
}
