package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongUnaryOperator;

/**
 * Tenants that hand in tasks which do nothing but take their time. Times are those of the document that the mixes come from; they
 * are played {@link #SCALE} times as fast.
 */
final class TenantLoad {

    static final int SCALE = 10;
    private static final double NANOS_PER_MILLI = 1e6;

    /**
     * @param quiet whether it is one that is not to notice the others
     * @param gap until the next task comes, after one at that time, in ms
     * @param length how long a task takes that comes at that time, in ms
     * @param batch how many tasks come at once
     */
    private record Tenant(String name, boolean quiet, LongUnaryOperator gap, LongUnaryOperator length, int batch) {}

    /** What came of it. */
    static final class Outcome {
        private final Map<String, ConcurrentLinkedQueue<Double>> waits = new TreeMap<>();
        private final List<String> quiet = new ArrayList<>();
        private final DoubleAdder work = new DoubleAdder();

        double percentileOfQuiet(double share) {
            double[] all = waits.entrySet().stream()
                    .filter(entry -> quiet.contains(entry.getKey()))
                    .flatMap(entry -> entry.getValue().stream())
                    .mapToDouble(Double::doubleValue)
                    .toArray();
            return all.length == 0 ? 0 : Spread.quantile(share, all);
        }

        /** For how long the tenants that are not quiet had places. */
        double work() {
            return work.sum();
        }

        Map<String, double[]> waits() {
            Map<String, double[]> copy = new TreeMap<>();
            waits.forEach((tenant, its) -> copy.put(
                    tenant, its.stream().mapToDouble(Double::doubleValue).toArray()));
            return copy;
        }
    }

    private final List<Tenant> tenants = new ArrayList<>();
    private final int places;
    private final SplittableRandom seeds = new SplittableRandom(17);

    TenantLoad(int places) {
        this.places = places;
    }

    TenantLoad add(String name, boolean quiet, LongUnaryOperator gap, LongUnaryOperator length, int batch) {
        tenants.add(new Tenant(name, quiet, gap, length, batch));
        return this;
    }

    TenantLoad every(String name, boolean quiet, long length, long period) {
        return add(name, quiet, t -> period, t -> length, 1);
    }

    TenantLoad atRandom(String name, boolean quiet, long length, long period) {
        SplittableRandom random = seeds.split();
        return add(name, quiet, t -> (long) (-Math.log(1 - random.nextDouble()) * period), t -> length, 1);
    }

    /** @param millis for how long, in the document's time */
    Outcome play(TenantSide side, long millis) throws InterruptedException {
        Outcome outcome = new Outcome();
        for (Tenant tenant : tenants) {
            outcome.waits.put(tenant.name, new ConcurrentLinkedQueue<>());
            if (tenant.quiet) {
                outcome.quiet.add(tenant.name);
            }
        }
        TenantSide.Tenancy tenancy = side.open(places);
        long start = System.nanoTime();
        long end = start + nanos(millis);
        Thread[] threads = tenants.stream()
                .map(tenant -> Thread.ofVirtual().start(() -> send(tenant, tenancy.submitter(), start, end, outcome)))
                .toArray(Thread[]::new);
        for (Thread thread : threads) {
            thread.join();
        }
        tenancy.close().run();
        return outcome;
    }

    private static long nanos(long millis) {
        return millis * 1_000_000 / SCALE;
    }

    private static void send(Tenant tenant, TenantSide.Submitter to, long start, long end, Outcome outcome) {
        long due = start + nanos(tenant.gap.applyAsLong(0)) / 2;
        while (due < end) {
            sleepUntil(due);
            long at = (due - start) * SCALE / 1_000_000;
            for (int i = 0; i < tenant.batch; i++) {
                long submitted = System.nanoTime();
                to.submit(tenant.name, () -> take(tenant, at, submitted, end, outcome));
            }
            due += Math.max(1, nanos(tenant.gap.applyAsLong(at)));
        }
        sleepUntil(end);
    }

    private static void take(Tenant tenant, long at, long submitted, long end, Outcome outcome) {
        long now = System.nanoTime();
        if (now >= end) {
            return;
        }
        Objects.requireNonNull(outcome.waits.get(tenant.name)).add((now - submitted) / NANOS_PER_MILLI);
        long until = Math.min(end, now + nanos(tenant.length.applyAsLong(at)));
        sleepUntil(until);
        if (!tenant.quiet) {
            outcome.work.add(Math.min(System.nanoTime(), end) - now);
        }
    }

    private static void sleepUntil(long time) {
        for (long left = time - System.nanoTime(); left > 0; left = time - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
                return;
            }
        }
    }
}
