package io.github.kobe.internal.util;

import java.time.Duration;

/** Conversions that {@link Duration} does not have. */
public final class Durations {

    private static final long MICRO = 1_000;
    private static final long MILLI = 1_000 * MICRO;
    private static final long SECOND = 1_000 * MILLI;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;

    private Durations() {}

    /** The duration in nanoseconds. If that overflows, {@link Long#MAX_VALUE} or {@link Long#MIN_VALUE}. */
    public static long saturatedNanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException e) {
            return duration.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    /** For messages, such as "1.2 ms": rounded, and in the unit that needs few digits. */
    public static String text(Duration duration) {
        long nanos = saturatedNanos(duration);
        return nanos < 0 ? "-" + text(-Math.max(nanos, -Long.MAX_VALUE)) : text(nanos);
    }

    /** As {@link #text(Duration)}, without a space. */
    public static String shortText(Duration duration) {
        return text(duration).replace(" ", "");
    }

    private static String text(long nanos) {
        if (nanos == 0) {
            return "0 ms";
        }
        if (nanos < MICRO) {
            return nanos + " ns";
        }
        if (nanos < MILLI) {
            return rounded(nanos, MICRO) + " µs";
        }
        if (nanos < SECOND) {
            return rounded(nanos, MILLI) + " ms";
        }
        if (nanos < 10 * MINUTE) {
            return rounded(nanos, SECOND) + " s";
        }
        return nanos < 10 * HOUR ? rounded(nanos, MINUTE) + " min" : rounded(nanos, HOUR) + " h";
    }

    /** With one digit after the point if there is only one before it. */
    private static String rounded(long nanos, long unit) {
        long tenths = nanos / (unit / 10) + (nanos % (unit / 10) >= unit / 20 ? 1 : 0);
        if (tenths >= 100) {
            return Long.toString(nanos / unit + (nanos % unit >= unit / 2 ? 1 : 0));
        }
        return tenths % 10 == 0 ? Long.toString(tenths / 10) : tenths / 10 + "." + tenths % 10;
    }
}
