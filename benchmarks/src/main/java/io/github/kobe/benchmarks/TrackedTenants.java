package io.github.kobe.benchmarks;

import io.github.kobe.benchmarks.Row.Promise;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Empty tasks over many tenants that the isolation face keeps track of, against groups with a limit each. Tenants call in no order of
 * their own. (If they did in the order in which they first called, all that is known of each would be in memory beside what is known of
 * the one before, and the processor would have it at hand before it is asked for; shown too, for those who wonder.)
 */
final class TrackedTenants {

    private static final int TENANTS = 100_000;
    private static final int TASKS = 200_000;
    private static final int PLACES = 64;
    private static final long SEED = 2026;
    private static final String ISOLATION = "isolation";
    private static final String UNLIMITED = "unlimited";

    private TrackedTenants() {}

    static List<Row> rows(Effort effort) throws InterruptedException {
        Fork fork = fork(effort, true);
        List<Row> rows = new ArrayList<>();
        rows.add(row("dispatch, 100,000 tracked tenants, against groups under one limit", fork, Library.NAME, 0.5));
        if (!effort.quick()) {
            rows.add(row("the same, against groups with limits of their own only", fork, UNLIMITED, null));
            rows.add(row(
                    "against groups under one limit, tenants in the order in which they first came",
                    fork(effort, false),
                    Library.NAME,
                    null));
        }
        return rows;
    }

    private static Fork fork(Effort effort, boolean shuffled) throws InterruptedException {
        return Fork.run(
                effort.of(2, 1),
                TrackedTenants.class,
                effort.of(4, 2),
                effort.of(9, 3),
                effort.quick() || !shuffled ? 0 : 1,
                shuffled ? 1 : 0);
    }

    private static Row row(String figure, Fork fork, String base, @Nullable Double promise) {
        return new Row(figure, Unit.TIMES, null, fork.spread(base), promise == null ? null : Promise.atLeast(promise));
    }

    /** One fork: warm-up rounds, rounds; 0 not to compare with groups that have no limit in common; 0 for tenants in their order. */
    public static void main(String[] args) throws InterruptedException {
        boolean unlimited = args.length < 3 || !args[2].equals("0");
        String[] order = args.length > 3 && args[3].equals("0") ? KEYS : shuffled();
        Rounds rounds = new Rounds()
                .side(
                        Library.NAME,
                        tracking(Library.with(policy -> policy.defaultMaxConcurrencyPerGroup(Integer.MAX_VALUE)
                                .globalMaxInFlight(PLACES))))
                .side(ISOLATION, tracking(Isolation::new));
        if (unlimited) {
            rounds.side(UNLIMITED, tracking(Library.ofLimit(Dispatch.LIMIT)));
        }
        rounds.run(Integer.parseInt(args[0]), Integer.parseInt(args[1]), contender -> nanos(contender, order));
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
                submitAndWait(contender, KEYS, TENANTS);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return contender;
        };
    }

    private static double nanos(Contender contender, String[] order) throws InterruptedException {
        long start = System.nanoTime();
        submitAndWait(contender, order, TASKS);
        return System.nanoTime() - start;
    }

    private static void submitAndWait(Contender contender, String[] order, int tasks) throws InterruptedException {
        CountDownLatch left = new CountDownLatch(tasks);
        Callable<Boolean> task = () -> {
            left.countDown();
            return true;
        };
        for (int i = 0; i < tasks; i++) {
            contender.submit(order[i % TENANTS], task);
        }
        Await.zero(left);
    }

    private static final String[] KEYS = keys();

    private static String[] keys() {
        String[] keys = new String[TENANTS];
        Arrays.setAll(keys, i -> "tenant-" + i);
        return keys;
    }

    private static String[] shuffled() {
        String[] order = KEYS.clone();
        Collections.shuffle(Arrays.asList(order), new Random(SEED));
        return order;
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
