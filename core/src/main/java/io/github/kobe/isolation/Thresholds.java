package io.github.kobe.isolation;

import java.util.concurrent.TimeUnit;

/**
 * The part of a policy that decides who is served, in the units of those who decide.
 *
 * @param slowNanos from here on a task is slow
 * @param targetNanos from here on a task has waited for long
 * @param maxShare the part of a lane that is a lot for one key
 * @param windowNanos how far back is looked
 */
record Thresholds(long slowNanos, long targetNanos, double maxShare, long windowNanos) {

    static final Thresholds USUAL = new Thresholds(
            TimeUnit.SECONDS.toNanos(1), TimeUnit.MILLISECONDS.toNanos(300), 0.3, TimeUnit.SECONDS.toNanos(10));

    /** What a budget comes to. */
    DerivedLimits roomIn(int budget) {
        return DerivedLimits.of(budget, maxShare);
    }
}
