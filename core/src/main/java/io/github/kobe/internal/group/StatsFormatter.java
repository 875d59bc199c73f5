package io.github.kobe.internal.group;

import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupStats;
import io.github.kobe.Rejection;
import io.github.kobe.TimeStats;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.Map;
import java.util.StringJoiner;

/** Formats the parts that {@link GroupStats}, {@link GroupExecutorStats} and {@link Rejection} have in common. */
public final class StatsFormatter {

    private static final int TAGS_SHOWN = 5;

    private StatsFormatter() {}

    /** Returns, for example, "3/4 active", or "3 active" without a limit. */
    public static String of(int used, int limit, String what) {
        return used + (limit == Integer.MAX_VALUE ? "" : "/" + limit) + " " + what;
    }

    /** Returns, for example, " (oldest 45 ms)"; empty if there is no task. */
    public static String oldest(Duration age) {
        return age.isZero() ? "" : " (oldest " + Durations.text(age) + ")";
    }

    /** Returns, for example, ", 3 leased"; empty if the limit is not shared with other JVMs. */
    public static String leased(int permits) {
        return permits == Integer.MAX_VALUE ? "" : ", " + permits + " leased";
    }

    /** Returns, for example, " | waiting p50 1ms p99 9ms max 12ms"; empty if nothing was recorded. */
    public static String times(String what, TimeStats times) {
        return times.count() == 0
                ? ""
                : " | " + what + " p50 " + Durations.shortText(times.p50()) + " p99 " + Durations.shortText(times.p99())
                        + " max " + Durations.shortText(times.max());
    }

    /** Returns, for example, " | completed by tag: import 3, mail 2 and 7 more". The most frequent tag is first; empty if there is none. */
    public static String tags(Map<String, Long> completedByTag) {
        if (completedByTag.isEmpty()) {
            return "";
        }
        StringJoiner text = new StringJoiner(", ", " | completed by tag: ", "");
        completedByTag.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .limit(TAGS_SHOWN)
                .forEach(tag -> text.add(tag.getKey() + " " + tag.getValue()));
        int more = completedByTag.size() - TAGS_SHOWN;
        return text + (more > 0 ? " and " + more + " more" : "");
    }
}
