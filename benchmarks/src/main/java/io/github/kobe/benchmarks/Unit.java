package io.github.kobe.benchmarks;

import java.util.Locale;

/** How a figure is written. */
enum Unit {
    TIMES("x", 2),
    BYTES(" B", 1),
    COUNT("", 0),
    NANOS(" ns", 0),
    MICROS(" µs", 0),
    MILLIS(" ms", 1);

    private static final int LARGE = 100;

    private final String sign;
    private final int decimals;

    Unit(String sign, int decimals) {
        this.sign = sign;
        this.decimals = decimals;
    }

    String text(double value) {
        return number(value) + sign;
    }

    /** With more decimals, for one that would look like another otherwise. */
    String closely(double value) {
        return String.format(Locale.ROOT, "%,." + (decimals + 2) + "f", value) + sign;
    }

    String text(Spread spread) {
        String middle = text(spread.median());
        return spread.low() == spread.high()
                ? middle
                : middle + " (" + number(spread.low()) + ".." + number(spread.high()) + ")";
    }

    /** Decimals of a large number say nothing. */
    private String number(double value) {
        return String.format(Locale.ROOT, "%,." + (value < LARGE ? decimals : 0) + "f", value);
    }
}
