package io.github.kobe.internal.util;

import java.time.Duration;
import java.util.Map;

/** Settings out of range, met with an {@link IllegalArgumentException} that has the name and the value. */
public final class Checks {

    private Checks() {}

    public static int atLeast(int least, String name, int value) {
        check(value >= least, name, "at least " + least, value);
        return value;
    }

    public static void allAtLeast(int least, String name, Map<String, Integer> values) {
        values.forEach((key, value) -> atLeast(least, name + "[" + key + "]", value));
    }

    public static Duration positive(String name, Duration value) {
        check(value.isPositive(), name, "positive", value);
        return value;
    }

    public static Duration notNegative(String name, Duration value) {
        if (value.isNegative()) {
            throw new IllegalArgumentException(name + " must not be negative, but is " + value);
        }
        return value;
    }

    /** Refuses NaN too. */
    public static void between(double least, double most, String name, double value) {
        check(value >= least && value <= most, name, "between " + least + " and " + most, value);
    }

    public static void check(boolean fine, String name, String should, Object value) {
        if (!fine) {
            throw new IllegalArgumentException(name + " must be " + should + ", but is " + value);
        }
    }
}
