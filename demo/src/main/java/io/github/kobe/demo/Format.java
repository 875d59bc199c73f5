package io.github.kobe.demo;

import java.util.Locale;

/** Formats numbers for the output. */
final class Format {

    private static final double MILLIS_PER_SECOND = 1000;

    private Format() {}

    /** Returns a time with about three digits: "0.4 ms", "37 ms", "1.24 s". Below 1,000 s it has at most seven characters. */
    static String millis(double millis) {
        if (millis < 0.05) {
            return millis == 0 ? "0 ms" : "<0.1 ms";
        }
        if (millis < 9.95) {
            return text("%.1f ms", millis);
        }
        if (millis < 999.5) {
            return text("%.0f ms", millis);
        }
        return millis < 10 * MILLIS_PER_SECOND
                ? text("%.2f s", millis / MILLIS_PER_SECOND)
                : text("%,.0f s", millis / MILLIS_PER_SECOND);
    }

    /** Returns a time with at most one decimal, such as "12.5 ms" or "1,500 ms". */
    static String exact(double millis) {
        return text("%,.1f", millis).replaceAll("\\.0$", "") + " ms";
    }

    /** Returns a number with separators. */
    static String count(long number) {
        return text("%,d", number);
    }

    /** Returns a fraction as a percentage, such as "94 %". */
    static String percent(double fraction) {
        return text("%.0f %%", 100 * fraction);
    }

    /** Returns a factor with about two digits: 1.7, 12, 1,770. */
    static String factor(double factor) {
        return factor < 9.95 ? text("%.1f", factor) : text("%,.0f", factor);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation is not on the class path
    static String text(String format, Object... args) {
        return String.format(Locale.ROOT, format, args);
    }
}
