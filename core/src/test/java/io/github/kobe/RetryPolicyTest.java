package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which failures are retried, how often, and after which delay? */
class RetryPolicyTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private static long next(RetryPolicy policy, int failedAttempts) {
        return policy.nextDelayNanos(failedAttempts, new IOException("on purpose"));
    }

    @Test
    void noRetryIsOneAttempt() {
        assertThat(RetryPolicy.noRetry().maxAttempts()).isEqualTo(1);
        assertThat(next(RetryPolicy.noRetry(), 1)).isEqualTo(-1);
        assertThat(RetryPolicy.builder().build()).isEqualTo(RetryPolicy.noRetry());
    }

    @Test
    void attemptsIncludeTheFirstAndHaveNoDelay() {
        RetryPolicy policy = RetryPolicy.attempts(3);
        assertThat(IntStream.rangeClosed(1, 4).mapToLong(failed -> next(policy, failed)))
                .containsExactly(0L, 0L, -1L, -1L);
        assertThat(policy.delayAfter(1)).isZero();
    }

    @Test
    void fixedDelayIsTheSameEachTime() {
        RetryPolicy policy = RetryPolicy.fixedDelay(3, Duration.ofNanos(5));
        assertThat(IntStream.rangeClosed(1, 3).mapToLong(failed -> next(policy, failed)))
                .containsExactly(5L, 5L, -1L);
    }

    @Test
    void backoffGrowsUpToItsMaximum() {
        RetryPolicy policy = RetryPolicy.exponentialBackoff(9, Duration.ofMillis(100), 2.5, Duration.ofSeconds(1));
        assertThat(IntStream.rangeClosed(1, 6).mapToObj(policy::delayAfter).map(Duration::toMillis))
                .containsExactly(100L, 250L, 625L, 1000L, 1000L, 1000L);
    }

    @Test
    void backoffNeverOverflows() {
        RetryPolicy policy = RetryPolicy.exponentialBackoff(Integer.MAX_VALUE, Duration.ofNanos(1), 10, FOR_EVER);
        assertThat(policy.delayAfter(Integer.MAX_VALUE)).isEqualTo(FOR_EVER);
        assertThat(next(policy, Integer.MAX_VALUE - 1)).isEqualTo(Long.MAX_VALUE);
        Duration before = Duration.ZERO;
        for (int failed = 1; failed < 400; failed++) {
            assertThat(policy.delayAfter(failed)).isGreaterThanOrEqualTo(before);
            before = policy.delayAfter(failed);
        }
    }

    @Test
    void backoffFromZeroStaysZero() {
        RetryPolicy policy = RetryPolicy.exponentialBackoff(Integer.MAX_VALUE, Duration.ZERO, 10, SECOND);
        assertThat(policy.delayAfter(1)).isZero();
        assertThat(policy.delayAfter(Integer.MAX_VALUE)).isZero();
    }

    @Test
    void backoffWithoutGrowthIsAFixedDelay() {
        RetryPolicy policy = RetryPolicy.exponentialBackoff(9, SECOND, 1, SECOND);
        assertThat(policy.delayAfter(1)).isEqualTo(SECOND);
        assertThat(policy.delayAfter(Integer.MAX_VALUE)).isEqualTo(SECOND);
    }

    @Test
    void jitterMultipliesByARandomNumberAroundOne() {
        RetryPolicy policy = RetryPolicy.fixedDelay(2, Duration.ofNanos(1000)).withJitter(0.25);
        assertThat(next(policy.withRandom(() -> 0), 1)).isEqualTo(750);
        assertThat(next(policy.withRandom(() -> 0.5), 1)).isEqualTo(1000);
        assertThat(next(policy.withRandom(() -> 1), 1)).isEqualTo(1250);
        assertThat(policy.delayAfter(1)).as("without jitter").isEqualTo(Duration.ofNanos(1000));
    }

    @Test
    void randomDelaysStayInTheirRangeAndDiffer() {
        RetryPolicy policy = RetryPolicy.fixedDelay(2, SECOND).withJitter(0.5);
        List<Long> delays =
                IntStream.range(0, 1000).mapToObj(i -> next(policy, 1)).toList();
        assertThat(delays).allMatch(nanos -> nanos >= 500_000_000 && nanos <= 1_500_000_000);
        assertThat(delays).anyMatch(nanos -> nanos < 750_000_000).anyMatch(nanos -> nanos > 1_250_000_000);
    }

    @Test
    void jitterOfALongDelaySaturates() {
        RetryPolicy policy = RetryPolicy.fixedDelay(2, FOR_EVER).withJitter(1).withRandom(() -> 1);
        assertThat(next(policy, 1)).isEqualTo(Long.MAX_VALUE);
        assertThat(next(policy.withRandom(() -> 0), 1)).isZero();
    }

    /** A failure that says when to try again. */
    private static final class Busy extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final transient Duration retryAfter;

        Busy(Duration retryAfter) {
            this.retryAfter = retryAfter;
        }

        static Optional<Duration> retryAfter(Throwable fault) {
            return fault instanceof Busy busy ? Optional.of(busy.retryAfter) : Optional.empty();
        }
    }

    @Test
    void delayFromTheFailureReplacesTheBackoff() {
        RetryPolicy policy = RetryPolicy.fixedDelay(3, SECOND).delayFrom(Busy::retryAfter);
        assertThat(policy.nextDelay(1, new Busy(Duration.ofSeconds(7)))).hasValue(Duration.ofSeconds(7));
        assertThat(policy.nextDelay(1, new Busy(Duration.ZERO))).hasValue(Duration.ZERO);
        assertThat(policy.nextDelay(2, new IOException()))
                .as("a failure that does not say")
                .hasValue(SECOND);
        assertThat(policy.nextDelay(3, new Busy(SECOND)))
                .as("no attempt is left")
                .isEmpty();
        assertThat(policy.delayAfter(1)).as("without a failure").isEqualTo(SECOND);
    }

    @Test
    void jitterNeverShortensADelayFromTheFailure() {
        RetryPolicy policy = RetryPolicy.attempts(3).withJitter(0.25).delayFrom(Busy::retryAfter);
        Busy fault = new Busy(Duration.ofNanos(1000));
        assertThat(policy.withRandom(() -> 0).nextDelayNanos(1, fault)).isEqualTo(1000);
        assertThat(policy.withRandom(() -> 1).nextDelayNanos(1, fault)).isEqualTo(1250);
    }

    @Test
    void invalidDelayFromTheFailureThrowsWithItsName() {
        RetryPolicy policy = RetryPolicy.attempts(3).delayFrom(Busy::retryAfter);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> policy.nextDelay(1, new Busy(Duration.ofSeconds(-1))))
                .withMessage("delayFrom must not be negative, but is PT-1S");
        assertThatNullPointerException()
                .isThrownBy(() -> next(RetryPolicy.attempts(3).delayFrom(fault -> null), 1))
                .withMessage("delayFrom");
    }

    @Test
    void onlyFailuresAcceptedByThePredicateAreRetried() {
        RetryPolicy policy = RetryPolicy.attempts(2).retryIf(IOException.class::isInstance);
        assertThat(policy.nextDelayNanos(1, new IOException())).isZero();
        assertThat(policy.nextDelayNanos(1, new IllegalStateException())).isEqualTo(-1);
    }

    @Test
    void onlyValuesAcceptedByThePredicateAreRetried() {
        RetryPolicy policy = RetryPolicy.attempts(2).retryOnResult(Objects::isNull);
        assertThat(policy.retriesResult(null)).isTrue();
        assertThat(policy.retriesResult("value")).isFalse();
        assertThat(RetryPolicy.attempts(2).retriesResult(null)).as("by default").isFalse();
        assertThat(RetryPolicy.attempts(1).retryOnResult(any -> true).retriesResult(null))
                .as("no attempt is left")
                .isFalse();
    }

    @Test
    void predicateForFailuresIsNotAskedAboutValues() {
        RetryPolicy policy = RetryPolicy.attempts(2)
                .retryIf(IOException.class::isInstance)
                .retryOnResult(any -> true)
                .delayFrom(fault -> fault instanceof UndesiredResultException undesired
                                && undesired.value() instanceof Integer seconds
                        ? Optional.of(Duration.ofSeconds(seconds))
                        : Optional.empty());
        assertThat(policy.nextDelay(1, new UndesiredResultException(3))).hasValue(Duration.ofSeconds(3));
        assertThat(policy.nextDelay(1, new UndesiredResultException(null))).hasValue(Duration.ZERO);
        assertThat(policy.nextDelay(2, new UndesiredResultException(3))).isEmpty();
    }

    @Test
    void errorsAreRetriedToo() {
        assertThat(RetryPolicy.attempts(2).nextDelayNanos(1, new StackOverflowError()))
                .isZero();
    }

    @Test
    void interruptionAndCancellationAreNeverRetried() {
        RetryPolicy policy = RetryPolicy.attempts(2).retryIf(fault -> true);
        assertThat(policy.nextDelayNanos(1, new InterruptedException())).isEqualTo(-1);
        assertThat(policy.nextDelayNanos(1, new CancellationException())).isEqualTo(-1);
    }

    @Test
    void predicateIsNotCalledAfterTheLastAttempt() {
        RetryPolicy policy = RetryPolicy.attempts(2).retryIf(fault -> {
            throw new AssertionError("predicate called");
        });
        assertThat(next(policy, 2)).isEqualTo(-1);
    }

    @Test
    void exceptionFromAFunctionIsRethrown() {
        RetryPolicy badPredicate = RetryPolicy.attempts(2).retryIf(fault -> {
            throw new IllegalStateException("bad predicate");
        });
        RetryPolicy badDelay = RetryPolicy.builder()
                .maxAttempts(2)
                .delay(failed -> {
                    throw new IllegalStateException("bad delay");
                })
                .build();
        assertThatThrownBy(() -> next(badPredicate, 1)).hasMessage("bad predicate");
        assertThatThrownBy(() -> next(badDelay, 1)).hasMessage("bad delay");
    }

    @Test
    void invalidDelayThrowsWithItsName() {
        RetryPolicy negative = RetryPolicy.builder()
                .maxAttempts(2)
                .delay(failed -> Duration.ofSeconds(-failed))
                .build();
        RetryPolicy nothing =
                RetryPolicy.builder().maxAttempts(2).delay(failed -> null).build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> next(negative, 1))
                .withMessage("delay must not be negative, but is PT-1S");
        assertThatNullPointerException().isThrownBy(() -> next(nothing, 1)).withMessage("delay");
    }

    @Test
    void delayFunctionIsGivenTheNumberOfFailures() {
        RetryPolicy policy = RetryPolicy.builder()
                .maxAttempts(9)
                .delay(Duration::ofSeconds)
                .jitter(0)
                .retryIf(fault -> true)
                .keepPermit(true)
                .build();
        assertThat(policy.delayAfter(1)).isEqualTo(SECOND);
        assertThat(next(policy, 8)).isEqualTo(8_000_000_000L);
        assertThat(policy.keepsPermit()).isTrue();
    }

    @Test
    void permitIsReleasedByDefault() {
        assertThat(RetryPolicy.attempts(2).keepsPermit()).isFalse();
        assertThat(RetryPolicy.attempts(2).keepingPermit().keepsPermit()).isTrue();
    }

    @Test
    void copyKeepsOtherSettingsAndTheOriginalIsUnchanged() {
        RetryPolicy plain = RetryPolicy.fixedDelay(4, SECOND);
        RetryPolicy variant = plain.withJitter(0.5)
                .withRandom(() -> 1)
                .retryIf(IOException.class::isInstance)
                .keepingPermit();
        assertThat(variant.maxAttempts()).isEqualTo(4);
        assertThat(variant.nextDelayNanos(1, new IOException())).isEqualTo(1_500_000_000);
        assertThat(variant.nextDelayNanos(1, new IllegalStateException())).isEqualTo(-1);
        assertThat(plain).isEqualTo(RetryPolicy.fixedDelay(4, SECOND));
    }

    static Stream<Arguments> argumentsOutOfRange() {
        Duration negative = Duration.ofSeconds(-1);
        return Stream.of(
                row("maxAttempts must be at least 1, but is 0", () -> RetryPolicy.attempts(0)),
                row("maxAttempts must be at least 1, but is -7", () -> RetryPolicy.fixedDelay(-7, SECOND)),
                row(
                        "maxAttempts must be at least 1, but is 0",
                        () -> RetryPolicy.exponentialBackoff(0, SECOND, 1, SECOND)),
                row("delay must not be negative, but is PT-1S", () -> RetryPolicy.fixedDelay(2, negative)),
                row(
                        "initial must not be negative, but is PT-1S",
                        () -> RetryPolicy.exponentialBackoff(2, negative, 1, SECOND)),
                row(
                        "multiplier must be at least 1, but is 0.5",
                        () -> RetryPolicy.exponentialBackoff(2, SECOND, 0.5, SECOND)),
                row(
                        "multiplier must be at least 1, but is NaN",
                        () -> RetryPolicy.exponentialBackoff(2, SECOND, Double.NaN, SECOND)),
                row(
                        "max must be at least initial, PT1S, but is PT0S",
                        () -> RetryPolicy.exponentialBackoff(2, SECOND, 2, Duration.ZERO)),
                row(
                        "jitter must be between 0.0 and 1.0, but is -0.1",
                        () -> RetryPolicy.attempts(2).withJitter(-0.1)),
                row(
                        "jitter must be between 0.0 and 1.0, but is 1.1",
                        () -> RetryPolicy.attempts(2).withJitter(1.1)),
                row(
                        "jitter must be between 0.0 and 1.0, but is NaN",
                        () -> RetryPolicy.builder().jitter(Double.NaN).build()),
                row(
                        "failedAttempts must be at least 1, but is 0",
                        () -> RetryPolicy.attempts(2).delayAfter(0)));
    }

    private static Arguments row(String message, ThrowingCallable call) {
        return Arguments.of(message, call);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("argumentsOutOfRange")
    void argumentOutOfRangeThrowsWithNameAndValue(String message, ThrowingCallable call) {
        assertThatIllegalArgumentException().isThrownBy(call).withMessage(message);
    }

    @Test
    void policiesWithTheSameSettingsAreEqual() {
        RetryPolicy backoff =
                RetryPolicy.exponentialBackoff(2, SECOND, 2, FOR_EVER).withJitter(0.1);
        assertThat(RetryPolicy.exponentialBackoff(2, SECOND, 2, FOR_EVER).withJitter(0.1))
                .isEqualTo(backoff)
                .hasSameHashCodeAs(backoff);
        assertThat(RetryPolicy.attempts(1)).isEqualTo(RetryPolicy.noRetry());
        assertThat(RetryPolicy.attempts(2))
                .isEqualTo(RetryPolicy.fixedDelay(2, Duration.ZERO))
                .isNotEqualTo(RetryPolicy.attempts(3))
                .isNotEqualTo(RetryPolicy.fixedDelay(2, SECOND))
                .isNotEqualTo(RetryPolicy.attempts(2).withJitter(0.1))
                .isNotEqualTo(RetryPolicy.attempts(2).retryIf(fault -> true))
                .isNotEqualTo(RetryPolicy.attempts(2).delayFrom(Busy::retryAfter))
                .isNotEqualTo(RetryPolicy.attempts(2).retryOnResult(any -> true))
                .isNotEqualTo(RetryPolicy.attempts(2).keepingPermit())
                .isNotEqualTo("something else");
    }

    @Test
    void toStringShowsTheSettings() {
        assertThat(RetryPolicy.noRetry()).hasToString("no retry");
        assertThat(RetryPolicy.attempts(3)).hasToString("3 attempts, at once");
        assertThat(RetryPolicy.fixedDelay(3, SECOND).withJitter(0.2).keepingPermit())
                .hasToString("3 attempts, delay 1 s, jitter 0.2, keeping its permit");
        assertThat(RetryPolicy.exponentialBackoff(5, Duration.ofMillis(100), 2, SECOND))
                .hasToString("5 attempts, delay 100 ms times 2.0 up to 1 s");
        assertThat(RetryPolicy.attempts(2).retryIf(fault -> true))
                .hasToString("2 attempts, at once, if a predicate accepts the failure");
        assertThat(RetryPolicy.attempts(2).retryOnResult(value -> true))
                .hasToString("2 attempts, at once, also on results that a predicate accepts");
        assertThat(RetryPolicy.fixedDelay(2, SECOND).delayFrom(Busy::retryAfter))
                .hasToString("2 attempts, delay 1 s, or as the failure says");
    }
}
