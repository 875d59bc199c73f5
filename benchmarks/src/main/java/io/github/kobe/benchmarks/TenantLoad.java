package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongUnaryOperator;

/**
 * Tenants that submit tasks which sleep. Times are those of the design document, divided by a speed.
 *
 * <p>All executors run at the same time, each with its own submitters: none of them keeps the machine busy, and other load affects all.
 * Waits are recorded during the whole run. Work is recorded after the first tenth, when the tenants that need more permits than there are
 * have a queue on every executor, until the end, including the tasks that run at the end.
 */
final class TenantLoad {

    private static final double NANOS_PER_MILLI = 1e6;
    private static final int START_UP_FRACTION = 10;

    /**
     * A tenant.
     *
     * @param fast whether its waits are recorded; otherwise its work is
     * @param interval the time from a submission at the given time to the next one, in ms
     * @param duration how long a task takes that is submitted at the given time, in ms
     * @param batchSize the number of tasks submitted at the same time
     */
    private record Tenant(
            String name, boolean fast, LongUnaryOperator interval, LongUnaryOperator duration, int batchSize) {}

    /** The result of one executor. */
    static final class Result {
        private final Map<String, ConcurrentLinkedQueue<Double>> waits = new TreeMap<>();
        private final Set<String> fastTenants = new HashSet<>();
        private final DoubleAdder work = new DoubleAdder();

        private Result(List<Tenant> tenants) {
            for (Tenant tenant : tenants) {
                waits.put(tenant.name, new ConcurrentLinkedQueue<>());
                if (tenant.fast) {
                    fastTenants.add(tenant.name);
                }
            }
        }

        /** Returns a percentile of the waits of fast tenants in ms, or 0 if there are none. */
        double waitOfFastTenants(double percentile) {
            double[] all = waits.entrySet().stream()
                    .filter(entry -> fastTenants.contains(entry.getKey()))
                    .flatMap(entry -> entry.getValue().stream())
                    .mapToDouble(Double::doubleValue)
                    .toArray();
            return all.length == 0 ? 0 : Quartiles.quantile(percentile, all);
        }

        /** Returns how long the other tenants held permits, in ns. */
        double workOfOtherTenants() {
            return work.sum();
        }

        /** Returns the waits of each tenant in ms. */
        Map<String, double[]> waits() {
            Map<String, double[]> copy = new TreeMap<>();
            waits.forEach((tenant, values) -> copy.put(
                    tenant, values.stream().mapToDouble(Double::doubleValue).toArray()));
            return copy;
        }
    }

    private final List<Tenant> tenants = new ArrayList<>();
    private final int permits;
    private final int speed;
    private final SplittableRandom seeds = new SplittableRandom(17);

    /** @param speed all times are divided by this */
    TenantLoad(int permits, int speed) {
        this.permits = permits;
        this.speed = speed;
    }

    TenantLoad add(String name, boolean fast, LongUnaryOperator interval, LongUnaryOperator duration, int batchSize) {
        tenants.add(new Tenant(name, fast, interval, duration, batchSize));
        return this;
    }

    /** Adds a tenant that submits at equal intervals. */
    TenantLoad addPeriodic(String name, boolean fast, long duration, long interval) {
        return add(name, fast, time -> interval, time -> duration, 1);
    }

    /** Adds a tenant that submits at random, with the given mean interval. */
    TenantLoad addRandom(String name, boolean fast, long duration, long meanInterval) {
        long seed = seeds.nextLong();
        return add(name, fast, time -> randomInterval(seed + time, meanInterval), time -> duration, 1);
    }

    /** The interval depends on the arguments alone, so that it is the same for every executor. */
    private static long randomInterval(long seed, long mean) {
        return Math.max(1, (long) (-Math.log(1 - new SplittableRandom(seed).nextDouble()) * mean));
    }

    /**
     * Runs the load on all executors at the same time.
     *
     * @param millis the length of the run in the time of the design document
     */
    Map<TenantExecutor, Result> run(long millis, List<TenantExecutor> executors) throws InterruptedException {
        Map<TenantExecutor, Result> results = new EnumMap<>(TenantExecutor.class);
        List<TenantExecutor.Opened> opened = new ArrayList<>();
        List<Thread> submitters = new ArrayList<>();
        Period period = Period.startingSoon(nanos(millis));
        for (TenantExecutor each : executors) {
            TenantExecutor.Opened executor = each.open(permits, speed);
            Result result = new Result(tenants);
            for (Tenant tenant : tenants) {
                submitters.add(Thread.ofVirtual().start(() -> submit(tenant, executor.submitter(), period, result)));
            }
            results.put(each, result);
            opened.add(executor);
        }
        for (Thread submitter : submitters) {
            submitter.join();
        }
        opened.forEach(executor -> executor.close().run());
        return results;
    }

    private long nanos(long millis) {
        return millis * 1_000_000 / speed;
    }

    /** When the run starts, when work starts to count, and when the run ends. */
    private record Period(long start, long workStart, long end) {
        private static final long LEAD = 50_000_000; // until all submitters have started

        static Period startingSoon(long nanos) {
            long start = System.nanoTime() + LEAD;
            return new Period(start, start + nanos / START_UP_FRACTION, start + nanos);
        }

        /** Returns the part of a task's run time that counts as work. */
        double work(long from, long to) {
            return Math.max(0, Math.min(to, end) - Math.max(from, workStart));
        }
    }

    private void submit(Tenant tenant, TenantExecutor.Submitter submitter, Period period, Result result) {
        long due = period.start + nanos(tenant.interval.applyAsLong(0)) / 2;
        while (due < period.end) {
            sleepUntil(due);
            long time = (due - period.start) * speed / 1_000_000;
            for (int i = 0; i < tenant.batchSize; i++) {
                long submitted = System.nanoTime();
                submitter.submit(tenant.name, () -> runTask(tenant, time, submitted, period, result));
            }
            due += Math.max(1, nanos(tenant.interval.applyAsLong(time)));
        }
        sleepUntil(period.end);
    }

    private void runTask(Tenant tenant, long time, long submitted, Period period, Result result) {
        long now = System.nanoTime();
        if (now >= period.end) {
            return;
        }
        Objects.requireNonNull(result.waits.get(tenant.name)).add((now - submitted) / NANOS_PER_MILLI);
        sleepUntil(Math.min(period.end, now + nanos(tenant.duration.applyAsLong(time))));
        if (!tenant.fast) {
            result.work.add(period.work(now, System.nanoTime()));
        }
    }

    private static void sleepUntil(long nanoTime) {
        for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
                return;
            }
        }
    }
}
