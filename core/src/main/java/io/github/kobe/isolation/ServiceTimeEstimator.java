package io.github.kobe.isolation;

import java.util.concurrent.TimeUnit;

/**
 * What the executor thinks of a key, from how long its tasks take and what else there is. Pure arithmetic; times in nanoseconds.
 *
 * <p>{@code typical} is how long a task of the key takes: the mean of those that have ended, or the mean age of those that run, if that
 * is more already. {@code across} is how long the place of a task that runs is taken, on average over places, not over tasks.
 */
final class ServiceTimeEstimator {

    /** Once it is one thing or the other, a key has to be so much further on the other side to change. */
    private static final double HYSTERESIS = 0.8;

    private static final double FAST_RATIO = 1.0 / 3;

    /** So many times as long as its tasks take: something is wrong with them. */
    private static final int STUCK_FACTOR = 4;

    /** Up to this part of what others hold their places for, a key's quick work is trusted in full. */
    static final double FULL_TRUST_RATIO = 0.5;

    /** That much later than usual anything may be. */
    private static final long JITTER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private ServiceTimeEstimator() {}

    /** Whether tasks of that kind are slow by the policy's standard. */
    static boolean isSlow(double typical, double slowThreshold, boolean before) {
        return typical >= slowThreshold * (before ? HYSTERESIS : 1);
    }

    /**
     * Whether to keep places for tasks of that kind: they give them back soon, compared with what else holds places. Among equals
     * nobody is quick, and nothing is kept.
     */
    static boolean isFast(double typical, double across, boolean before) {
        return typical * (before ? HYSTERESIS : 1) <= across * FAST_RATIO;
    }

    /** How much of the places for one quick key to leave to one whose places are taken for {@code holding}, seen over time; up to 1. */
    static double fastFraction(double holding, double across) {
        return holding <= across * FULL_TRUST_RATIO ? 1 : across * FULL_TRUST_RATIO / holding;
    }

    /** Whether {@code nanos}, for which no end has come, are much longer than what ended has led to expect. */
    static boolean isStuck(double mean, double nanos) {
        return nanos > STUCK_FACTOR * mean + JITTER_NANOS;
    }
}
