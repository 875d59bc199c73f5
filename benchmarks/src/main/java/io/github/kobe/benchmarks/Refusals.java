package io.github.kobe.benchmarks;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.benchmarks.Row.Promise;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntFunction;

/** The cost of a refused request, by the number of groups that the executor knows. Under overload, refusing must be cheap. */
final class Refusals {

    private static final int FEW_GROUPS = 1;
    private static final int MANY_GROUPS = 100_000;
    private static final int REQUESTS = 20_000;
    private static final Duration LONG = Duration.ofHours(1);

    /** Each is measured in its own JVM. */
    private enum Request {
        SUBMIT("submit to a full executor", Refusals::fullExecutor),
        TRY_ACQUIRE("tryAcquire without a wait", Refusals::executorWithoutPermits),
        ISOLATION("submit to a full isolation executor", Refusals::fullIsolationExecutor);

        private final String title;
        private final IntFunction<Refusing> executors;

        Request(String title, IntFunction<Refusing> executors) {
            this.title = title;
            this.executors = executors;
        }
    }

    private static final Request[] REQUESTS_MEASURED = Request.values();

    /** An executor that refuses every request. */
    private interface Refusing extends AutoCloseable {
        /** Returns whether the request was refused. */
        boolean refuses() throws InterruptedException;

        @Override
        void close();
    }

    private interface Refusal {
        boolean ask() throws InterruptedException;
    }

    private record RefusingExecutor(Refusal refusal, Runnable onClose) implements Refusing {
        @Override
        public boolean refuses() throws InterruptedException {
            return refusal.ask();
        }

        @Override
        public void close() {
            onClose.run();
        }
    }

    private Refusals() {}

    static List<Row> rows(RunLength length) throws InterruptedException {
        List<Row> rows = new ArrayList<>();
        for (Request request : REQUESTS_MEASURED) {
            Fork fork = Fork.run(
                    length.pick(2, 1), Refusals.class, length.pick(10, 4), length.pick(10, 4), request.ordinal());
            String many = String.format(Locale.ROOT, "%,d known groups", MANY_GROUPS);
            rows.add(new Row(
                    "refused " + request.title + ", " + many + " against one",
                    Unit.COST_RATIO,
                    null,
                    fork.ratio(key(MANY_GROUPS), key(FEW_GROUPS)),
                    Promise.atMost(2)));
            rows.add(new Row(
                    "refused " + request.title + ", " + many,
                    Unit.NANOS,
                    null,
                    fork.quartiles(key(MANY_GROUPS)),
                    null));
        }
        return rows;
    }

    private static String key(int groups) {
        return "groups@" + groups;
    }

    /** The forked JVM. Arguments: warm-up rounds, rounds, the request. */
    public static void main(String[] args) throws InterruptedException {
        int warmups = Integer.parseInt(args[0]);
        int rounds = Integer.parseInt(args[1]);
        Request request = REQUESTS_MEASURED[Integer.parseInt(args[2])];
        try (Refusing few = request.executors.apply(FEW_GROUPS);
                Refusing many = request.executors.apply(MANY_GROUPS)) {
            for (int round = -warmups; round < rounds; round++) {
                double fewNanos = nanosPerRefusal(few);
                double manyNanos = nanosPerRefusal(many);
                if (round >= 0) {
                    Fork.print(key(FEW_GROUPS), fewNanos);
                    Fork.print(key(MANY_GROUPS), manyNanos);
                }
            }
        }
    }

    private static double nanosPerRefusal(Refusing executor) throws InterruptedException {
        int refused = 0;
        long start = System.nanoTime();
        for (int i = 0; i < REQUESTS; i++) {
            refused += executor.refuses() ? 1 : 0;
        }
        long nanos = System.nanoTime() - start;
        if (refused != REQUESTS) {
            throw new IllegalStateException("only " + refused + " of " + REQUESTS + " requests were refused");
        }
        return (double) nanos / REQUESTS;
    }

    // ---- executors -----------------------------------------------------------------------------------------------

    private static GroupExecutor withKnownGroups(int groups) {
        GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                .globalMaxInFlight(1)
                .globalQueueThreshold(0)
                .idleGroupTtl(LONG)
                .build());
        for (int i = 0; i < groups; i++) {
            executor.submit("group-" + i, "task", () -> true).join();
        }
        return executor;
    }

    private static Refusing fullExecutor(int groups) {
        GroupExecutor executor = withKnownGroups(groups);
        executor.submit("group-0", "running", untilInterrupted());
        return new RefusingExecutor(
                () -> executor.submit("group-0", "refused", () -> true).isDone(), executor::close);
    }

    private static Refusing executorWithoutPermits(int groups) {
        GroupExecutor executor = withKnownGroups(groups);
        executor.submit("group-0", "running", untilInterrupted());
        return new RefusingExecutor(
                () -> !executor.tryAcquire("group-0", Duration.ZERO).isGranted(), executor::close);
    }

    private static Refusing fullIsolationExecutor(int keys) {
        IsolationExecutor executor = IsolationExecutor.create(IsolationPolicy.builder()
                .maxConcurrency(1)
                .queueCapacity(1)
                .maxTrackedKeys(2 * MANY_GROUPS)
                .statsWindow(LONG)
                .build());
        for (int i = 0; i < keys; i++) {
            executor.submit("key-" + i, () -> true).join();
        }
        executor.submit("key-0", untilInterrupted());
        executor.submit("key-0", () -> true);
        return new RefusingExecutor(() -> isRejected(executor.submit("key-0", () -> true)), executor::close);
    }

    private static boolean isRejected(TaskHandle<?> handle) {
        return handle.isDone();
    }

    private static Callable<Boolean> untilInterrupted() {
        return () -> {
            new CountDownLatch(1).await();
            return true;
        };
    }
}
