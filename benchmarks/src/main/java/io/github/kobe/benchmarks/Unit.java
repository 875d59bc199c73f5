package io.github.kobe.benchmarks;

import java.util.Locale;

/** The unit of a row, and which direction is better. */
enum Unit {
    SPEEDUP("x", "x, higher is faster", 2),
    WORK_RATIO("x", "x, higher is better", 2),
    COST_RATIO("x", "x, lower is better", 2),
    PERCENT("%", "%, higher is better", 1),
    PERCENT_OFF("%", "%, lower is better", 1),
    CALLS("", "calls, lower is better", 2),
    KEYS("", "keys, lower is better", 0),
    BYTES(" B", "B, lower is better", 1),
    THREADS("", "threads, lower is better", 0),
    TASKS_PER_SECOND("", "tasks/s, higher is better", 0),
    NANOS(" ns", "ns, lower is better", 0),
    MICROS(" µs", "µs, lower is better", 0),
    MILLIS(" ms", "ms, lower is better", 1);

    /** From this value on, decimals are omitted. */
    private static final int LARGE = 100;

    private final String suffix;
    private final String description;
    private final int decimals;

    Unit(String suffix, String description, int decimals) {
        this.suffix = suffix;
        this.description = description;
        this.decimals = decimals;
    }

    /** Returns the unit and the direction, such as "B, lower is better". */
    String description() {
        return description;
    }

    String format(double value) {
        return number(value) + suffix;
    }

    /** Formats a value with two more decimals, to tell it from one that would look the same. */
    String formatExactly(double value) {
        return String.format(Locale.ROOT, "%,." + (decimals + 2) + "f", value) + suffix;
    }

    /** Formats the median, followed by the quartiles in brackets unless they are equal. */
    String format(Quartiles quartiles) {
        String median = format(quartiles.median());
        return quartiles.low() == quartiles.high()
                ? median
                : median + " (" + number(quartiles.low()) + ".." + number(quartiles.high()) + ")";
    }

    private String number(double value) {
        return String.format(Locale.ROOT, "%,." + (value < LARGE ? decimals : 0) + "f", value);
    }
}
