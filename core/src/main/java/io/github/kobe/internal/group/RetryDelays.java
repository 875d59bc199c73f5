package io.github.kobe.internal.group;

import io.github.kobe.RetryPolicy;
import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.Objects;
import java.util.function.IntFunction;

/** The predefined delays of a {@link RetryPolicy}. They are records, so that equal policies are equal. */
public final class RetryDelays {

    private RetryDelays() {}

    /** The same delay before each attempt. */
    public record Fixed(Duration delay) implements IntFunction<Duration> {

        /** Checks that the delay is not negative. */
        public Fixed {
            Objects.requireNonNull(delay, "delay");
            Checks.notNegative("delay", delay);
        }

        @Override
        public Duration apply(int failedAttempts) {
            return delay;
        }

        @Override
        public String toString() {
            return Durations.text(delay);
        }
    }

    /** A delay that grows exponentially up to a maximum. */
    public record Backoff(Duration initial, double multiplier, Duration max) implements IntFunction<Duration> {

        /** Checks the range of each argument. */
        public Backoff {
            Objects.requireNonNull(initial, "initial");
            Objects.requireNonNull(max, "max");
            Checks.notNegative("initial", initial);
            Checks.check(multiplier >= 1, "multiplier", "at least 1", multiplier);
            Checks.check(max.compareTo(initial) >= 0, "max", "at least initial, " + initial, max);
        }

        /** If the power is infinite and the initial delay zero, the product is NaN, which the cast turns into zero. */
        @Override
        public Duration apply(int failedAttempts) {
            double nanos = Durations.saturatedNanos(initial) * Math.pow(multiplier, failedAttempts - 1.0);
            return nanos >= Durations.saturatedNanos(max) ? max : Duration.ofNanos((long) nanos);
        }

        @Override
        public String toString() {
            return Durations.text(initial) + " times " + multiplier + " up to " + Durations.text(max);
        }
    }
}
