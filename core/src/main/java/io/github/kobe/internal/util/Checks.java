package io.github.kobe.internal.util;

import java.time.Duration;
import java.util.Map;

/** Checks of settings. A value out of range is an {@link IllegalArgumentException} that says the name and the value. */
public final class Checks {

    private Checks() {}

    public static int atLeast(int min, String name, int value) {
        check(value >= min, name, "at least " + min, value);
        return value;
    }

    public static void allAtLeast(int min, String name, Map<String, Integer> values) {
        values.forEach((key, value) -> atLeast(min, name + "[" + key + "]", value));
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

    public static String notBlank(String name, String value) {
        if (value.isBlank()) {
            throw new IllegalArgumentException(name + " must not be blank, but is '" + value + "'");
        }
        return value;
    }

    /** Rejects NaN too. */
    public static void between(double min, double max, String name, double value) {
        check(value >= min && value <= max, name, "between " + min + " and " + max, value);
    }

    public static void check(boolean valid, String name, String requirement, Object value) {
        if (!valid) {
            throw new IllegalArgumentException(name + " must be " + requirement + ", but is " + value);
        }
    }
}
