package io.github.kobe.benchmarks;

import io.github.kobe.GroupPolicy;
import io.github.kobe.benchmarks.Row.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * How long tasks of one group wait while another has a backlog: from submission to start, of small tasks that are submitted
 * one at a time until a tenth of the backlog is left.
 *
 * @param backlog how many tasks the busy group has
 * @param workMillis how long each of them sleeps, in place of work
 * @param pauseMillis between two of the small tasks
 * @param share which of the waits to report: 0.99 for all but the worst hundredth, 1 for the worst
 */
record WaitBehind(int backlog, int workMillis, int pauseMillis, double share) implements Workload {

    private static final String BUSY = "busy";
    private static final String OTHER = "other";

    /** The library, but the two groups have no cap in common: what they wait then is the machine's doing. */
    private static final String APART = "apart";

    static List<Row> lightTenant(Effort effort) throws InterruptedException {
        WaitBehind load = new WaitBehind(effort.of(40_000, 20_000), 1, 4, 0.99);
        return load.rows("p99 wait of a light tenant behind %,d tasks", 16, 16, effort, Promise.atMost(5));
    }

    static List<Row> freeGroup(Effort effort) throws InterruptedException {
        WaitBehind load = new WaitBehind(effort.of(40, 20), 50, 10, 1);
        return load.rows("worst wait of a free group beside %,d stuck tasks", 4, 1, effort, Promise.atMost(10));
    }

    private List<Row> rows(String format, int cap, int busyLimit, Effort effort, Promise promise)
            throws InterruptedException {
        String figure = String.format(Locale.ROOT, format, backlog);
        UnaryOperator<GroupPolicy.Builder> limits =
                policy -> policy.perGroupMaxConcurrency(Map.of(BUSY, busyLimit)).defaultMaxConcurrencyPerGroup(cap);
        Rounds done = new Rounds()
                .sideUnlessQuick(effort, "seed-like", SeedLike.with(cap, key -> key.equals(BUSY) ? busyLimit : cap))
                .side("ours", Library.with(policy -> limits.apply(policy).globalMaxInFlight(cap)))
                .side(APART, Library.with(limits))
                .run(effort.of(1, 0), effort.of(5, 1), this);
        return List.of(
                new Row(
                        figure + ", cap " + cap,
                        Unit.MILLIS,
                        done.costIfMeasured("seed-like"),
                        done.cost("ours"),
                        promise),
                new Row(figure + ", no cap", Unit.MILLIS, null, done.cost(APART), null));
    }

    /** A small task that knows how long it waited. */
    private static final class Probe implements Callable<Boolean> {
        private final CountDownLatch started = new CountDownLatch(1);
        private final long submitted = System.nanoTime();
        private long begun; // written before the latch opens, read after

        @Override
        public Boolean call() {
            begun = System.nanoTime();
            started.countDown();
            return true;
        }

        double waitedMillis() throws InterruptedException {
            Await.zero(started);
            return (begun - submitted) / (double) TimeUnit.MILLISECONDS.toNanos(1);
        }
    }

    @Override
    public double measure(Contender contender) throws InterruptedException {
        CountDownLatch left = new CountDownLatch(backlog);
        Callable<Boolean> work = () -> {
            Thread.sleep(workMillis);
            left.countDown();
            return true;
        };
        for (int i = 0; i < backlog; i++) {
            contender.submit(BUSY, work);
        }
        List<Probe> probes = new ArrayList<>();
        while (left.getCount() > backlog / 10) {
            Probe probe = new Probe();
            contender.submit(OTHER, probe);
            probes.add(probe);
            Thread.sleep(pauseMillis);
        }
        Await.zero(left);
        if (probes.isEmpty()) {
            throw new IllegalStateException("the backlog was gone before it was there: " + contender);
        }
        double[] waits = new double[probes.size()];
        for (int i = 0; i < waits.length; i++) {
            waits[i] = probes.get(i).waitedMillis();
        }
        return Spread.quantile(share, waits);
    }
}
