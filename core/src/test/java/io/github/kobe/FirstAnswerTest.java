package io.github.kobe;

import static io.github.kobe.TestKit.PATIENCE;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.internal.kernel.TestLeases;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Does the first caller of a group whose limit is shared with other JVMs wait for the first answer of the owner of the permits, instead of being
 * rejected?
 */
@Timeout(60)
class FirstAnswerTest {

    private static final Duration LONG = PATIENCE.multipliedBy(2);
    private static final int NO_LIMIT = Integer.MAX_VALUE;

    private final TestLeases leases = new TestLeases();

    private GroupExecutor executor(UnaryOperator<GroupPolicy.Builder> settings) {
        GroupPolicy.Builder policy = GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(2)
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.THROW);
        return SimGroups.leasing(settings.apply(policy).build(), leases);
    }

    private GroupExecutor executorThatWaits(UnaryOperator<GroupPolicy.Builder> settings) {
        leases.firstAnswerWithin(LONG);
        return executor(settings);
    }

    /** A call on a thread of its own. */
    private static final class Caller<T> {
        private final FutureTask<T> result;
        private final Thread thread;

        Caller(Callable<T> call) {
            result = new FutureTask<>(call);
            thread = Thread.ofPlatform().daemon().start(result);
        }

        void awaitWaiting() {
            eventually(() -> assertThat(thread.getState()).isEqualTo(Thread.State.TIMED_WAITING));
        }

        T result() throws Exception {
            try {
                return result.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                throw e.getCause() instanceof Exception cause ? cause : e;
            }
        }
    }

    @Test
    void submitterWaitsAndItsTaskRuns() throws Exception {
        try (GroupExecutor executor = executorThatWaits(b -> b)) {
            Caller<TaskHandle<String>> submitter = new Caller<>(() -> executor.submit("g", () -> "ran"));
            submitter.awaitWaiting();
            leases.lease("g", 1);
            assertThat(resultOf(submitter.result()).value()).isEqualTo("ran");
            assertThat(executor.stats().counts().submitted()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, NO_LIMIT})
    void callerThatMustNotWaitGetsThePermit(int queueThreshold) throws Exception {
        try (GroupExecutor executor = executorThatWaits(b -> b.defaultQueueThresholdPerGroup(queueThreshold))) {
            Caller<PermitResult> caller = new Caller<>(() -> executor.tryAcquire("g", Duration.ZERO));
            caller.awaitWaiting();
            leases.lease("g", 1);
            try (Permit permit = caller.result().permit()) {
                assertThat(permit.groupKey()).isEqualTo("g");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, NO_LIMIT})
    void futureGetsThePermitAndItsCallerDoesNotWait(int queueThreshold) throws Exception {
        try (GroupExecutor executor = executorThatWaits(b -> b.defaultQueueThresholdPerGroup(queueThreshold))) {
            CompletableFuture<Permit> future = executor.acquireAsync(
                    "g", PermitOptions.builder().maxWait(Duration.ZERO).build());
            assertThat(future).isNotDone();
            leases.lease("g", 1);
            future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
        }
    }

    @Test
    void futureThatIsCancelledMeanwhileGetsNothing() {
        try (GroupExecutor executor = executorThatWaits(b -> b)) {
            CompletableFuture<Permit> future = executor.acquireAsync("g");
            future.cancel(false);
            leases.lease("g", 1);
            eventually(() -> {
                assertThat(executor.stats().counts().cancelled()).isEqualTo(1);
                assertThat(executor.stats().totalActiveCount()).isZero();
            });
        }
    }

    @Test
    void callWaitsAndRuns() throws Exception {
        try (GroupExecutor executor = executorThatWaits(b -> b)) {
            Caller<String> caller = new Caller<>(() -> executor.call("g", () -> "called"));
            caller.awaitWaiting();
            leases.lease("g", 2);
            assertThat(caller.result()).isEqualTo("called");
        }
    }

    @Test
    void callerDoesNotRunTheTaskItselfBeforeTheAnswer() throws Exception {
        try (GroupExecutor executor = executorThatWaits(b -> b.rejectionPolicy(RejectionPolicy.CALLER_RUNS))) {
            Caller<Boolean> submitter = new Caller<>(() -> {
                Thread self = Thread.currentThread();
                return executor.submit("g", () -> Thread.currentThread() == self)
                        .get();
            });
            submitter.awaitWaiting();
            leases.lease("g", 1);
            assertThat(submitter.result()).isFalse();
        }
    }

    @Test
    void answerOfNoPermitsRejects() throws Exception {
        try (GroupExecutor executor = executorThatWaits(b -> b)) {
            Caller<TaskHandle<String>> submitter = new Caller<>(() -> executor.submit("g", () -> "ran"));
            submitter.awaitWaiting();
            leases.lease("g", 0);
            assertThatThrownBy(submitter::result).isInstanceOfSatisfying(RejectedTaskException.class, e -> {
                assertThat(e.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
                assertThat(e.rejection().waited()).isPositive();
            });
            assertThat(executor.stats().counts().submitted()).isEqualTo(1);
        }
    }

    @Test
    void nobodyWaitsAfterTheFirstAnswer() {
        try (GroupExecutor executor = executorThatWaits(b -> b)) {
            leases.lease("g", 0);
            assertThatThrownBy(() -> executor.submit("g", () -> "ran"))
                    .isInstanceOfSatisfying(
                            RejectedTaskException.class,
                            e -> assertThat(e.rejection().waited()).isZero());
        }
    }

    @Test
    void callersAreRejectedIfThereIsNoAnswerInTime() throws Exception {
        leases.firstAnswerWithin(Duration.ofMillis(1));
        try (GroupExecutor executor = executor(b -> b)) {
            assertThatThrownBy(() -> executor.submit("g", () -> "ran")).isInstanceOf(RejectedTaskException.class);
            assertThat(executor.tryAcquire("g", Duration.ZERO).rejection().reason())
                    .isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
            assertThatThrownBy(() -> executor.acquireAsync("g").get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .hasCauseInstanceOf(RejectedTaskException.class);
        }
    }

    @Test
    void answerToTheHintIsInTime() {
        leases.onWanted(key -> leases.lease(key, 1));
        try (GroupExecutor executor = executorThatWaits(b -> b)) {
            assertThat(resultOf(executor.submit("g", () -> "ran")).value()).isEqualTo("ran");
        }
    }

    @Test
    void groupThatRetiresWithItsRejectedTaskIsOpenedAgain() throws Exception {
        try (GroupExecutor executor = executorThatWaits(b -> b.idleGroupTtl(Duration.ZERO))) {
            Caller<TaskHandle<String>> submitter = new Caller<>(() -> executor.submit("g", () -> "ran"));
            submitter.awaitWaiting();
            leases.lease("g", 1);
            assertThat(resultOf(submitter.result()).value()).isEqualTo("ran");
        }
    }

    @Test
    void callersWaitForTheTotalLimitToo() throws Exception {
        leases.limitTotal(2);
        leases.lease("g", 2);
        try (GroupExecutor executor =
                executorThatWaits(b -> b.defaultQueueThresholdPerGroup(5).globalQueueThreshold(0))) {
            Caller<TaskHandle<String>> submitter = new Caller<>(() -> executor.submit("g", () -> "ran"));
            submitter.awaitWaiting();
            leases.leaseInTotal(1);
            assertThat(resultOf(submitter.result()).value()).isEqualTo("ran");
        }
    }

    @Test
    void interruptedSubmitterIsRejectedAndStaysInterrupted() throws Exception {
        try (GroupExecutor executor = executorThatWaits(b -> b)) {
            Caller<Boolean> submitter = new Caller<>(() -> {
                assertThatThrownBy(() -> executor.submit("g", () -> "ran")).isInstanceOf(RejectedTaskException.class);
                return Thread.interrupted();
            });
            submitter.awaitWaiting();
            submitter.thread.interrupt();
            assertThat(submitter.result()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, NO_LIMIT})
    void interruptedCallerGetsNoPermit(int queueThreshold) {
        try (GroupExecutor executor = executorThatWaits(b -> b.defaultQueueThresholdPerGroup(queueThreshold))) {
            Caller<PermitResult> caller = new Caller<>(() -> executor.tryAcquire("g", Duration.ZERO));
            caller.awaitWaiting();
            caller.thread.interrupt();
            assertThatThrownBy(caller::result).isInstanceOf(InterruptedException.class);
            leases.lease("g", 2);
            assertThat(executor.stats().totalActiveCount()).isZero();
            assertThat(executor.stats().counts().cancelled()).isEqualTo(1);
        }
    }

    @Test
    void shutdownWakesTheCaller() {
        GroupExecutor executor = executorThatWaits(b -> b);
        Caller<TaskHandle<String>> submitter = new Caller<>(() -> executor.submit("g", () -> "ran"));
        submitter.awaitWaiting();
        executor.shutdown();
        assertThatThrownBy(submitter::result).isInstanceOf(ExecutorShutdownException.class);
    }

    @Test
    void blockedSubmitterIsWokenByTheAnswer() throws Exception {
        try (GroupExecutor executor =
                executorThatWaits(b -> b.rejectionPolicy(RejectionPolicy.BLOCK).maxBlockTime(LONG))) {
            Caller<TaskHandle<String>> submitter = new Caller<>(() -> executor.submit("g", () -> "ran"));
            submitter.awaitWaiting();
            assertThat(executor.stats().blockedSubmitters()).isEqualTo(1);
            leases.lease("g", 1);
            assertThat(resultOf(submitter.result()).value()).isEqualTo("ran");
        }
    }

    @Test
    void callerThatMustNotWaitUnderBlockGetsThePermit() throws Exception {
        try (GroupExecutor executor =
                executorThatWaits(b -> b.rejectionPolicy(RejectionPolicy.BLOCK).maxBlockTime(LONG))) {
            Caller<PermitResult> caller = new Caller<>(() -> executor.tryAcquire("g", Duration.ZERO));
            caller.awaitWaiting();
            leases.lease("g", 1);
            caller.result().permit().close();
        }
    }

    @Test
    void limitThatIsNotLeasedLetsNobodyWait() throws Exception {
        try (GroupExecutor executor = TestKit.executor(b -> b.defaultQueueThresholdPerGroup(0))) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            assertThat(executor.tryAcquire("g", Duration.ZERO).rejection().waited())
                    .isZero();
            blocker.release();
        }
    }
}
