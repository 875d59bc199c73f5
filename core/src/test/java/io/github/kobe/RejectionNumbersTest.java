package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static io.github.kobe.TestKit.withoutEstimate;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.TestKit.BlockingTask;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Do the exception, the result and the listener have the reason and the numbers of a rejection? */
@Timeout(60)
class RejectionNumbersTest {

    /** 2 of 2 permits are in use, and 1 of 1 tasks is queued. */
    private static final Rejection FULL = new Rejection(RejectionReason.GROUP_QUEUE_FULL, 2, 1, 2, 1, Duration.ZERO);

    private final Queue<Rejection> rejections = new ConcurrentLinkedQueue<>();

    private final TaskLifecycleListener listener = new TaskLifecycleListener() {
        @Override
        public void onRejected(TaskIdentity task, Rejection rejection) {
            rejections.add(rejection);
        }
    };

    private GroupExecutor executorWith(UnaryOperator<GroupPolicy.Builder> settings) {
        return executor(b -> settings.apply(b.defaultMaxConcurrencyPerGroup(2)
                .defaultQueueThresholdPerGroup(1)
                .maxBlockTime(Duration.ofMillis(5))
                .taskLifecycleListener(listener)));
    }

    private static TaskHandle<String> fill(GroupExecutor executor) {
        BlockingTask.in(executor, "g");
        BlockingTask.in(executor, "g");
        return executor.submit("g", "waits", () -> "ran");
    }

    private static Rejection thrownBy(TaskHandle<?> handle) {
        RejectedTaskException e = catchThrowableOfType(RejectedTaskException.class, () -> resultOf(handle));
        assertThat(e.getMessage()).endsWith("rejected: " + e.rejection());
        assertThat(e.reason()).isEqualTo(e.rejection().reason());
        return e.rejection();
    }

    private static Rejection withoutWaiting(@Nullable Rejection rejection) {
        assertThat(rejection).isNotNull();
        return new Rejection(
                rejection.reason(),
                rejection.active(),
                rejection.queued(),
                rejection.limit(),
                rejection.queueCapacity(),
                Duration.ZERO);
    }

    @Test
    void abortThrowsTheNumbers() {
        try (GroupExecutor executor = executorWith(b -> b)) {
            fill(executor);
            Rejection thrown = thrownBy(executor.submit("g", "t", () -> "ran"));
            assertThat(withoutEstimate(thrown)).isEqualTo(FULL);
            assertThat(rejections).containsExactly(thrown);
        }
    }

    @Test
    void exceptionHasTheTagOfTheTask() {
        try (GroupExecutor executor = executorWith(b -> b)) {
            fill(executor);
            TaskHandle<String> handle = executor.submit(
                    "g", "t", () -> "ran", TaskOptions.builder().tag("mail").build());
            RejectedTaskException e = catchThrowableOfType(RejectedTaskException.class, () -> resultOf(handle));
            assertThat(e.tag()).isEqualTo("mail");
            assertThat(withoutEstimate(e.rejection())).isEqualTo(FULL);
            assertThat(e).hasMessage("task 't' of group 'g' [mail] rejected: " + e.rejection());
            assertThat(executor.groupStats("g").orElseThrow().completedByTag()).isEqualTo(Map.of("mail", 1L));
        }
    }

    @Test
    void discardPutsTheNumbersIntoTheResult() {
        try (GroupExecutor executor = executorWith(b -> b.rejectionPolicy(RejectionPolicy.DISCARD))) {
            fill(executor);
            Rejection rejection =
                    resultOf(executor.submit("g", "t", () -> "ran")).rejection();
            assertThat(withoutEstimate(rejection)).isEqualTo(FULL);
            assertThat(rejections).containsExactly(rejection);
        }
    }

    @Test
    void blockAddsTheBlockedTime() {
        try (GroupExecutor executor = executorWith(b -> b.rejectionPolicy(RejectionPolicy.BLOCK))) {
            fill(executor);
            Rejection thrown = thrownBy(executor.submit("g", "t", () -> "ran"));
            assertThat(withoutWaiting(thrown)).isEqualTo(FULL);
            assertThat(thrown.waited()).isGreaterThanOrEqualTo(Duration.ofMillis(5));
            assertThat(rejections).containsExactly(thrown);
        }
    }

    @Test
    void discardOldestGivesTheNumbersToTheDisplacedTask() {
        try (GroupExecutor executor = executorWith(b -> b.rejectionPolicy(RejectionPolicy.DISCARD_OLDEST))) {
            TaskHandle<String> oldest = fill(executor);
            executor.submit("g", "t", () -> "ran");
            Rejection rejection = resultOf(oldest).rejection();
            assertThat(withoutWaiting(rejection)).isEqualTo(FULL);
            assertThat(rejection.waited()).isPositive();
            assertThat(rejections).containsExactly(rejection);
        }
    }

    @Test
    void callerRunsRejectsNothing() {
        try (GroupExecutor executor = executorWith(b -> b.rejectionPolicy(RejectionPolicy.CALLER_RUNS))) {
            fill(executor);
            GroupResult<String> result = resultOf(executor.submit("g", "t", () -> "ran"));
            assertThat(result.value()).isEqualTo("ran");
            assertThat(result.rejection()).isNull();
            assertThat(rejections).isEmpty();
            assertThat(executor.stats().counts().rejected()).isZero();
        }
    }

    @Test
    void listenerIsGivenTheNumbersEvenIfAHandlerDecides() {
        RejectionHandler handler = new RejectionHandler() {
            @Override
            public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
                return GroupResult.rejected(groupKey, taskId);
            }
        };
        try (GroupExecutor executor = executorWith(b -> b.rejectionHandler(handler))) {
            fill(executor);
            assertThat(resultOf(executor.submit("g", "t", () -> "ran")).status())
                    .isEqualTo(TaskStatus.REJECTED);
            assertThat(rejections)
                    .hasSize(1)
                    .allSatisfy(
                            rejection -> assertThat(withoutEstimate(rejection)).isEqualTo(FULL));
            assertThat(executor.stats().counts().rejectedByReason())
                    .isEqualTo(Map.of(RejectionReason.GROUP_QUEUE_FULL, 1L));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = RejectionPolicy.class,
            mode = Mode.INCLUDE,
            names = {"ABORT", "DISCARD", "BLOCK"})
    void executeAllListsTheNumbersUnderEachPolicy(RejectionPolicy policy) {
        try (GroupExecutor executor = executorWith(b -> b.rejectionPolicy(policy))) {
            fill(executor);
            List<GroupResult<String>> results = executor.executeAll(List.of(new GroupTask<>("g", "t", () -> "ran")));
            assertThat(withoutWaiting(results.getFirst().rejection())).isEqualTo(FULL);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = RejectionPolicy.class,
            mode = Mode.INCLUDE,
            names = {"ABORT", "BLOCK", "DISCARD_OLDEST"})
    void fullGlobalQueueGivesTheNumbersOfAllGroups(RejectionPolicy policy) {
        try (GroupExecutor executor =
                executorWith(b -> b.rejectionPolicy(policy).globalMaxInFlight(3).globalQueueThreshold(1))) {
            fill(executor);
            BlockingTask.in(executor, "h");
            Rejection thrown = thrownBy(executor.submit("i", "t", () -> "ran"));
            Rejection expected = new Rejection(RejectionReason.GLOBAL_QUEUE_FULL, 3, 1, 3, 1, Duration.ZERO);
            assertThat(withoutWaiting(thrown)).isEqualTo(expected);
            assertThat(rejections).containsExactly(thrown);
            assertThat(executor.groupStats("i").orElseThrow().counts().rejectedByReason())
                    .isEqualTo(Map.of(RejectionReason.GLOBAL_QUEUE_FULL, 1L));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = RejectionPolicy.class,
            mode = Mode.INCLUDE,
            names = {"ABORT", "BLOCK"})
    void pausedGroupGivesTheReasonPaused(RejectionPolicy policy) {
        try (GroupExecutor executor = executorWith(b -> b.rejectionPolicy(policy))) {
            fill(executor);
            executor.pauseGroup("g");
            Rejection thrown = thrownBy(executor.submit("g", "t", () -> "ran"));
            assertThat(withoutWaiting(thrown))
                    .isEqualTo(new Rejection(RejectionReason.PAUSED, 2, 1, 2, 1, Duration.ZERO));
            assertThat(rejections).containsExactly(thrown);
        }
    }

    @Test
    void expiredTaskGivesItsQueueTime() {
        Duration patience = Duration.ofMillis(3);
        try (GroupExecutor executor = executorWith(b -> b)) {
            BlockingTask first = BlockingTask.in(executor, "g");
            BlockingTask.in(executor, "g");
            TaskHandle<String> handle = executor.submit(
                    "g",
                    "t",
                    () -> "ran",
                    TaskOptions.builder().maxQueueTime(patience).build());
            Rejection rejection = resultOf(handle).rejection();
            assertThat(withoutWaiting(rejection))
                    .isEqualTo(new Rejection(RejectionReason.EXPIRED, 2, 0, 2, 1, Duration.ZERO));
            assertThat(rejection.waited()).isGreaterThanOrEqualTo(patience);
            assertThat(rejections).containsExactly(rejection);
            first.release();
            eventually(() -> assertThat(executor.stats().totalActiveCount()).isEqualTo(1));
        }
    }

    @Test
    void liveLimitsAreInTheNumbers() {
        try (GroupExecutor executor = executorWith(b -> b.rejectionPolicy(RejectionPolicy.DISCARD))) {
            BlockingTask running = BlockingTask.interruptible();
            executor.setMaxConcurrency("g", 1);
            executor.setQueueThreshold("g", 0);
            executor.submit("g", "running", running);
            await(running.started);
            assertThat(withoutEstimate(
                            resultOf(executor.submit("g", "t", () -> "ran")).rejection()))
                    .isEqualTo(new Rejection(RejectionReason.GROUP_QUEUE_FULL, 1, 0, 1, 0, Duration.ZERO));
        }
    }
}
