package io.github.kobe.internal.jfr;

import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.SettingControl;

/** A setting of an event: a time such as "20 ms", or "0 ns" for all. Of several recordings, the smallest one applies. */
public final class SlowerThan extends SettingControl {

    private static final String DEFAULT = "20 ms";
    private static final Pattern TIME = Pattern.compile("(\\d{1,12})\\s*(ns|us|ms|s|m|h|d)?");
    private static final Map<String, TimeUnit> UNITS = Map.of(
            "ns", TimeUnit.NANOSECONDS,
            "us", TimeUnit.MICROSECONDS,
            "ms", TimeUnit.MILLISECONDS,
            "s", TimeUnit.SECONDS,
            "m", TimeUnit.MINUTES,
            "h", TimeUnit.HOURS,
            "d", TimeUnit.DAYS);

    private String value = DEFAULT;
    private volatile long nanos = nanosOf(DEFAULT);

    /** Created by the flight recorder. */
    public SlowerThan() {}

    boolean accepts(long tookNanos) {
        return tookNanos >= nanos;
    }

    @Override
    public String combine(Set<String> settingValues) {
        return settingValues.stream()
                .min(Comparator.comparingLong(SlowerThan::nanosOf))
                .orElse(DEFAULT);
    }

    @Override
    public void setValue(String settingValue) {
        value = settingValue;
        nanos = nanosOf(settingValue);
    }

    @Override
    public String getValue() {
        return value;
    }

    /** A text that is not a time counts as the default: the flight recorder has no way to refuse it. */
    static long nanosOf(String text) {
        Matcher time = TIME.matcher(text.trim());
        if (!time.matches()) {
            return nanosOf(DEFAULT);
        }
        String unit = time.group(2) == null ? "ns" : time.group(2);
        return Objects.requireNonNull(UNITS.get(unit)).toNanos(Long.parseLong(time.group(1)));
    }
}
