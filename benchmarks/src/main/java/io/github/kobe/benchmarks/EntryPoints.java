package io.github.kobe.benchmarks;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.benchmarks.Row.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Other entry points to a group, compared with the plain {@code submit}. */
final class EntryPoints {

    /** Fewer tasks than elsewhere, since each one is waited for. */
    private static final int AWAITED_TASKS = 3_000;

    private static final Promise OPTIONS_PROMISE = Promise.atLeast(1 / 1.3);

    /** Each is measured in its own JVM: code that has seen all of them is compiled less well. */
    private enum EntryPoint {
        EXECUTOR_SERVICE_VIEW("executor-service view", ViewsAdapter::new, Dispatch.TASKS, Dispatch.workload()),
        OPTIONS_AWAITED(
                "task with options, submitted and awaited",
                OptionsAdapter::new,
                AWAITED_TASKS,
                EntryPoints::nanosToSubmitAndAwait),
        OPTIONS("task with options, dispatch", OptionsAdapter::new, Dispatch.TASKS, Dispatch.workload());

        private final String title;
        private final Supplier<ExecutorAdapter> executors;
        private final int tasks;
        private final Workload workload;

        EntryPoint(String title, Supplier<ExecutorAdapter> executors, int tasks, Workload workload) {
            this.title = title;
            this.executors = executors;
            this.tasks = tasks;
            this.workload = workload;
        }
    }

    private static final EntryPoint[] ENTRY_POINTS = EntryPoint.values();

    private EntryPoints() {}

    static List<Row> rows(RunLength length) throws InterruptedException {
        List<Row> rows = new ArrayList<>();
        rows.add(row(EntryPoint.EXECUTOR_SERVICE_VIEW, "against submit", length, Promise.atLeast(0.8)));
        rows.add(row(EntryPoint.OPTIONS_AWAITED, "against one without", length, OPTIONS_PROMISE));
        if (!length.quick()) {
            rows.add(row(EntryPoint.OPTIONS, "against one without", length, OPTIONS_PROMISE));
        }
        return rows;
    }

    static List<LibraryWorkload> libraryWorkloads(RunLength length) {
        return Stream.of(ENTRY_POINTS)
                .map(entryPoint -> LibraryWorkload.of(
                        entryPoint.title + ", per task",
                        Unit.NANOS,
                        entryPoint.tasks,
                        entryPoint.executors,
                        entryPoint.workload))
                .toList();
    }

    private static Row row(EntryPoint entryPoint, String against, RunLength length, Promise promise)
            throws InterruptedException {
        Fork fork = Fork.run(
                length.pick(3, 1), EntryPoints.class, length.pick(10, 8), length.pick(12, 4), entryPoint.ordinal());
        return new Row(
                entryPoint.title + ", " + against, Unit.SPEEDUP, null, fork.quartiles(entryPoint.name()), promise);
    }

    /** The forked JVM. Arguments: warm-up rounds, rounds, the entry point. */
    public static void main(String[] args) throws InterruptedException {
        EntryPoint entryPoint = ENTRY_POINTS[Integer.parseInt(args[2])];
        InterleavedRounds rounds = new InterleavedRounds()
                .add(GroupExecutorAdapter.NAME, GroupExecutorAdapter.withLimit(Dispatch.LIMIT))
                .add(entryPoint.name(), entryPoint.executors)
                .run(Integer.parseInt(args[0]), Integer.parseInt(args[1]), entryPoint.workload);
        Fork.print(entryPoint.name(), rounds.speedups(entryPoint.name(), GroupExecutorAdapter.NAME));
    }

    /** Submits one task after the other and awaits each. */
    private static double nanosToSubmitAndAwait(ExecutorAdapter executor) throws InterruptedException {
        String[] keys = Dispatch.keys();
        Callable<Boolean> task = () -> true;
        long start = System.nanoTime();
        for (int i = 0; i < AWAITED_TASKS; i++) {
            ((TaskHandle<?>) executor.submit(keys[i % keys.length], task)).await();
        }
        return System.nanoTime() - start;
    }

    private static GroupExecutor newExecutor() {
        return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(Dispatch.LIMIT)
                .build());
    }

    /** Submits through an executor-service view for each group. The views are in an array: a lookup by key would cost more than submit. */
    private static final class ViewsAdapter implements ExecutorAdapter {
        private final GroupExecutor executor = newExecutor();
        private final ExecutorService[] views =
                Stream.of(Dispatch.keys()).map(executor::asExecutorService).toArray(ExecutorService[]::new);
        private int next;

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // the caller gets it
        public Object submit(String group, Callable<?> task) {
            ExecutorService view = views[next];
            next = next + 1 == views.length ? 0 : next + 1; // a division would be part of the measured time
            return view.submit(task);
        }

        @Override
        public void close() {
            executor.close();
        }
    }

    /** Submits with every option that an empty task never needs. */
    private static final class OptionsAdapter implements ExecutorAdapter {
        private static final TaskOptions OPTIONS = TaskOptions.builder()
                .priority(1)
                .timeout(Duration.ofMinutes(1))
                .maxQueueTime(Duration.ofMinutes(1))
                .retry(RetryPolicy.attempts(3))
                .tag("tag")
                .build();

        private final GroupExecutor executor = newExecutor();

        @Override
        public Object submit(String group, Callable<?> task) {
            return executor.submit(group, "task", task, OPTIONS);
        }

        @Override
        public void close() {
            executor.close();
        }
    }
}
