package io.github.kobe;

import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.Objects;
import java.util.function.IntFunction;

/** The delay functions of {@link RetryPolicy}. They are records, so that policies with the same settings are equal. */
final class RetryDelays {

    private RetryDelays() {}

    record Fixed(Duration delay) implements IntFunction<Duration> {

        Fixed {
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

    record Backoff(Duration initial, double multiplier, Duration max) implements IntFunction<Duration> {

        Backoff {
            Objects.requireNonNull(initial, "initial");
            Objects.requireNonNull(max, "max");
            Checks.notNegative("initial", initial);
            Checks.check(multiplier >= 1, "multiplier", "at least 1", multiplier);
            Checks.check(max.compareTo(initial) >= 0, "max", "at least initial, " + initial, max);
        }

        /** The power may overflow to infinity. Infinity times zero is NaN, which the cast turns into zero. */
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
