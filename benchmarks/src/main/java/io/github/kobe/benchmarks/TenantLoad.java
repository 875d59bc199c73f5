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
 * Tenants that hand in tasks which do nothing but take their time. Times are those of the document that the mixes come from; they
 * are played some times as fast.
 *
 * <p>All sides are played at once, each with senders of its own: the machine is hardly busy with any, and what it does to one of them
 * it does to all. Waits are those of the whole run. Work is what was done after the first tenth of it, when whoever wants more than
 * there is has a line on every side, and up to the end, also of tasks that have not ended by then.
 */
final class TenantLoad {

    private static final double NANOS_PER_MILLI = 1e6;
    private static final int START_UP = 10;

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
        private final Set<String> quiet = new HashSet<>();
        private final DoubleAdder work = new DoubleAdder();

        private Outcome(List<Tenant> tenants) {
            for (Tenant tenant : tenants) {
                waits.put(tenant.name, new ConcurrentLinkedQueue<>());
                if (tenant.quiet) {
                    quiet.add(tenant.name);
                }
            }
        }

        double percentileOfQuiet(double share) {
            double[] all = waits.entrySet().stream()
                    .filter(entry -> quiet.contains(entry.getKey()))
                    .flatMap(entry -> entry.getValue().stream())
                    .mapToDouble(Double::doubleValue)
                    .toArray();
            return all.length == 0 ? 0 : Spread.quantile(share, all);
        }

        /** For how long the tenants that are not quiet had places, in ns. */
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
    private final int scale;
    private final SplittableRandom seeds = new SplittableRandom(17);

    /** @param scale how many times as fast as in the document */
    TenantLoad(int places, int scale) {
        this.places = places;
        this.scale = scale;
    }

    TenantLoad add(String name, boolean quiet, LongUnaryOperator gap, LongUnaryOperator length, int batch) {
        tenants.add(new Tenant(name, quiet, gap, length, batch));
        return this;
    }

    TenantLoad every(String name, boolean quiet, long length, long period) {
        return add(name, quiet, t -> period, t -> length, 1);
    }

    TenantLoad atRandom(String name, boolean quiet, long length, long period) {
        long seed = seeds.nextLong();
        return add(name, quiet, t -> gap(seed + t, period), t -> length, 1);
    }

    /** The same for every side. */
    private static long gap(long seed, long period) {
        return Math.max(1, (long) (-Math.log(1 - new SplittableRandom(seed).nextDouble()) * period));
    }

    /** @param millis for how long, in the document's time */
    Map<TenantSide, Outcome> play(long millis) throws InterruptedException {
        Map<TenantSide, Outcome> outcomes = new EnumMap<>(TenantSide.class);
        List<TenantSide.Tenancy> tenancies = new ArrayList<>();
        List<Thread> senders = new ArrayList<>();
        Span span = Span.of(nanos(millis));
        for (TenantSide side : TenantSide.values()) {
            TenantSide.Tenancy tenancy = side.open(places, scale);
            Outcome outcome = new Outcome(tenants);
            for (Tenant tenant : tenants) {
                senders.add(Thread.ofVirtual().start(() -> send(tenant, tenancy.submitter(), span, outcome)));
            }
            outcomes.put(side, outcome);
            tenancies.add(tenancy);
        }
        for (Thread sender : senders) {
            sender.join();
        }
        tenancies.forEach(tenancy -> tenancy.close().run());
        return outcomes;
    }

    private long nanos(long millis) {
        return millis * 1_000_000 / scale;
    }

    /** When it begins, when work begins to count, and when it ends. */
    private record Span(long start, long counted, long end) {
        private static final long LEAD = 50_000_000; // until all senders are there

        static Span of(long nanos) {
            long start = System.nanoTime() + LEAD;
            return new Span(start, start + nanos / START_UP, start + nanos);
        }

        double countedOf(long from, long to) {
            return Math.max(0, Math.min(to, end) - Math.max(from, counted));
        }
    }

    private void send(Tenant tenant, TenantSide.Submitter to, Span span, Outcome outcome) {
        long due = span.start + nanos(tenant.gap.applyAsLong(0)) / 2;
        while (due < span.end) {
            sleepUntil(due);
            long at = (due - span.start) * scale / 1_000_000;
            for (int i = 0; i < tenant.batch; i++) {
                long submitted = System.nanoTime();
                to.submit(tenant.name, () -> take(tenant, at, submitted, span, outcome));
            }
            due += Math.max(1, nanos(tenant.gap.applyAsLong(at)));
        }
        sleepUntil(span.end);
    }

    private void take(Tenant tenant, long at, long submitted, Span span, Outcome outcome) {
        long now = System.nanoTime();
        if (now >= span.end) {
            return;
        }
        Objects.requireNonNull(outcome.waits.get(tenant.name)).add((now - submitted) / NANOS_PER_MILLI);
        sleepUntil(Math.min(span.end, now + nanos(tenant.length.applyAsLong(at))));
        if (!tenant.quiet) {
            outcome.work.add(span.countedOf(now, System.nanoTime()));
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
