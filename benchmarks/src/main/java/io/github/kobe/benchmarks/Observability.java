package io.github.kobe.benchmarks;

import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.TaskIdentity;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.benchmarks.Row.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** What it costs to observe each task, compared with this library without. */
final class Observability {

    /** Each is measured in its own JVM: code that has seen all of them is compiled less well. */
    private enum Feature {
        LISTENER("a listener that does nothing", 0.8, policy -> policy.taskLifecycleListener(new SilentListener())),
        TIMES("recorded times", 0.9, policy -> policy.recordTimes(true));

        private final String title;
        private final double promise;
        private final UnaryOperator<GroupPolicy.Builder> setting;

        Feature(String title, double promise, UnaryOperator<GroupPolicy.Builder> setting) {
            this.title = title;
            this.promise = promise;
            this.setting = setting;
        }
    }

    /** Has methods of its own, so that the figure does not depend on which ones a listener leaves to the interface. */
    private static final class SilentListener implements TaskLifecycleListener {

        @Override
        public void onSubmitted(TaskIdentity task) {}

        @Override
        public void onStarted(TaskIdentity task, Duration waited) {}

        @Override
        public void onCompleted(TaskIdentity task, GroupResult<?> result) {}
    }

    private enum Load {
        DISPATCH("dispatch", Dispatch.LIMIT, Dispatch.TASKS, Dispatch.workload()),
        ONE_GROUP("one group", 1, Drain.TASKS, Drain::nanosWhenAllAreQueued);

        private final String title;
        private final int limit;
        private final int tasks;
        private final Workload workload;

        Load(String title, int limit, int tasks, Workload workload) {
            this.title = title;
            this.limit = limit;
            this.tasks = tasks;
            this.workload = workload;
        }
    }

    private static final Feature[] FEATURES = Feature.values();
    private static final Load[] LOADS = Load.values();

    private Observability() {}

    static List<Row> rows(RunLength length) throws InterruptedException {
        List<Row> rows = new ArrayList<>();
        for (Feature feature : FEATURES) {
            for (Load load : LOADS) {
                rows.add(row(feature, load, length));
            }
        }
        return rows;
    }

    private static Row row(Feature feature, Load load, RunLength length) throws InterruptedException {
        Fork fork = Fork.run(
                length.pick(12, 1), // what the compiler decides in one JVM has a larger effect than what is to be shown
                Observability.class,
                length.pick(10, 5),
                length.pick(8, 5), // each order of the two equally often
                feature.ordinal(),
                load.ordinal());
        return new Row(
                load.title + " with " + feature.title + ", against this library without",
                Unit.SPEEDUP,
                null,
                fork.quartiles(feature.name()),
                Promise.atLeast(feature.promise));
    }

    static List<LibraryWorkload> libraryWorkloads(RunLength length) {
        return Stream.of(FEATURES)
                .flatMap(feature -> Stream.of(LOADS).map(load -> libraryWorkload(feature, load)))
                .toList();
    }

    private static LibraryWorkload libraryWorkload(Feature feature, Load load) {
        return LibraryWorkload.of(
                load.title + " with " + feature.title + ", per task",
                Unit.NANOS,
                load.tasks,
                GroupExecutorAdapter.with(
                        policy -> feature.setting.apply(policy.defaultMaxConcurrencyPerGroup(load.limit))),
                load.workload);
    }

    /** The forked JVM. Arguments: warm-up rounds, rounds, the feature, the load. */
    public static void main(String[] args) throws InterruptedException {
        Feature feature = FEATURES[Integer.parseInt(args[2])];
        Load load = LOADS[Integer.parseInt(args[3])];
        InterleavedRounds rounds = new InterleavedRounds()
                .add(GroupExecutorAdapter.NAME, GroupExecutorAdapter.withLimit(load.limit))
                .add(
                        feature.name(),
                        GroupExecutorAdapter.with(
                                policy -> feature.setting.apply(policy.defaultMaxConcurrencyPerGroup(load.limit))))
                .run(Integer.parseInt(args[0]), Integer.parseInt(args[1]), load.workload);
        Fork.print(feature.name(), rounds.speedups(feature.name(), GroupExecutorAdapter.NAME));
    }
}
