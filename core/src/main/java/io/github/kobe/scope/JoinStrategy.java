package io.github.kobe.scope;

import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How several alternative tasks are combined into one result. Immutable; give it to {@link ThreadScope#join}.
 *
 * @param <T> what each alternative returns
 * @param <R> the result
 */
public final class JoinStrategy<T extends @Nullable Object, R extends @Nullable Object> {

    private final int needed;
    private final int minimum;
    private final long hedgeNanos; // 0: all start at once
    private final Function<List<T>, R> result;
    private final String text;

    private JoinStrategy(int needed, int minimum, long hedgeNanos, Function<List<T>, R> result, String text) {
        this.needed = needed;
        this.minimum = minimum;
        this.hedgeNanos = hedgeNanos;
        this.result = result;
        this.text = text;
    }

    /** All start at once; the first that returns is the result, and the others are cancelled. */
    public static <T extends @Nullable Object> JoinStrategy<T, T> firstSuccess() {
        return new JoinStrategy<>(1, 1, 0, values -> values.get(0), "firstSuccess");
    }

    /**
     * All start at once; the first {@code n} values are the result, in the order in which they came, and the others are cancelled. As
     * soon as so many have failed that {@code n} cannot be reached, the rest is cancelled too.
     *
     * @throws IllegalArgumentException if {@code n} is less than 1
     */
    public static <T extends @Nullable Object> JoinStrategy<T, List<T>> quorum(int n) {
        Checks.atLeast(1, "n", n);
        return new JoinStrategy<>(
                n, n, 0, values -> Collections.unmodifiableList(new ArrayList<>(values)), "quorum(" + n + ")");
    }

    /**
     * The first one starts at once; the others only if it has not returned within {@code delay}, or fails before. The first that returns
     * is the result, and the others are cancelled. At least two are needed.
     *
     * @throws IllegalArgumentException if {@code delay} is not positive
     */
    public static <T extends @Nullable Object> JoinStrategy<T, T> hedged(Duration delay) {
        Objects.requireNonNull(delay, "delay");
        Checks.positive("delay", delay);
        return new JoinStrategy<>(
                1, 2, Durations.saturatedNanos(delay), values -> values.get(0), "hedged(" + delay + ")");
    }

    /** How many have to succeed. */
    int needed() {
        return needed;
    }

    /** How many of {@code all} are submitted at first. */
    int first(int all) {
        return hedgeNanos == 0 ? all : 1;
    }

    long hedgeNanos() {
        return hedgeNanos;
    }

    void check(int callables) {
        Checks.check(callables >= minimum, "callables", "at least " + minimum + " for " + text, callables);
    }

    R result(List<T> values) {
        return result.apply(values);
    }

    /** Such as "quorum(2)". */
    @Override
    public String toString() {
        return text;
    }
}
