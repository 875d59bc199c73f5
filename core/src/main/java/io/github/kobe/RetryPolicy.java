package io.github.kobe;

import io.github.kobe.internal.group.RetryDelays;
import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Whether and when a task that threw, or returned an undesired value, gets another attempt. Immutable. Safe for use by many threads if the
 * given functions are.
 *
 * <p>A task that throws {@link InterruptedException} or {@link CancellationException} is never retried. While a task awaits its next
 * attempt it holds no thread, and no permit unless the policy is {@link #keepingPermit()}. If a function of the policy throws, there is no
 * further attempt. {@link GroupExecutor#shutdown()} and {@link GroupExecutor#shutdownGroup} cancel a task that awaits its next attempt;
 * {@link GroupExecutor#shutdown(Duration)} waits for that attempt.
 */
public final class RetryPolicy {

    private static final IntFunction<Duration> AT_ONCE = new RetryDelays.Fixed(Duration.ZERO);
    private static final RetryPolicy NO_RETRY = builder().build();

    private final int maxAttempts;
    private final IntFunction<Duration> delay;
    private final double jitter;
    private final @Nullable Function<? super Throwable, Optional<Duration>> delayFrom;
    private final @Nullable Predicate<? super Throwable> retryIf; // null: every failure
    private final @Nullable Predicate<@Nullable Object> retryOnResult; // null: no value
    private final boolean keepPermit;
    private final DoubleSupplier random;

    private RetryPolicy(Builder b) {
        maxAttempts = b.maxAttempts;
        delay = b.delay;
        jitter = b.jitter;
        delayFrom = b.delayFrom;
        retryIf = b.retryIf;
        retryOnResult = b.retryOnResult;
        keepPermit = b.keepPermit;
        random = b.random;
    }

    /** Returns a policy of one attempt. */
    public static RetryPolicy noRetry() {
        return NO_RETRY;
    }

    /**
     * Returns a policy that retries without a delay.
     *
     * @param n the number of attempts, including the first; at least 1
     * @throws IllegalArgumentException if {@code n} is less than 1
     */
    public static RetryPolicy attempts(int n) {
        return builder().maxAttempts(n).build();
    }

    /**
     * Returns a policy with the same delay before each retry.
     *
     * @param n the number of attempts, including the first; at least 1
     * @param delay the delay between attempts, not negative
     * @throws IllegalArgumentException if an argument is out of range
     */
    public static RetryPolicy fixedDelay(int n, Duration delay) {
        return builder().maxAttempts(n).delay(new RetryDelays.Fixed(delay)).build();
    }

    /**
     * Returns a policy with a delay that grows from attempt to attempt.
     *
     * @param n the number of attempts, including the first; at least 1
     * @param initial the delay before the second attempt, not negative
     * @param multiplier the factor between one delay and the next, at least 1
     * @param max the longest delay, at least {@code initial}
     * @throws IllegalArgumentException if an argument is out of range
     */
    public static RetryPolicy exponentialBackoff(int n, Duration initial, double multiplier, Duration max) {
        return builder()
                .maxAttempts(n)
                .delay(new RetryDelays.Backoff(initial, multiplier, max))
                .build();
    }

    /** Creates a builder. Each of its methods documents its default. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns a copy of this policy with the given {@link Builder#jitter}.
     *
     * @throws IllegalArgumentException if {@code factor} is not between 0 and 1
     */
    public RetryPolicy withJitter(double factor) {
        return toBuilder().jitter(factor).build();
    }

    /** Returns a copy of this policy with the given {@link Builder#delayFrom}. */
    public RetryPolicy delayFrom(Function<? super Throwable, Optional<Duration>> faultToDelay) {
        return toBuilder().delayFrom(faultToDelay).build();
    }

    /** Returns a copy of this policy with the given {@link Builder#retryIf}. */
    public RetryPolicy retryIf(Predicate<? super Throwable> predicate) {
        return toBuilder().retryIf(predicate).build();
    }

    /** Returns a copy of this policy with the given {@link Builder#retryOnResult}. */
    public RetryPolicy retryOnResult(Predicate<@Nullable Object> predicate) {
        return toBuilder().retryOnResult(predicate).build();
    }

    /** Returns a copy of this policy under which a task {@linkplain Builder#keepPermit keeps its permit} between attempts. */
    public RetryPolicy keepingPermit() {
        return toBuilder().keepPermit(true).build();
    }

    /** Returns a copy of this policy with another source of random numbers between 0 and 1. */
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
        b.delayFrom = delayFrom;
        b.retryIf = retryIf;
        b.retryOnResult = retryOnResult;
        b.keepPermit = keepPermit;
        b.random = random;
        return b;
    }

    /** Returns the number of attempts, including the first. */
    public int maxAttempts() {
        return maxAttempts;
    }

    /** Returns the value of {@link Builder#keepPermit}. */
    public boolean keepsPermit() {
        return keepPermit;
    }

    /**
     * Returns the delay before the next attempt, without jitter and {@link Builder#delayFrom}. Throws what the policy's delay function
     * throws.
     *
     * @param failedAttempts how many attempts have failed, at least 1
     * @throws IllegalArgumentException if {@code failedAttempts} is less than 1, or if the delay function returns a negative delay
     */
    public Duration delayAfter(int failedAttempts) {
        Checks.atLeast(1, "failedAttempts", failedAttempts);
        Duration next = Objects.requireNonNull(delay.apply(failedAttempts), "delay");
        Checks.notNegative("delay", next);
        return next;
    }

    /**
     * Returns the delay before the next attempt, with jitter; empty if there is no further attempt. Throws what the policy's functions
     * throw.
     *
     * @param failedAttempts how many attempts have failed, at least 1
     * @param fault what the last attempt threw; {@link UndesiredResultException} if it returned a value that is retried
     */
    public Optional<Duration> nextDelay(int failedAttempts, Throwable fault) {
        Checks.atLeast(1, "failedAttempts", failedAttempts);
        Objects.requireNonNull(fault, "fault");
        long nanos = nextDelayNanos(failedAttempts, fault);
        return nanos < 0 ? Optional.empty() : Optional.of(Duration.ofNanos(nanos));
    }

    /**
     * Returns the delay before the next attempt, with jitter; -1 if there is no further attempt. Throws what the policy's functions
     * throw.
     *
     * @param fault what the last attempt threw
     */
    long nextDelayNanos(int failedAttempts, Throwable fault) {
        if (failedAttempts >= maxAttempts || !isRetryable(fault)) {
            return -1;
        }
        Optional<Duration> fromFault = delayOf(fault);
        long withoutJitter = Durations.saturatedNanos(fromFault.orElseGet(() -> delayAfter(failedAttempts)));
        if (jitter == 0) {
            return withoutJitter;
        }
        double shortest = fromFault.isEmpty() ? 1 - jitter : 1;
        return (long)
                (withoutJitter * (shortest + (1 + jitter - shortest) * random.getAsDouble())); // the cast saturates
    }

    private Optional<Duration> delayOf(Throwable fault) {
        if (delayFrom == null) {
            return Optional.empty();
        }
        Optional<Duration> given = Objects.requireNonNull(delayFrom.apply(fault), "delayFrom");
        return given.map(delay -> Checks.notNegative("delayFrom", delay));
    }

    /**
     * Returns whether a task that returned {@code value} gets another attempt if there is one left. Throws what
     * {@link Builder#retryOnResult} throws.
     */
    public boolean retriesResult(@Nullable Object value) {
        return retryOnResult != null && maxAttempts > 1 && retryOnResult.test(value);
    }

    private boolean isRetryable(Throwable fault) {
        if (fault instanceof UndesiredResultException) {
            return true;
        }
        if (fault instanceof InterruptedException || fault instanceof CancellationException) {
            return false;
        }
        return retryIf == null || retryIf.test(fault);
    }

    /** Returns whether the settings are equal. Functions are compared by their own {@code equals}. */
    @Override
    public boolean equals(@Nullable Object o) {
        return o instanceof RetryPolicy other
                && maxAttempts == other.maxAttempts
                && delay.equals(other.delay)
                && Double.compare(jitter, other.jitter) == 0
                && Objects.equals(delayFrom, other.delayFrom)
                && Objects.equals(retryIf, other.retryIf)
                && Objects.equals(retryOnResult, other.retryOnResult)
                && keepPermit == other.keepPermit;
    }

    @Override
    public int hashCode() {
        return Objects.hash(maxAttempts, delay, jitter, delayFrom, retryIf, retryOnResult, keepPermit);
    }

    /** Returns a text such as "3 attempts, delay 100 ms, jitter 0.2". */
    @Override
    public String toString() {
        if (maxAttempts == 1) {
            return "no retry";
        }
        return maxAttempts + " attempts, " + (delay.equals(AT_ONCE) ? "at once" : "delay " + delayText())
                + (delayFrom == null ? "" : ", or as the failure says")
                + (jitter == 0 ? "" : ", jitter " + jitter)
                + (retryIf == null ? "" : ", if a predicate accepts the failure")
                + (retryOnResult == null ? "" : ", also on results that a predicate accepts")
                + (keepPermit ? ", keeping its permit" : "");
    }

    /** The class name of a function of users would say nothing. */
    private String delayText() {
        return delay instanceof Record ? delay.toString() : "by a function";
    }

    /** Builds a {@link RetryPolicy}. Not safe for use by many threads. */
    public static final class Builder {

        private int maxAttempts = 1;
        private IntFunction<Duration> delay = AT_ONCE;
        private double jitter;
        private @Nullable Function<? super Throwable, Optional<Duration>> delayFrom;
        private @Nullable Predicate<? super Throwable> retryIf;
        private @Nullable Predicate<@Nullable Object> retryOnResult;
        private boolean keepPermit;
        private DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();

        private Builder() {}

        /** Sets the number of attempts, including the first; at least 1. Default 1, which means no retry. */
        public Builder maxAttempts(int n) {
            maxAttempts = n;
            return this;
        }

        /**
         * Sets a function from the number of failed attempts to the delay before the next one, not negative. It is called on the thread
         * that ran the attempt. Default no delay.
         */
        public Builder delay(IntFunction<Duration> failedAttemptsToDelay) {
            delay = Objects.requireNonNull(failedAttemptsToDelay, "delay");
            return this;
        }

        /**
         * Sets the jitter, between 0 and 1. Each delay is multiplied by a random number between {@code 1 - factor} and
         * {@code 1 + factor}, so that tasks that fail together do not retry together. Default 0.
         */
        public Builder jitter(double factor) {
            jitter = factor;
            return this;
        }

        /**
         * Sets a function from what the attempt threw to the delay before the next one, not negative; empty for {@link #delay}. Use it if the
         * failure says when to try again, for example by an HTTP header {@code Retry-After}. {@link #jitter} never shortens this delay: it
         * is multiplied by a random number between 1 and {@code 1 + factor}. The function is called on the thread that ran the attempt.
         * Default none.
         */
        public Builder delayFrom(Function<? super Throwable, Optional<Duration>> faultToDelay) {
            delayFrom = Objects.requireNonNull(faultToDelay, "delayFrom");
            return this;
        }

        /** Sets which failures are retried. It is called on the thread that ran the attempt. Default all failures. */
        public Builder retryIf(Predicate<? super Throwable> predicate) {
            retryIf = Objects.requireNonNull(predicate, "retryIf");
            return this;
        }

        /**
         * Sets which values are retried as failures are, for example a response with the status 503. {@link #retryIf} is not asked about
         * them; {@link #delayFrom} and listeners get an {@link UndesiredResultException} with the value. If no attempt is left, or if the
         * predicate throws, the value is the outcome, and the task has succeeded with it. The predicate is called on the thread that ran the
         * attempt. Default no value.
         */
        public Builder retryOnResult(Predicate<@Nullable Object> predicate) {
            retryOnResult = Objects.requireNonNull(predicate, "retryOnResult");
            return this;
        }

        /**
         * Sets whether the task keeps its permit while it awaits its next attempt. Default {@code false}: the permit is released for other
         * tasks, and the task is queued for a permit again when the delay is over.
         */
        public Builder keepPermit(boolean keep) {
            keepPermit = keep;
            return this;
        }

        /**
         * Creates the policy.
         *
         * @throws IllegalArgumentException if a setting is out of range; the message contains its name and its value
         */
        public RetryPolicy build() {
            Checks.atLeast(1, "maxAttempts", maxAttempts);
            Checks.between(0, 1, "jitter", jitter);
            return new RetryPolicy(this);
        }
    }
}
