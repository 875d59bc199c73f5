package io.github.kobe.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A task or a request that is submitted to both executors.
 *
 * @param atNanos the time of submission, from the start of the run
 * @param source the index of its {@link Traffic} in the list
 * @param durationsNanos how long each of its calls takes; a task has one
 */
record Submission(long atNanos, int source, List<Long> durationsNanos) {

    /** Intervals between submissions vary by up to this fraction of their mean. */
    private static final double INTERVAL_VARIATION = 0.25;

    /** Durations vary by up to this fraction of their mean. */
    private static final double DURATION_VARIATION = 0.1;

    private static final double NANOS_PER_MILLI = 1e6;

    /** Returns the duration of a task, which has only one. */
    long durationNanos() {
        return durationsNanos.get(0);
    }

    /** Returns the submissions of a run in the order of their times. The result depends on the arguments alone. */
    static List<Submission> generate(List<Traffic> traffic, Duration length, long seed) {
        SplittableRandom seeds = new SplittableRandom(seed);
        List<Submission> submissions = new ArrayList<>();
        for (int source = 0; source < traffic.size(); source++) {
            addAll(submissions, source, traffic.get(source), length.toNanos(), seeds.split());
        }
        submissions.sort(Comparator.comparingLong(Submission::atNanos));
        return List.copyOf(submissions);
    }

    private static void addAll(
            List<Submission> submissions, int source, Traffic traffic, long endNanos, SplittableRandom random) {
        double interval = traffic.intervalMillis() * NANOS_PER_MILLI;
        long at = (long) (random.nextDouble() * interval);
        while (at < endNanos) {
            for (int i = 0; i < traffic.batchSize(); i++) {
                submissions.add(new Submission(at, source, durations(traffic, random)));
            }
            at += vary(interval, INTERVAL_VARIATION, random);
        }
    }

    private static List<Long> durations(Traffic traffic, SplittableRandom random) {
        return traffic.durationsMillis().stream()
                .map(millis -> vary(millis * NANOS_PER_MILLI, DURATION_VARIATION, random))
                .toList();
    }

    private static long vary(double mean, double variation, SplittableRandom random) {
        return Math.max(1, (long) (mean * (1 + variation * (2 * random.nextDouble() - 1))));
    }
}
