package io.github.kobe;

import java.util.Objects;
import java.util.OptionalInt;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one group that were made through {@link GroupControl}. A setting that is empty was not made: the policy or the default
 * applies.
 *
 * <p>The getters return the same numbers for JSON libraries, with {@code null} for a setting that was not made.
 *
 * @param maxConcurrency see {@link GroupControl#setMaxConcurrency}
 * @param maxInFlight see {@link GroupControl#setMaxInFlight}
 * @param queueThreshold see {@link GroupControl#setQueueThreshold}
 * @param weight see {@link GroupControl#setWeight}
 * @param paused whether the group is paused, see {@link GroupControl#pauseGroup}
 */
public record LiveSettings(
        OptionalInt maxConcurrency,
        OptionalInt maxInFlight,
        OptionalInt queueThreshold,
        OptionalInt weight,
        boolean paused) {

    /** Throws {@link NullPointerException} if a component is {@code null}. */
    public LiveSettings {
        Objects.requireNonNull(maxConcurrency, "maxConcurrency");
        Objects.requireNonNull(maxInFlight, "maxInFlight");
        Objects.requireNonNull(queueThreshold, "queueThreshold");
        Objects.requireNonNull(weight, "weight");
    }

    /** As {@link #maxConcurrency()}; {@code null} if that is empty. */
    public @Nullable Integer getMaxConcurrency() {
        return orNull(maxConcurrency);
    }

    /** As {@link #maxInFlight()}; {@code null} if that is empty. */
    public @Nullable Integer getMaxInFlight() {
        return orNull(maxInFlight);
    }

    /** As {@link #queueThreshold()}; {@code null} if that is empty. */
    public @Nullable Integer getQueueThreshold() {
        return orNull(queueThreshold);
    }

    /** As {@link #weight()}; {@code null} if that is empty. */
    public @Nullable Integer getWeight() {
        return orNull(weight);
    }

    private static @Nullable Integer orNull(OptionalInt setting) {
        return setting.isPresent() ? setting.getAsInt() : null;
    }

    /** Returns a text such as "max concurrency 4, weight 2, paused"; "none" if no setting was made. */
    @Override
    public String toString() {
        StringJoiner text = new StringJoiner(", ").setEmptyValue("none");
        maxConcurrency.ifPresent(n -> text.add("max concurrency " + n));
        maxInFlight.ifPresent(n -> text.add("max in flight " + n));
        queueThreshold.ifPresent(n -> text.add("queue threshold " + n));
        weight.ifPresent(n -> text.add("weight " + n));
        if (paused) {
            text.add("paused");
        }
        return text.toString();
    }
}
