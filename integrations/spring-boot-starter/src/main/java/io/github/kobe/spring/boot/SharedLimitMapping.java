package io.github.kobe.spring.boot;

import io.github.kobe.SharedLimit;
import io.github.kobe.spring.boot.GroupConcurrencyProperties.Executor;
import io.github.kobe.spring.boot.GroupConcurrencyProperties.SharedLimits;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** Turns the properties of a shared limit into one of the core. Mistakes are reported with their property, see {@link CheckedProperties}. */
final class SharedLimitMapping {

    private SharedLimitMapping() {}

    /**
     * Returns the shared limit.
     *
     * @param executor the name of the executor
     * @param name the name of the limit
     * @param current the properties that were bound last. Limits are read from there, so that {@link io.github.kobe.GroupControl#refreshSharedLimit} applies
     *     what has changed
     * @param inFleet whether the executor is in a fleet. If not, the limit is one of the executor
     */
    static SharedLimit of(
            String executor, String name, SharedLimits from, Supplier<Executor> current, boolean inFleet) {
        ConfigurationPropertyName path =
                CheckedProperties.path(GroupConcurrencyProperties.PREFIX, "executors", executor, "shared-limits", name);
        CheckedProperties properties = new CheckedProperties(path, () -> {});
        SharedLimit limit = SharedLimit.by(name, classifier(properties, from));
        properties.set("max", from.max(), limit::max);
        if (from.weight() != null) {
            limit = properties.convert("weight", from.weight(), limit::weight);
        }
        if (from.acrossFleet()) {
            requireMax(properties, from);
            limit = inFleet ? limit.acrossFleet() : limit;
        }
        for (var value : from.values().entrySet()) {
            CheckedProperties ofValue =
                    new CheckedProperties(CheckedProperties.path(path.toString(), "values", value.getKey()), () -> {});
            ofValue.set("max", value.getValue().max(), limit::max);
            Integer weight = value.getValue().weight();
            if (weight != null) {
                SharedLimit before = limit;
                limit = ofValue.convert("weight", weight, n -> before.weight(value.getKey(), n));
            }
        }
        return limit.maxResolver(
                value -> current.get().sharedLimits().getOrDefault(name, from).maxOf(value));
    }

    private static void requireMax(CheckedProperties properties, SharedLimits from) {
        if (from.max() == null) {
            throw new ConfigurationMistakeException(
                    "Property '" + properties.path() + ".across-fleet' is 'true', but '" + properties.path()
                            + ".max' is not set.",
                    "Set it: a limit of the whole fleet needs a number for every value.",
                    null);
        }
    }

    private static Function<String, @Nullable String> classifier(CheckedProperties properties, SharedLimits from) {
        Integer part = from.part();
        String pattern = from.keyPattern();
        if ((part == null) == (pattern == null)) {
            throw new ConfigurationMistakeException(
                    "Property '" + properties.path() + ".part' is "
                            + (part == null
                                    ? "not set, and neither is '" + properties.path() + ".key-pattern'."
                                    : "'" + part + "', and '" + properties.path() + ".key-pattern' is '" + pattern
                                            + "'."),
                    "Set one of them: it says which value of the shared limit a group belongs to. For another rule, define a bean of type SharedLimit instead.",
                    null);
        }
        if (pattern != null) {
            return properties.convert("key-pattern", pattern, SharedLimitMapping::byPattern);
        }
        String separator = properties.convert("separator", from.separator(), SharedLimitMapping::requireNotEmpty);
        return properties.convert("part", Objects.requireNonNull(part), number -> byPart(separator, number));
    }

    private static String requireNotEmpty(String separator) {
        if (separator.isEmpty()) {
            throw new IllegalArgumentException("separator must not be empty");
        }
        return separator;
    }

    /** Returns {@code null} for a key that has fewer parts. */
    private static Function<String, @Nullable String> byPart(String separator, int part) {
        if (part < 0) {
            throw new IllegalArgumentException("part must be at least 0, but is " + part);
        }
        return key -> {
            int start = 0;
            for (int i = 0; i < part; i++) {
                int end = key.indexOf(separator, start);
                if (end < 0) {
                    return null;
                }
                start = end + separator.length();
            }
            int end = key.indexOf(separator, start);
            return end < 0 ? key.substring(start) : key.substring(start, end);
        };
    }

    /** Returns {@code null} for a key that does not match. */
    private static Function<String, @Nullable String> byPattern(String text) {
        Pattern pattern;
        try {
            pattern = Pattern.compile(text);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException("it is no regular expression: " + e.getDescription(), e);
        }
        int groups = pattern.matcher("").groupCount();
        if (groups != 1) {
            throw new IllegalArgumentException("it must have one capturing group, but has " + groups);
        }
        return key -> {
            Matcher matcher = pattern.matcher(key);
            return matcher.matches() ? matcher.group(1) : null;
        };
    }
}
