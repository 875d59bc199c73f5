package io.github.kobe.demo;

import java.util.Locale;

/** Numbers for people. */
final class Format {

    private static final double SECOND = 1000;

    private Format() {}

    /** Three digits or so, such as "0.4 ms", "37 ms", "1.24 s"; at most seven characters up to a thousand seconds. */
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
        return millis < 10 * SECOND ? text("%.2f s", millis / SECOND) : text("%,.0f s", millis / SECOND);
    }

    /** To a tenth, such as "12.5 ms" or "1,500 ms". */
    static String exact(double millis) {
        return text("%,.1f", millis).replaceAll("\\.0$", "") + " ms";
    }

    /** With separators. */
    static String count(long number) {
        return text("%,d", number);
    }

    /** A part of a whole, such as "94 %". */
    static String percent(double part) {
        return text("%.0f %%", 100 * part);
    }

    /** Two digits or so: 1.7, 12, 1,770. */
    static String factor(double factor) {
        return factor < 9.95 ? text("%.1f", factor) : text("%,.0f", factor);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation is not at hand
    static String text(String format, Object... args) {
        return String.format(Locale.ROOT, format, args);
    }
}
