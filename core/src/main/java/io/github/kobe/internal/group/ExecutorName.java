package io.github.kobe.internal.group;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The name of an executor, in metrics, messages and threads. An executor that was given no name gets a number, so that metrics of two of them
 * differ.
 *
 * @param kind the kind of executor in messages, such as "group executor"
 * @param name the name
 * @param given whether the user chose the name. If not, the names of threads and the messages of rejections leave it out
 */
public record ExecutorName(String kind, String name, boolean given) {

    private static final Map<String, AtomicInteger> NUMBERS = new ConcurrentHashMap<>();

    /**
     * Returns the given name, or the default with the next number, such as "groups-1".
     *
     * @param given {@code null} if there is none
     */
    public static ExecutorName of(String kind, String defaultName, @Nullable String given) {
        return given == null
                ? new ExecutorName(kind, numbered(defaultName), false)
                : new ExecutorName(kind, given, true);
    }

    /** Returns the default name with the next number of this JVM. */
    public static String numbered(String defaultName) {
        return defaultName + "-"
                + NUMBERS.computeIfAbsent(defaultName, key -> new AtomicInteger())
                        .incrementAndGet();
    }

    /** The beginning of the names of its threads, which the key of the group follows. */
    public String threadPrefix() {
        return given ? name + "/" : "";
    }

    /** The name that messages about one task contain; empty if it was not given. */
    String inMessages() {
        return given ? name : "";
    }

    /** Such as "group executor 'orders'". */
    @Override
    public String toString() {
        return kind + " '" + name + "'";
    }
}
