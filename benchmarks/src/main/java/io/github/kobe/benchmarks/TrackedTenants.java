package io.github.kobe.benchmarks;

import io.github.kobe.benchmarks.Row.Promise;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Empty tasks over many tenants that the isolation face keeps track of, against groups with a limit each. */
final class TrackedTenants {

    private static final int TENANTS = 100_000;
    private static final int TASKS = 200_000;
    private static final int PLACES = 64;
    private static final String ISOLATION = "isolation";
    private static final String UNLIMITED = "unlimited";

    private TrackedTenants() {}

    static List<Row> rows(Effort effort) throws InterruptedException {
        Fork fork = Fork.run(effort.of(2, 1), TrackedTenants.class, effort.of(4, 2), effort.of(9, 3), effort.of(1, 0));
        List<Row> rows = new ArrayList<>();
        rows.add(row("dispatch, 100,000 tracked tenants, against groups under one limit", fork, Library.NAME, 0.5));
        if (fork.has(UNLIMITED)) {
            rows.add(row("the same, against groups with limits of their own only", fork, UNLIMITED, null));
        }
        return rows;
    }

    private static Row row(String figure, Fork fork, String base, @Nullable Double promise) {
        return new Row(figure, Unit.TIMES, null, fork.spread(base), promise == null ? null : Promise.atLeast(promise));
    }

    /** One fork: warm-up rounds, rounds, and 0 not to compare with groups that have no limit in common. */
    public static void main(String[] args) throws InterruptedException {
        boolean unlimited = args.length < 3 || !args[2].equals("0");
        Rounds rounds = new Rounds()
                .side(
                        Library.NAME,
                        tracking(Library.with(policy -> policy.defaultMaxConcurrencyPerGroup(Integer.MAX_VALUE)
                                .globalMaxInFlight(PLACES))))
                .side(ISOLATION, tracking(Isolation::new));
        if (unlimited) {
            rounds.side(UNLIMITED, tracking(Library.ofLimit(Dispatch.LIMIT)));
        }
        rounds.run(Integer.parseInt(args[0]), Integer.parseInt(args[1]), TrackedTenants::nanos);
        for (String base : unlimited ? List.of(Library.NAME, UNLIMITED) : List.of(Library.NAME)) {
            for (double speed : rounds.speeds(ISOLATION, base)) {
                Fork.report(base, speed);
            }
        }
    }

    /** One that has seen every tenant before it is measured. */
    private static Supplier<Contender> tracking(Supplier<Contender> fresh) {
        return () -> {
            Contender contender = fresh.get();
            try {
                submitAndWait(contender, TENANTS);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return contender;
        };
    }

    private static double nanos(Contender contender) throws InterruptedException {
        long start = System.nanoTime();
        submitAndWait(contender, TASKS);
        return System.nanoTime() - start;
    }

    private static void submitAndWait(Contender contender, int tasks) throws InterruptedException {
        CountDownLatch left = new CountDownLatch(tasks);
        Callable<Boolean> task = () -> {
            left.countDown();
            return true;
        };
        for (int i = 0; i < tasks; i++) {
            contender.submit(KEYS[i % TENANTS], task);
        }
        Await.zero(left);
    }

    private static final String[] KEYS = keys();

    private static String[] keys() {
        String[] keys = new String[TENANTS];
        Arrays.setAll(keys, i -> "tenant-" + i);
        return keys;
    }

    private static final class Isolation implements Contender {
        private final IsolationExecutor executor = IsolationExecutor.create(IsolationPolicy.builder()
                .maxConcurrency(PLACES)
                .queueCapacity(TASKS)
                .statsWindow(Duration.ofMinutes(1))
                .build());

        @Override
        public Object submit(String group, Callable<?> task) {
            return executor.submit(group, task);
        }

        @Override
        public void close() {
            executor.close();
        }
    }
}
