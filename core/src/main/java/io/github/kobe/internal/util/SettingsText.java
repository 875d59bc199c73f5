package io.github.kobe.internal.util;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Builds the text of a policy: its type, and in brackets the settings that differ from their defaults. Not thread-safe. */
public final class SettingsText {

    private static final int MAX_KEYS = 5;

    private final StringJoiner text;

    public SettingsText(String type) {
        text = new StringJoiner(", ", type + "[", "]");
    }

    /** Adds a setting in any case. */
    public SettingsText add(String name, Object value) {
        text.add(name + " " + textOf(value));
        return this;
    }

    /** Adds a setting unless it has its default, which may be {@code null}. */
    public SettingsText addUnless(@Nullable Object defaultValue, String name, @Nullable Object value) {
        return value == null || Objects.equals(value, defaultValue) ? this : add(name, value);
    }

    /** Adds a limit unless there is none. */
    public SettingsText addLimit(String name, int limit) {
        return addUnless(Integer.MAX_VALUE, name, limit);
    }

    /** Adds {@code name} if it is true of the policy. */
    public SettingsText addIf(boolean condition, String name) {
        if (condition) {
            text.add(name);
        }
        return this;
    }

    /**
     * Adds a setting that groups can differ in, such as "max concurrency 1 (vip 4, trial 2, resolver)"; nothing if it is {@code hidden} and no
     * group differs.
     */
    public SettingsText addPerGroup(
            String name, int value, int hidden, Map<String, Integer> perGroup, boolean resolver) {
        if (value == hidden && perGroup.isEmpty() && !resolver) {
            return this;
        }
        StringJoiner groups = new StringJoiner(", ", " (", ")").setEmptyValue("");
        perGroup.entrySet().stream().limit(MAX_KEYS).forEach(e -> groups.add(e.getKey() + " " + textOf(e.getValue())));
        if (perGroup.size() > MAX_KEYS) {
            groups.add((perGroup.size() - MAX_KEYS) + " more groups");
        }
        if (resolver) {
            groups.add("resolver");
        }
        return add(name, textOf(value) + groups);
    }

    /** Adds keys, such as "white list [vip, trial]": the first few if there are many, and nothing if there is none. */
    public SettingsText addKeys(String name, Collection<String> keys) {
        if (keys.isEmpty()) {
            return this;
        }
        StringJoiner few = new StringJoiner(", ", "[", "]");
        keys.stream().limit(MAX_KEYS).forEach(few::add);
        if (keys.size() > MAX_KEYS) {
            few.add((keys.size() - MAX_KEYS) + " more keys");
        }
        return add(name, few.toString());
    }

    private static String textOf(Object value) {
        return value instanceof Duration time
                ? Durations.text(time)
                : value.equals(Integer.MAX_VALUE) ? "unlimited" : value.toString();
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
