package io.github.kobe.internal.group;

import io.github.kobe.GroupResult;
import io.github.kobe.internal.util.Durations;
import java.lang.reflect.Array;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Formats a {@link GroupResult} as one line. Of a large value it shows the size, or the beginning. */
public final class ResultFormatter {

    private static final int MAX_LENGTH = 200;

    private ResultFormatter() {}

    /** Returns, for example, "task 't' of group 'g': SUCCESS, value 42, waited 3 ms, ran 12 ms, 1 attempt". */
    public static String of(GroupResult<?> result) {
        return TaskDescription.of(result.groupKey(), result.taskId(), "") + ": " + result.status() + detail(result)
                + ", waited " + Durations.text(result.waited()) + ", ran " + Durations.text(result.ran()) + ", "
                + result.attempts() + (result.attempts() == 1 ? " attempt" : " attempts");
    }

    private static String detail(GroupResult<?> result) {
        return switch (result.status()) {
            case SUCCESS -> ", value " + text(result.value());
            case FAILED, CANCELLED -> result.error() == null ? "" : ", " + text(result.error());
            case REJECTED -> result.rejection() == null ? "" : ", " + result.rejection();
        };
    }

    /** The text of a collection or an array could be larger than the heap. */
    private static String text(@Nullable Object value) {
        if (value instanceof Collection<?> all) {
            return value.getClass().getSimpleName() + " of " + all.size();
        }
        if (value instanceof Map<?, ?> all) {
            return value.getClass().getSimpleName() + " of " + all.size();
        }
        if (value != null && value.getClass().isArray()) {
            return value.getClass().getComponentType().getSimpleName() + "[" + Array.getLength(value) + "]";
        }
        String text = String.valueOf(value);
        return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "...";
    }
}
