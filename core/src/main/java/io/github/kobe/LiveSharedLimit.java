package io.github.kobe;

import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one value of a {@link SharedLimit} that were made through {@link GroupControl}.
 *
 * @param name the name of the shared limit
 * @param value the value
 * @param max see {@link GroupControl#setSharedLimit}; empty if it was not set: the policy applies
 * @param paused whether it is paused, see {@link GroupControl#pauseSharedLimit}
 */
public record LiveSharedLimit(String name, String value, OptionalInt max, boolean paused) {

    /** Throws {@link NullPointerException} if a component is {@code null}. */
    public LiveSharedLimit {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(value, "value");
        Objects.requireNonNull(max, "max");
    }

    /** As {@link #max()}, for JSON libraries; {@code null} if that is empty. */
    public @Nullable Integer getMax() {
        return max.isPresent() ? max.getAsInt() : null;
    }

    /** Returns a text such as "tenant 'acme': max 4, paused". */
    @Override
    public String toString() {
        String limit = max.isEmpty() ? "" : "max " + max.getAsInt();
        return name + " '" + value + "': " + limit + (paused ? (limit.isEmpty() ? "paused" : ", paused") : "");
    }
}
