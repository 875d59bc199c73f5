package io.github.kobe.benchmarks;

import org.jspecify.annotations.Nullable;

/**
 * One line of the report.
 *
 * @param figure what was measured
 * @param unit how to write it
 * @param seedLike for comparison; {@code null} if there is none
 * @param ours this library
 * @param promise what it is to reach; {@code null} if the line is for information only
 */
record Row(
        String figure,
        Unit unit,
        @Nullable Spread seedLike,
        Spread ours,
        @Nullable Promise promise) {

    /** A bound on the median. */
    record Promise(boolean atLeast, double bound) {

        static Promise atLeast(double bound) {
            return new Promise(true, bound);
        }

        static Promise atMost(double bound) {
            return new Promise(false, bound);
        }

        boolean keptBy(Spread spread) {
            return atLeast ? spread.median() >= bound : spread.median() <= bound;
        }
    }

    boolean missed() {
        return promise != null && !promise.keptBy(ours);
    }

    String promised() {
        return promise == null ? "" : (promise.atLeast() ? ">= " : "<= ") + unit.text(promise.bound());
    }

    /** For one that was missed: by how much. */
    String miss() {
        boolean looksKept = promise != null && unit.text(ours.median()).equals(unit.text(promise.bound()));
        return figure + ": " + (looksKept ? unit.closely(ours.median()) : unit.text(ours)) + ", promised " + promised();
    }

    String verdict() {
        return promise == null ? "" : missed() ? "MISS" : "PASS";
    }
}
