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

/** Other ways into a group than a plain submit, against that. */
final class WaysIn {

    private static final int WAITED_FOR = 3_000; // a wait each, so they take as long as many more of the others
    private static final Promise OPTIONS_COST = Promise.atLeast(1 / 1.3);

    /** What is compared, in a JVM of its own: code that has seen all of them is not compiled as well any more. */
    private enum Way {
        VIEW(Views::new, Dispatch.work()),
        OPTIONS(WithOptions::new, WaysIn::nanosWaitedFor),
        OPTIONS_UNWATCHED(WithOptions::new, Dispatch.work());

        private final Supplier<Contender> contender;
        private final Workload work;

        Way(Supplier<Contender> contender, Workload work) {
            this.contender = contender;
            this.work = work;
        }
    }

    private static final Way[] WAYS = Way.values();

    private WaysIn() {}

    static List<Row> rows(Effort effort) throws InterruptedException {
        List<Row> rows = new ArrayList<>();
        rows.add(row("executor-service view, against submit", effort, 0, Promise.atLeast(0.9)));
        rows.add(row("a task with options and its result, against one without", effort, 1, OPTIONS_COST));
        if (!effort.quick()) {
            rows.add(row("the same, as fast as they can be put in line", effort, 2, OPTIONS_COST));
        }
        return rows;
    }

    private static Row row(String figure, Effort effort, int way, Promise promise) throws InterruptedException {
        Fork fork = Fork.run(effort.of(3, 1), WaysIn.class, effort.of(10, 8), effort.of(12, 4), way);
        return new Row(figure, Unit.TIMES, null, fork.spread(WAYS[way].name()), promise);
    }

    /** One fork. */
    public static void main(String[] args) throws InterruptedException {
        Way way = WAYS[Integer.parseInt(args[2])];
        Rounds rounds = new Rounds()
                .side(Library.NAME, Library.ofLimit(Dispatch.LIMIT))
                .side(way.name(), way.contender)
                .run(Integer.parseInt(args[0]), Integer.parseInt(args[1]), way.work);
        for (double speed : rounds.speeds(way.name(), Library.NAME)) {
            Fork.report(way.name(), speed);
        }
    }

    /** One task after the other, each submitted and waited for. */
    private static double nanosWaitedFor(Contender contender) throws InterruptedException {
        String[] keys = Dispatch.keys();
        Callable<Boolean> task = () -> true;
        long start = System.nanoTime();
        for (int i = 0; i < WAITED_FOR; i++) {
            ((TaskHandle<?>) contender.submit(keys[i % keys.length], task)).await();
        }
        return System.nanoTime() - start;
    }

    private static GroupExecutor executor() {
        return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(Dispatch.LIMIT)
                .build());
    }

    /** A view for each group, which whoever submits has in hand: looking them up by name would cost more than what is measured. */
    private static final class Views implements Contender {
        private final GroupExecutor executor = executor();
        private final ExecutorService[] views =
                Stream.of(Dispatch.keys()).map(executor::asExecutorService).toArray(ExecutorService[]::new);
        private int next;

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // handed on as what the caller would hold
        public Object submit(String group, Callable<?> task) {
            ExecutorService view = views[next];
            next = next + 1 == views.length ? 0 : next + 1; // a division would be a part of what is measured
            return view.submit(task);
        }

        @Override
        public void close() {
            executor.close();
        }
    }

    /** Every option that a task can go through life with without needing it. */
    private static final class WithOptions implements Contender {
        private static final TaskOptions OPTIONS = TaskOptions.builder()
                .priority(1)
                .timeout(Duration.ofMinutes(1))
                .maxQueueTime(Duration.ofMinutes(1))
                .retry(RetryPolicy.attempts(3))
                .tag("tag")
                .build();

        private final GroupExecutor executor = executor();

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
