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

/** A workload of several keys on virtual time. It runs on the isolation queue, and on a plain pool for comparison. */
final class WorkloadMix {

    static final long MS = 1_000_000;
    static final long SECOND = 1_000 * MS;
    static final long FOR_EVER = VirtualTime.FOR_EVER;

    /** @param next the next submission after a given one; @param duration of a task that is submitted at a given time */
    private record Source(
            String key, boolean fast, long first, LongFunction<Long> next, ToLongFunction<Long> duration, int batch) {}

    private record Resize(long at, int budget) {}

    private final List<Source> sources = new ArrayList<>();
    private final List<Resize> resizes = new ArrayList<>();
    final int budget;
    long length = 100 * SECOND;
    IsolationPolicy policy = IsolationKit.DEFAULTS;
    private final SplittableRandom seeds = new SplittableRandom(7);

    WorkloadMix(int budget) {
        this.budget = budget;
    }

    WorkloadMix length(long nanos) {
        length = nanos;
        return this;
    }

    WorkloadMix add(
            String key, boolean fast, long first, LongFunction<Long> next, ToLongFunction<Long> duration, int batch) {
        sources.add(new Source(key, fast, first, next, duration, batch));
        return this;
    }

    /** One task every {@code period}. */
    WorkloadMix every(String key, boolean fast, long duration, long period) {
        return add(key, fast, 0, t -> t + period, t -> duration, 1);
    }

    /** Tasks at random, one every {@code period} on average, as long as {@code duration} on average. */
    WorkloadMix random(String key, boolean fast, long duration, long period) {
        SplittableRandom random = seeds.split();
        LongSupplier gap = () -> (long) (-Math.log(1 - random.nextDouble()) * period);
        return add(
                key,
                fast,
                gap.getAsLong(),
                t -> t + Math.max(1, gap.getAsLong()),
                t -> (long) (duration * (0.5 + random.nextDouble())),
                1);
    }

    /** Tasks as {@link #every}, but each is submitted up to {@code jitter} late and takes up to that much longer, as on a real machine. */
    WorkloadMix roughlyEvery(String key, boolean fast, long duration, long period, long jitter) {
        SplittableRandom random = seeds.split();
        return add(
                key,
                fast,
                0,
                t -> (t / period + 1) * period + random.nextLong(jitter),
                t -> duration + random.nextLong(jitter),
                1);
    }

    /** Tasks of which a few take most of the time: the shortest takes {@code least}, and the longest has no bound. */
    WorkloadMix heavyTailed(String key, boolean fast, long least, long period) {
        SplittableRandom random = seeds.split();
        return add(
                key,
                fast,
                random.nextLong(period),
                t -> t + period,
                t -> (long) Math.min(length, least / Math.pow(1 - random.nextDouble(), 1 / 1.5)),
                1);
    }

    /** From {@code at} on there are that many permits. */
    WorkloadMix resize(long at, int permits) {
        resizes.add(new Resize(at, permits));
        return this;
    }

    /** {@code tasks} at once, every {@code period}. */
    WorkloadMix bursts(String key, boolean fast, long duration, long period, int tasks) {
        return add(key, fast, period / 3, t -> t + period, t -> duration, tasks);
    }

    static final class Outcome {
        final Map<String, List<Long>> waits = new HashMap<>();
        final List<Long> fastWaits = new ArrayList<>();
        /** Queued tasks of fast keys: the time of submission, and how many. */
        final Map<Long, Integer> fastQueued = new HashMap<>();
        /** The time for which permits were held by other than fast keys, completed or not. */
        double work;

        double fastWork;
        int most;
        /** How many tasks started above the limit. */
        int tooMany;

        double p99() {
            return percentile(0.99);
        }

        double percentile(double p) {
            if (fastWaits.isEmpty()) {
                return 0;
            }
            long[] sorted =
                    fastWaits.stream().mapToLong(Long::longValue).sorted().toArray();
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
        AtomicReference<IsolationQueue> queue = new AtomicReference<>();
        VirtualTime time = new VirtualTime(
                timer -> {
                    queue.set(new IsolationQueue(policy, budget, timer, IsolationKit.NO_CHANGE_LISTENER));
                    return queue.get();
                },
                budget);
        resizes.forEach(resize -> time.at(1 + resize.at, () -> queue.get().setBudget(resize.budget)));
        return play(time, false);
    }

    Outcome play(Function<Timer, ReadyQueue> readyQueue) {
        return play(new VirtualTime(readyQueue, budget), false);
    }

    /** First in, first out: all keys are one group. */
    Outcome plain() {
        return play(new VirtualTime(timer -> new WeightedRoundRobin(), budget), true);
    }

    private Outcome play(VirtualTime time, boolean oneGroup) {
        Outcome outcome = new Outcome();
        long end = time.nanoTime() + length;
        resizes.forEach(resize -> time.at(1 + resize.at, () -> time.dispatcher().setGlobalLimit(resize.budget)));
        for (Source source : sources) {
            submitAll(time, source, source.first, end, oneGroup, outcome);
        }
        time.runUntil(end);
        outcome.most = time.mostRunning();
        outcome.fastQueued.forEach((since, number) -> outcome.fastWaits.addAll(
                Collections.nCopies(number, end - since))); // or tasks that never started would not show
        return outcome;
    }

    private void submitAll(VirtualTime time, Source source, long at, long end, boolean oneGroup, Outcome outcome) {
        if (at >= length) {
            return;
        }
        time.at(1 + at, () -> {
            for (int i = 0; i < source.batch; i++) {
                submit(time, source, at, end, oneGroup, outcome);
            }
            submitAll(time, source, source.next.apply(at), end, oneGroup, outcome);
        });
    }

    private void submit(VirtualTime time, Source source, long at, long end, boolean oneGroup, Outcome outcome) {
        long duration = source.duration.applyAsLong(at);
        long submitted = time.nanoTime();
        if (source.fast) {
            outcome.fastQueued.merge(submitted, 1, Integer::sum);
        }
        time.submit(
                oneGroup ? "all" : source.key,
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
                    if (source.fast) {
                        outcome.fastQueued.computeIfPresent(submitted, (t, number) -> number == 1 ? null : number - 1);
                        outcome.fastWaits.add(waited);
                        outcome.fastWork += held;
                    } else {
                        outcome.work += held;
                    }
                },
                () -> {});
    }
}
