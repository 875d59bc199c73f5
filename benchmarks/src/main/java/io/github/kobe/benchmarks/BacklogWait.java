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
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * How long tasks of one group wait from submission to start while another group has a backlog. Short tasks are submitted one at a time
 * until a tenth of the backlog is left. The cost is a percentile of their waits in milliseconds.
 *
 * @param backlog the number of tasks of the busy group
 * @param workMillis how long each of them sleeps
 * @param intervalMillis the time between two of the short tasks
 * @param percentile the percentile to report: 0.99, or 1 for the longest wait
 */
record BacklogWait(int backlog, int workMillis, int intervalMillis, double percentile) implements Workload {

    private static final String BUSY = "busy";
    private static final String OTHER = "other";

    /** This library without a global limit: a wait is then due to the machine. */
    private static final String UNLIMITED = "no global limit";

    private static final Setting LIGHT_TENANT =
            new Setting("p99 wait of a light tenant behind %,d queued tasks", 16, 16);
    private static final Setting FREE_GROUP =
            new Setting("longest wait of a group below its limit beside %,d queued tasks", 4, 1);

    /**
     * The limits of a chapter.
     *
     * @param format the name of the rows
     * @param globalLimit the global limit
     * @param busyLimit the limit of the busy group
     */
    private record Setting(String format, int globalLimit, int busyLimit) {

        String name(BacklogWait workload) {
            return String.format(Locale.ROOT, format, workload.backlog);
        }

        UnaryOperator<GroupPolicy.Builder> groupLimits() {
            return policy ->
                    policy.perGroupMaxConcurrency(Map.of(BUSY, busyLimit)).defaultMaxConcurrencyPerGroup(globalLimit);
        }

        Supplier<ExecutorAdapter> library() {
            return GroupExecutorAdapter.with(
                    policy -> groupLimits().apply(policy).globalMaxInFlight(globalLimit));
        }
    }

    static List<Row> lightTenantRows(RunLength length) throws InterruptedException {
        return lightTenant(length).rows(LIGHT_TENANT, length, Promise.atMost(5));
    }

    static List<LibraryWorkload> lightTenantWorkloads(RunLength length) {
        return lightTenant(length).libraryWorkloads(LIGHT_TENANT);
    }

    private static BacklogWait lightTenant(RunLength length) {
        return new BacklogWait(length.pick(40_000, 20_000), 1, 4, 0.99);
    }

    static List<Row> freeGroupRows(RunLength length) throws InterruptedException {
        return freeGroup(length).rows(FREE_GROUP, length, Promise.atMost(10));
    }

    static List<LibraryWorkload> freeGroupWorkloads(RunLength length) {
        return freeGroup(length).libraryWorkloads(FREE_GROUP);
    }

    private static BacklogWait freeGroup(RunLength length) {
        return new BacklogWait(length.pick(40, 20), 50, 10, 1);
    }

    private List<LibraryWorkload> libraryWorkloads(Setting setting) {
        return List.of(LibraryWorkload.of(setting.name(this), Unit.MILLIS, 1, setting.library(), this)
                .withFewRounds());
    }

    private List<Row> rows(Setting setting, RunLength length, Promise promise) throws InterruptedException {
        int globalLimit = setting.globalLimit;
        InterleavedRounds rounds = new InterleavedRounds()
                .addUnlessQuick(
                        length,
                        ThreeSemaphoresAdapter.EARLIER_DESIGN,
                        ThreeSemaphoresAdapter.with(
                                globalLimit, key -> key.equals(BUSY) ? setting.busyLimit : globalLimit))
                .add(GroupExecutorAdapter.NAME, setting.library())
                .add(UNLIMITED, GroupExecutorAdapter.with(setting.groupLimits()))
                .run(length.pick(1, 0), length.pick(5, 1), this);
        String name = setting.name(this);
        return List.of(
                new Row(
                        name + ", global limit " + globalLimit,
                        Unit.MILLIS,
                        rounds.costIfMeasured(ThreeSemaphoresAdapter.EARLIER_DESIGN),
                        rounds.cost(GroupExecutorAdapter.NAME),
                        promise),
                new Row(name + ", no global limit", Unit.MILLIS, null, rounds.cost(UNLIMITED), null));
    }

    /** A short task that measures its wait. */
    private static final class Probe implements Callable<Boolean> {
        private final CountDownLatch started = new CountDownLatch(1);
        private final long submittedNanos = System.nanoTime();
        private long startedNanos; // written before the latch is released, read after

        @Override
        public Boolean call() {
            startedNanos = System.nanoTime();
            started.countDown();
            return true;
        }

        double waitMillis() throws InterruptedException {
            Await.zero(started);
            return (startedNanos - submittedNanos) / (double) TimeUnit.MILLISECONDS.toNanos(1);
        }
    }

    @Override
    public double measure(ExecutorAdapter executor) throws InterruptedException {
        CountDownLatch remaining = new CountDownLatch(backlog);
        Callable<Boolean> work = () -> {
            Thread.sleep(workMillis);
            remaining.countDown();
            return true;
        };
        for (int i = 0; i < backlog; i++) {
            executor.submit(BUSY, work);
        }
        List<Probe> probes = new ArrayList<>();
        while (remaining.getCount() > backlog / 10) {
            Probe probe = new Probe();
            executor.submit(OTHER, probe);
            probes.add(probe);
            Thread.sleep(intervalMillis);
        }
        Await.zero(remaining);
        if (probes.isEmpty()) {
            throw new IllegalStateException("the backlog was completed before it was submitted: " + executor);
        }
        double[] waits = new double[probes.size()];
        for (int i = 0; i < waits.length; i++) {
            waits[i] = probes.get(i).waitMillis();
        }
        return Quartiles.quantile(percentile, waits);
    }
}
