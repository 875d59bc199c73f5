package io.github.kobe.isolation;

import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.kernel.VirtualTime;
import io.github.kobe.internal.time.Timer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/** A load of several tenants on virtual time, played to the isolation strategy, and to a plain pool for comparison. */
final class Mix {

    static final long MS = 1_000_000;
    static final long SECOND = 1_000 * MS;
    static final long FOR_EVER = VirtualTime.FOR_EVER;

    /** @param next when the next task comes after one at that time; @param duration of a task that comes at that time */
    private record Source(
            String key, boolean quiet, long first, LongFunction<Long> next, ToLongFunction<Long> duration, int batch) {}

    private record Resize(long at, int budget) {}

    private final List<Source> sources = new ArrayList<>();
    private final List<Resize> resizes = new ArrayList<>();
    final int budget;
    long length = 100 * SECOND;
    Thresholds standards = Thresholds.USUAL;
    private final SplittableRandom seeds = new SplittableRandom(7);

    Mix(int budget) {
        this.budget = budget;
    }

    Mix length(long nanos) {
        length = nanos;
        return this;
    }

    Mix add(String key, boolean quiet, long first, LongFunction<Long> next, ToLongFunction<Long> duration, int batch) {
        sources.add(new Source(key, quiet, first, next, duration, batch));
        return this;
    }

    /** One task every {@code period}. */
    Mix every(String key, boolean quiet, long duration, long period) {
        return add(key, quiet, 0, t -> t + period, t -> duration, 1);
    }

    /** Tasks at random, one every {@code period} on average, as long as {@code duration} on average. */
    Mix random(String key, boolean quiet, long duration, long period) {
        SplittableRandom random = seeds.split();
        LongSupplier gap = () -> (long) (-Math.log(1 - random.nextDouble()) * period);
        return add(
                key,
                quiet,
                gap.getAsLong(),
                t -> t + Math.max(1, gap.getAsLong()),
                t -> (long) (duration * (0.5 + random.nextDouble())),
                1);
    }

    /** Tasks as {@link #every}, but each comes up to {@code jitter} late and takes up to that much longer, as on a real machine. */
    Mix roughlyEvery(String key, boolean quiet, long duration, long period, long jitter) {
        SplittableRandom random = seeds.split();
        return add(
                key,
                quiet,
                0,
                t -> (t / period + 1) * period + random.nextLong(jitter),
                t -> duration + random.nextLong(jitter),
                1);
    }

    /** Tasks of which a few take most of the time: the shortest takes {@code least}, and the longest has no bound. */
    Mix heavyTailed(String key, boolean quiet, long least, long period) {
        SplittableRandom random = seeds.split();
        return add(
                key,
                quiet,
                random.nextLong(period),
                t -> t + period,
                t -> (long) Math.min(length, least / Math.pow(1 - random.nextDouble(), 1 / 1.5)),
                1);
    }

    /** From {@code at} on there are that many places. */
    Mix resize(long at, int places) {
        resizes.add(new Resize(at, places));
        return this;
    }

    /** {@code tasks} at once, every {@code period}. */
    Mix bursts(String key, boolean quiet, long duration, long period, int tasks) {
        return add(key, quiet, period / 3, t -> t + period, t -> duration, tasks);
    }

    static final class Outcome {
        final Map<String, List<Long>> waits = new HashMap<>();
        final List<Long> quietWaits = new ArrayList<>();
        /** When those came that wait, and how many at that time. */
        final Map<Long, Integer> quietInLine = new HashMap<>();
        /** Time for which the places were held by tenants that are not quiet, ended or not. */
        double work;

        double quietWork;
        int most;
        /** How many started although as many ran as may, or more. */
        int tooMany;

        double p99() {
            return percentile(0.99);
        }

        double percentile(double p) {
            if (quietWaits.isEmpty()) {
                return 0;
            }
            long[] sorted =
                    quietWaits.stream().mapToLong(Long::longValue).sorted().toArray();
            return sorted[(int) Math.min(sorted.length - 1, Math.ceil(p * sorted.length) - 1)] / (double) MS;
        }

        double max() {
            return percentile(1);
        }

        double p99(String key) {
            long[] sorted =
                    waits.get(key).stream().mapToLong(Long::longValue).sorted().toArray();
            return sorted[(int) Math.ceil(0.99 * sorted.length) - 1] / (double) MS;
        }
    }

    Outcome play() {
        AtomicReference<IsolationQueue> tenants = new AtomicReference<>();
        VirtualTime time = new VirtualTime(
                timer -> {
                    tenants.set(new IsolationQueue(standards, budget, timer, Journals.NONE));
                    return tenants.get();
                },
                budget);
        resizes.forEach(resize -> time.at(1 + resize.at, () -> tenants.get().setBudget(resize.budget)));
        return play(time, false);
    }

    Outcome play(Function<Timer, ReadyQueue> strategy) {
        return play(new VirtualTime(strategy, budget), false);
    }

    /** First come, first served: all are one group. */
    Outcome plain() {
        return play(new VirtualTime(timer -> new WeightedRoundRobin(), budget), true);
    }

    private Outcome play(VirtualTime time, boolean one) {
        Outcome outcome = new Outcome();
        long end = time.nanoTime() + length;
        resizes.forEach(resize -> time.at(1 + resize.at, () -> time.dispatcher().setGlobalLimit(resize.budget)));
        for (Source source : sources) {
            come(time, source, source.first, end, one, outcome);
        }
        time.runUntil(end);
        outcome.most = time.mostRunning();
        outcome.quietInLine.forEach((since, number) -> outcome.quietWaits.addAll(
                Collections.nCopies(number, end - since))); // or who never got on would not show
        return outcome;
    }

    private void come(VirtualTime time, Source source, long at, long end, boolean one, Outcome outcome) {
        if (at >= length) {
            return;
        }
        time.at(1 + at, () -> {
            for (int i = 0; i < source.batch; i++) {
                submit(time, source, at, end, one, outcome);
            }
            come(time, source, source.next.apply(at), end, one, outcome);
        });
    }

    private void submit(VirtualTime time, Source source, long at, long end, boolean one, Outcome outcome) {
        long duration = source.duration.applyAsLong(at);
        long came = time.nanoTime();
        if (source.quiet) {
            outcome.quietInLine.merge(came, 1, Integer::sum);
        }
        time.submit(
                one ? "all" : source.key,
                duration,
                (key, waited) -> {
                    outcome.waits
                            .computeIfAbsent(source.key, k -> new ArrayList<>())
                            .add(waited);
                    if (time.dispatcher().globalInFlight() > time.dispatcher().globalLimit()) {
                        outcome.tooMany++;
                    }
                    long now = time.nanoTime();
                    double held = duration == FOR_EVER ? end - now : Math.min(duration, end - now);
                    if (source.quiet) {
                        outcome.quietInLine.computeIfPresent(came, (t, number) -> number == 1 ? null : number - 1);
                        outcome.quietWaits.add(waited);
                        outcome.quietWork += held;
                    } else {
                        outcome.work += held;
                    }
                },
                () -> {});
    }
}
