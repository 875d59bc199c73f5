package io.github.kobe.micrometer;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which groups have meters of their own, the meters {@code group.concurrency.group.*} with the tag {@code group}. Everything else is counted
 * under {@code group="other"}, so that sums over all groups are right. Immutable.
 *
 * <p>The number of different values of the tag is bounded here, before the registry sees a key, because a registry keeps every combination of tags
 * that it has seen. So keys that others choose cannot fill the memory. A group without activity for an hour loses its meters, and gets them again with
 * its next task.
 *
 * <p>A key that is empty, is "other", or is one of these after some underscores, is shown with one more underscore in front. So it is not
 * mistaken for the rest.
 */
public final class GroupTags {

    /** How many classes {@link #mapped} shows. */
    static final int MAX_CLASSES = 50;

    private enum Kind {
        NONE,
        KEYS,
        FIRST,
        MAPPED
    }

    private static final GroupTags NONE = new GroupTags(Kind.NONE, 0, Set.of(), key -> null);

    private final Kind kind;
    private final int maxSeries;
    private final Set<String> keys;
    private final Function<String, @Nullable String> toSeries;

    private GroupTags(Kind kind, int maxSeries, Set<String> keys, Function<String, @Nullable String> toSeries) {
        this.kind = kind;
        this.maxSeries = maxSeries;
        this.keys = keys;
        this.toSeries = toSeries;
    }

    /** No group has meters of its own. The default. */
    public static GroupTags none() {
        return NONE;
    }

    /**
     * These groups have meters of their own.
     *
     * @throws IllegalArgumentException if there is no key
     */
    public static GroupTags of(String... keys) {
        return of(List.of(keys));
    }

    /** As {@link #of(String...)}. The keys are copied. */
    public static GroupTags of(Collection<String> keys) {
        Set<String> copy = new LinkedHashSet<>(keys);
        if (copy.isEmpty()) {
            throw new IllegalArgumentException("keys must not be empty; for no groups use GroupTags.none()");
        }
        copy.forEach(key -> Objects.requireNonNull(key, "keys contains null"));
        return new GroupTags(Kind.KEYS, copy.size(), copy, key -> copy.contains(key) ? key : null);
    }

    /**
     * The first {@code n} groups that are used have meters of their own. When one of them has had no activity for an hour, the next new group
     * gets meters instead.
     *
     * @param n at least 1; each group has about 16 time series
     */
    public static GroupTags first(int n) {
        if (n < 1) {
            throw new IllegalArgumentException("n must be at least 1, but is " + n);
        }
        return new GroupTags(Kind.FIRST, n, Set.of(), key -> key);
    }

    /**
     * Groups are put together into classes, such as "free" and "paid". The first 50 classes have meters of their own. The tag {@code group} is the name
     * of the class. Gauges are sums over the groups of a class, except that {@code queue.oldest} is the maximum.
     *
     * @param classOf returns the class of a key; {@code null} stands for "other". It is called for every known group at each scrape and when a group
     *     retires, by many threads, so it must be quick. The same key must always have the same class. If it throws, the key has the class "other",
     *     and the first exception is logged
     */
    public static GroupTags mapped(Function<String, @Nullable String> classOf) {
        return new GroupTags(Kind.MAPPED, MAX_CLASSES, Set.of(), Objects.requireNonNull(classOf, "classOf"));
    }

    boolean isNone() {
        return kind == Kind.NONE;
    }

    /** Whether the series are known from the beginning. */
    boolean isFixed() {
        return kind == Kind.KEYS;
    }

    /** Whether a series may consist of several groups. */
    boolean isMapped() {
        return kind == Kind.MAPPED;
    }

    /** How many series there may be, without the rest. */
    int maxSeries() {
        return maxSeries;
    }

    /** The series that are known from the beginning. */
    Set<String> fixedSeries() {
        return keys;
    }

    /** Returns the series of a key; {@code null} if it belongs to the rest. Throws what the user's function throws. */
    @Nullable
    String seriesOf(String key) {
        return toSeries.apply(key);
    }

    /** Returns a text such as "first 50" or "of [vip, free]". */
    @Override
    public String toString() {
        return switch (kind) {
            case NONE -> "none";
            case KEYS -> "of " + keys;
            case FIRST -> "first " + maxSeries;
            case MAPPED -> "mapped to at most " + maxSeries + " classes";
        };
    }
}
