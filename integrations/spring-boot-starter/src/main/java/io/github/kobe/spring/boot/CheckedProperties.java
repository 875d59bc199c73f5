package io.github.kobe.spring.boot;

import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Gives the properties below one name, such as {@code group-concurrency.executors.orders}, to a builder of the core, which checks them. The builder is
 * asked after each property, so that a value that it does not accept is reported with the name of its property.
 *
 * @param path the name that the properties begin with
 * @param build builds, and so checks all that the builder has been given
 */
record CheckedProperties(ConfigurationPropertyName path, Runnable build) {

    static CheckedProperties of(String section, String key, Runnable build) {
        return new CheckedProperties(path(GroupConcurrencyProperties.PREFIX, section, key), build);
    }

    /** Returns a name of these elements. Elements that are not words, such as some keys of groups, are put into brackets. */
    static ConfigurationPropertyName path(String prefix, String... elements) {
        ConfigurationPropertyName path = ConfigurationPropertyName.of(prefix);
        for (String element : elements) {
            boolean word = ConfigurationPropertyName.isValid(element) && !element.contains(".");
            path = path.append(word ? element : "[" + element + "]");
        }
        return path;
    }

    /**
     * Passes the value to {@code setter}, unless it is {@code null}.
     *
     * @throws InvalidConfigurationPropertyValueException if the builder does not accept it
     */
    <T> void set(String property, @Nullable T value, Consumer<T> setter) {
        if (value == null) {
            return;
        }
        try {
            setter.accept(value);
            build.run();
        } catch (IllegalArgumentException e) {
            throw invalid(property, value, e);
        }
    }

    /** Returns what {@code function} makes of the value, with the same exception. */
    <T, R> R convert(String property, T value, Function<T, R> function) {
        try {
            return function.apply(value);
        } catch (IllegalArgumentException e) {
            throw invalid(property, value, e);
        }
    }

    private <T> RuntimeException invalid(String property, T value, IllegalArgumentException e) {
        return new InvalidConfigurationPropertyValueException(
                path.append(property).toString(), value, e.getMessage(), e);
    }
}
