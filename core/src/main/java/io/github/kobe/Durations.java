package io.github.kobe;

import java.time.Duration;

/** What {@link Duration} lacks. */
final class Durations {

    private Durations() {}

    /** In nanoseconds, or as many as there are if it is longer than that. */
    static long saturatedNanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException e) {
            return duration.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }
}
