package io.github.kobe;

import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Whether and when a task that threw is tried again. Immutable, and as safe for use by many threads as the functions it was
 * given.
 *
 * <p>{@link InterruptedException} and {@link CancellationException} are never retried. While a task waits for its next attempt
 * it holds no thread; nor a place, unless the policy is {@link #keepingPermit()}. If its functions throw, there is no further
 * attempt.
 */
public final class RetryPolicy {

    private static final IntFunction<Duration> AT_ONCE = new RetryDelays.Fixed(Duration.ZERO);
    private static final RetryPolicy NO_RETRY = builder().build();

    private final int maxAttempts;
    private final IntFunction<Duration> delay;
    private final double jitter;
    private final @Nullable Predicate<? super Throwable> retryIf; // null: whatever it is
    private final boolean keepPermit;
    private final DoubleSupplier random;

    private RetryPolicy(Builder b) {
        maxAttempts = b.maxAttempts;
        delay = b.delay;
        jitter = b.jitter;
        retryIf = b.retryIf;
        keepPermit = b.keepPermit;
        random = b.random;
    }

    /** One attempt. */
    public static RetryPolicy noRetry() {
        return NO_RETRY;
    }

    /**
     * Tries again at once.
     *
     * @param n how many attempts there are, the first one included; at least 1
     * @throws IllegalArgumentException if it is less
     */
    public static RetryPolicy attempts(int n) {
        return builder().maxAttempts(n).build();
    }

    /**
     * Tries again after the same time each time.
     *
     * @param n how many attempts there are, the first one included; at least 1
     * @param delay the time between them, not negative
     * @throws IllegalArgumentException if an argument is out of range
     */
    public static RetryPolicy fixedDelay(int n, Duration delay) {
        return builder().maxAttempts(n).delay(new RetryDelays.Fixed(delay)).build();
    }

    /**
     * Tries again after a time that grows from attempt to attempt.
     *
     * @param n how many attempts there are, the first one included; at least 1
     * @param initial the time before the second attempt, not negative
     * @param multiplier by how much each later time is longer than the one before, at least 1
     * @param max what the time grows up to, at least {@code initial}
     * @throws IllegalArgumentException if an argument is out of range
     */
    public static RetryPolicy exponentialBackoff(int n, Duration initial, double multiplier, Duration max) {
        return builder()
                .maxAttempts(n)
                .delay(new RetryDelays.Backoff(initial, multiplier, max))
                .build();
    }

    /** A builder with the defaults that its methods name. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The same policy, with {@link Builder#jitter}.
     *
     * @throws IllegalArgumentException if {@code factor} is not between 0 and 1
     */
    public RetryPolicy withJitter(double factor) {
        return toBuilder().jitter(factor).build();
    }

    /** The same policy, with {@link Builder#retryIf}. */
    public RetryPolicy retryIf(Predicate<? super Throwable> predicate) {
        return toBuilder().retryIf(predicate).build();
    }

    /** The same policy, with {@link Builder#keepPermit}. */
    public RetryPolicy keepingPermit() {
        return toBuilder().keepPermit(true).build();
    }

    /** The same policy, with another source of numbers from 0 to 1. */
    RetryPolicy withRandom(DoubleSupplier source) {
        Builder b = toBuilder();
        b.random = source;
        return b.build();
    }

    private Builder toBuilder() {
        Builder b = new Builder();
        b.maxAttempts = maxAttempts;
        b.delay = delay;
        b.jitter = jitter;
        b.retryIf = retryIf;
        b.keepPermit = keepPermit;
        b.random = random;
        return b;
    }

    /** How many attempts there are, the first one included. */
    public int maxAttempts() {
        return maxAttempts;
    }

    /** As given to {@link Builder#keepPermit}. */
    public boolean keepsPermit() {
        return keepPermit;
    }

    /**
     * How long it is before the next attempt, without jitter.
     *
     * @param failedAttempts how many attempts have failed, at least 1
     * @throws IllegalArgumentException if that is less, or if the policy's own function returns a negative time
     */
    public Duration delayAfter(int failedAttempts) {
        Checks.atLeast(1, "failedAttempts", failedAttempts);
        Duration answer = Objects.requireNonNull(delay.apply(failedAttempts), "delay");
        Checks.notNegative("delay", answer);
        return answer;
    }

    /**
     * How long it is before the next attempt, with jitter; empty if there is none. Throws what the policy's functions throw.
     *
     * @param failedAttempts how many attempts have failed, at least 1
     * @param fault what the last of them threw
     */
    public Optional<Duration> nextDelay(int failedAttempts, Throwable fault) {
        Checks.atLeast(1, "failedAttempts", failedAttempts);
        Objects.requireNonNull(fault, "fault");
        long nanos = nextDelayNanos(failedAttempts, fault);
        return nanos < 0 ? Optional.empty() : Optional.of(Duration.ofNanos(nanos));
    }

    /**
     * How long it is before the next attempt, with jitter; -1 if there is none. Throws what the functions throw.
     *
     * @param fault what the last attempt threw
     */
    long nextDelayNanos(int failedAttempts, Throwable fault) {
        if (failedAttempts >= maxAttempts || !isWorthAnother(fault)) {
            return -1;
        }
        long plain = Durations.saturatedNanos(delayAfter(failedAttempts));
        if (jitter == 0) {
            return plain;
        }
        return (long) (plain * (1 - jitter + 2 * jitter * random.getAsDouble())); // the cast saturates
    }

    private boolean isWorthAnother(Throwable fault) {
        if (fault instanceof InterruptedException || fault instanceof CancellationException) {
            return false;
        }
        return retryIf == null || retryIf.test(fault);
    }

    /** Whether the settings are the same; functions only as far as their own equals goes. */
    @Override
    public boolean equals(@Nullable Object o) {
        return o instanceof RetryPolicy other
                && maxAttempts == other.maxAttempts
                && delay.equals(other.delay)
                && Double.compare(jitter, other.jitter) == 0
                && Objects.equals(retryIf, other.retryIf)
                && keepPermit == other.keepPermit;
    }

    @Override
    public int hashCode() {
        return Objects.hash(maxAttempts, delay, jitter, retryIf, keepPermit);
    }

    /** Such as "3 attempts, delay 100 ms, jitter 0.2". */
    @Override
    public String toString() {
        if (maxAttempts == 1) {
            return "no retry";
        }
        return maxAttempts + " attempts, " + (delay.equals(AT_ONCE) ? "at once" : "delay " + delay)
                + (jitter == 0 ? "" : ", jitter " + jitter)
                + (retryIf == null ? "" : ", if " + retryIf)
                + (keepPermit ? ", keeping its permit" : "");
    }

    /** Collects the settings of a policy. Not safe for use by many threads. */
    public static final class Builder {

        private int maxAttempts = 1;
        private IntFunction<Duration> delay = AT_ONCE;
        private double jitter;
        private @Nullable Predicate<? super Throwable> retryIf;
        private boolean keepPermit;
        private DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();

        private Builder() {}

        /** How many attempts there are, the first one included; at least 1. Default 1, which is no retry. */
        public Builder maxAttempts(int n) {
            maxAttempts = n;
            return this;
        }

        /**
         * How long it is before the next attempt, given how many have failed; not negative. Default none. Called on the thread
         * that ran the attempt.
         */
        public Builder delay(IntFunction<Duration> failedAttemptsToDelay) {
            delay = Objects.requireNonNull(failedAttemptsToDelay, "delay");
            return this;
        }

        /**
         * Spreads the attempts of tasks that failed together: each delay is multiplied by a random number between
         * {@code 1 - factor} and {@code 1 + factor}. Between 0 and 1; default 0.
         */
        public Builder jitter(double factor) {
            jitter = factor;
            return this;
        }

        /** Which failures are worth another attempt. Default all. Called on the thread that ran the attempt. */
        public Builder retryIf(Predicate<? super Throwable> predicate) {
            retryIf = Objects.requireNonNull(predicate, "retryIf");
            return this;
        }

        /**
         * Whether the task keeps its place under the limits while it waits for the next attempt. Default no: others run
         * meanwhile, and it has to wait for a place again.
         */
        public Builder keepPermit(boolean keep) {
            keepPermit = keep;
            return this;
        }

        /**
         * Makes the policy.
         *
         * @throws IllegalArgumentException if a setting is out of range; the message has its name and its value
         */
        public RetryPolicy build() {
            Checks.atLeast(1, "maxAttempts", maxAttempts);
            Checks.between(0, 1, "jitter", jitter);
            return new RetryPolicy(this);
        }
    }
}
