package io.github.kobe.benchmarks;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskOptions;
import io.github.kobe.benchmarks.Row.Promise;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The work of {@link Dispatch} through other ways into a group than a plain submit, against that. */
final class WaysIn {

    private static final int VIEW = 0;
    private static final int OPTIONS = 1;

    private static final List<String> NAMES = List.of("view", "options");

    private WaysIn() {}

    static List<Row> rows(Effort effort) throws InterruptedException {
        return List.of(
                row("executor-service view, against submit", effort, VIEW, 0.9),
                row("submit with options, against without", effort, OPTIONS, 1 / 1.3));
    }

    private static Row row(String figure, Effort effort, int way, double bound) throws InterruptedException {
        Fork fork = Fork.run(effort.of(6, 2), WaysIn.class, effort.of(20, 15), effort.of(30, 15), way);
        return new Row(figure, Unit.TIMES, null, fork.spread(NAMES.get(way)), Promise.atLeast(bound));
    }

    /** One fork, for one way: what has seen all of them is not compiled as well any more. */
    public static void main(String[] args) throws InterruptedException {
        int way = Integer.parseInt(args[2]);
        String name = NAMES.get(way);
        Supplier<Contender> contender = way == VIEW ? Views::new : WithOptions::new;
        Rounds rounds = new Rounds()
                .side(Library.NAME, Library.ofLimit(Dispatch.LIMIT))
                .side(name, contender)
                .run(Integer.parseInt(args[0]), Integer.parseInt(args[1]), Dispatch.work());
        for (double speed : rounds.speeds(name, Library.NAME)) {
            Fork.report(name, speed);
        }
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
            next = (next + 1) % views.length;
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
