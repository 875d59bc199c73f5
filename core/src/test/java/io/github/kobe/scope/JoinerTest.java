package io.github.kobe.scope;

import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.scope.ScopeKit.LONG;
import static io.github.kobe.scope.ScopeKit.SHORT;
import static io.github.kobe.scope.ScopeKit.blocker;
import static io.github.kobe.scope.ScopeKit.failing;
import static io.github.kobe.scope.ScopeKit.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is the result of a join, and are the losing tasks cancelled? */
@Timeout(60)
class JoinerTest {

    private final ThreadScope scope = ThreadScope.open();
    private final IOException fault = new IOException("x");
    private final BlockingTask slow = BlockingTask.interruptible();

    @AfterEach
    void close() {
        scope.close();
    }

    /** A task that wins after the slow task has started, so that there is a loser to interrupt. */
    private Callable<String> afterSlow(String value) {
        return () -> {
            TestKit.await(slow.started);
            return value;
        };
    }

    // ---- first success -------------------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void firstSuccessReturnsTheFirstOnEveryScheduler(Scheduler scheduler) {
        try (ThreadScope other = ThreadScope.open().withScheduler(scheduler)) {
            assertThat(other.joiner().<String>firstSuccess(failing(fault), value("a")))
                    .isEqualTo("a");
        }
    }

    @Test
    void firstSuccessCancelsTheLosersBeforeItReturns() {
        assertThat(scope.joiner().<String>firstSuccess(slow, afterSlow("quick")))
                .isEqualTo("quick");
        assertThat(scope.metrics().cancelled()).isEqualTo(1);
        assertThat(scope.metrics().succeeded()).isEqualTo(1);
        TestKit.await(slow.interrupted);
    }

    @Test
    void firstSuccessMayBeNull() {
        assertThat(scope.joiner().<String>firstSuccess(() -> null)).isNull();
    }

    @Test
    void firstSuccessFailsWithAllFailuresIfAllFail() {
        RuntimeException other = new IllegalStateException("y");
        Throwable thrown = catchThrowable(() -> scope.joiner().firstSuccess(failing(fault), failing(other)));
        assertThat(thrown)
                .isInstanceOfSatisfying(
                        AggregateException.class,
                        e -> assertThat(e.failures()).containsExactlyInAnyOrder(fault, other));
        assertThat(thrown).hasMessageContaining(scope.id());
    }

    @Test
    void firstSuccessOfNoTasksThrows() {
        assertThatIllegalArgumentException().isThrownBy(() -> scope.joiner().firstSuccess());
    }

    // ---- quorum --------------------------------------------------------------------------------------------------

    @Test
    void quorumReturnsTheRequiredNumberAndCancelsTheRest() {
        List<String> values = scope.joiner().quorum(2, slow, afterSlow("a"), afterSlow("b"));
        assertThat(values).containsExactlyInAnyOrder("a", "b");
        assertThat(scope.metrics().cancelled()).isEqualTo(1);
        TestKit.await(slow.interrupted);
    }

    @Test
    void quorumContinuesWhileItIsReachable() {
        CountDownLatch failed = new CountDownLatch(1);
        Callable<String> failing = () -> {
            failed.countDown();
            throw fault;
        };
        Callable<String> late = () -> {
            TestKit.await(failed);
            return "b";
        };
        assertThat(scope.joiner().quorum(2, value("a"), failing, late)).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void unreachableQuorumFailsAtOnceAndCancelsTheRest() {
        assertThatThrownBy(() -> scope.joiner().quorum(3, slow, failing(fault), value("a")))
                .isInstanceOfSatisfying(
                        AggregateException.class, e -> assertThat(e.failures()).containsExactly(fault));
        eventually(() -> assertThat(scope.metrics().completed()).isEqualTo(3));
        assertThat(scope.metrics().succeeded()).isLessThanOrEqualTo(1);
    }

    @Test
    void quorumLargerThanTheNumberOfTasksThrows() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> scope.joiner().quorum(2, value("a")))
                .withMessageContaining("quorum(2)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> scope.joiner().quorum(0, value("a")))
                .withMessageContaining("n");
    }

    // ---- hedged --------------------------------------------------------------------------------------------------

    @Test
    void hedgedDoesNotStartTheBackupsIfTheFirstIsFast() {
        AtomicInteger backups = new AtomicInteger();
        assertThat(scope.joiner().<Object>hedged(LONG, value("primary"), backups::incrementAndGet))
                .isEqualTo("primary");
        assertThat(backups).hasValue(0);
        assertThat(scope.metrics().completed()).isEqualTo(1);
    }

    @Test
    void hedgedStartsTheBackupsAfterTheDelayAndCancelsTheLosers() {
        assertThat(scope.joiner().<String>hedged(SHORT, slow, afterSlow("backup")))
                .isEqualTo("backup");
        TestKit.await(slow.interrupted);
        assertThat(scope.metrics().cancelled()).isEqualTo(1);
    }

    @Test
    void hedgedStartsTheBackupsAtOnceIfTheFirstFails() {
        assertThat(scope.joiner().<String>hedged(LONG, failing(fault), value("backup")))
                .isEqualTo("backup");
    }

    @Test
    void hedgedPrimaryMayWinAfterTheBackupsHaveStarted() {
        BlockingTask backup = BlockingTask.interruptible();
        Callable<String> primary = () -> {
            TestKit.await(backup.started);
            return "primary";
        };
        assertThat(scope.joiner().<String>hedged(SHORT, primary, backup)).isEqualTo("primary");
        TestKit.await(backup.interrupted);
    }

    @Test
    void hedgedFailsWithAllFailures() {
        RuntimeException other = new IllegalStateException("y");
        assertThatThrownBy(() -> scope.joiner().hedged(LONG, failing(fault), failing(other)))
                .isInstanceOfSatisfying(
                        AggregateException.class, e -> assertThat(e.failures()).containsExactly(fault, other));
    }

    @Test
    void hedgedWithoutABackupOrADelayThrows() {
        assertThatIllegalArgumentException().isThrownBy(() -> scope.joiner().hedged(LONG, value("a")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> scope.joiner().hedged(Duration.ZERO, value("a"), value("b")))
                .withMessageContaining("delay");
    }

    @Test
    void hugeHedgeDelayNeverElapses() {
        assertThat(scope.joiner().<String>hedged(Duration.ofSeconds(Long.MAX_VALUE), value("primary"), value("backup")))
                .isEqualTo("primary");
    }

    // ---- all of them ---------------------------------------------------------------------------------------------

    @Test
    void strategiesCanBeGivenToJoin() {
        assertThat(scope.<String, String>join(JoinStrategy.firstSuccess(), value("a")))
                .isEqualTo("a");
        assertThat(scope.<String, List<String>>join(JoinStrategy.quorum(1), List.of(value("a"))))
                .containsExactly("a");
        assertThat(scope.<String, String>join(JoinStrategy.hedged(LONG), value("a"), value("b")))
                .isEqualTo("a");
        assertThat(JoinStrategy.quorum(2)).hasToString("quorum(2)");
        assertThat(JoinStrategy.firstSuccess()).hasToString("firstSuccess");
        assertThat(JoinStrategy.hedged(LONG)).hasToString("hedged(PT1H)");
    }

    @Test
    void otherTasksOfTheScopeAreNotAffected() {
        BlockingTask other = blocker(scope);
        scope.joiner().firstSuccess(value("a"), value("b"));
        assertThat(other.wasInterrupted()).isFalse();
    }

    @Test
    void underALimitTheyAreQueuedAndTheCallerIsNotBlockedBySubmission() {
        try (ThreadScope one = ThreadScope.open().withConcurrencyLimit(1)) {
            assertThat(one.joiner().quorum(3, value("a"), value("b"), value("c")))
                    .hasSize(3);
        }
    }

    @Test
    void cancellingTheScopeCancelsThem() throws Exception {
        Caller<Throwable> caller =
                Caller.of(() -> catchThrowable(() -> scope.joiner().firstSuccess(slow)));
        TestKit.await(slow.started);
        scope.token().cancel();
        assertThat(caller.result()).isInstanceOf(CancelledException.class).hasMessageContaining("firstSuccess");
    }

    @Test
    void interruptedCallerCancelsThemAndKeepsItsInterruptFlag() throws Exception {
        AtomicBoolean flag = new AtomicBoolean();
        Caller<Throwable> caller = Caller.of(() -> {
            Throwable thrown = catchThrowable(() -> scope.joiner().firstSuccess(slow));
            flag.set(Thread.currentThread().isInterrupted());
            return thrown;
        });
        TestKit.await(slow.started);
        caller.interruptWhenWaiting();
        assertThat(caller.result()).isInstanceOf(CancelledException.class);
        assertThat(flag).isTrue();
        TestKit.await(slow.interrupted);
    }

    @Test
    void manyConcurrentJoinsInOneScope() throws Exception {
        List<Caller<String>> callers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            String mine = "v" + i;
            callers.add(Caller.of(() -> {
                for (int j = 0; j < 50; j++) {
                    assertThat(scope.joiner().<String>firstSuccess(value(mine), failing(fault), value(mine)))
                            .isEqualTo(mine);
                }
                return mine;
            }));
        }
        for (int i = 0; i < 8; i++) {
            assertThat(callers.get(i).result()).isEqualTo("v" + i);
        }
    }

    @Test
    void tasksMayBePassedAsACollection() {
        List<Callable<String>> ways = List.of(() -> "a", () -> "a");
        try (ThreadScope scope = ThreadScope.open()) {
            assertThat(scope.joiner().firstSuccess(ways)).isEqualTo("a");
            assertThat(scope.joiner().quorum(2, ways)).containsExactly("a", "a");
            assertThat(scope.joiner().join(JoinStrategy.<String>firstSuccess(), ways))
                    .isEqualTo("a");
            assertThat(scope.joiner().join(JoinStrategy.<String>quorum(1), () -> "a"))
                    .containsExactly("a");
        }
    }
}
