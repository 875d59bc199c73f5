package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Does every null argument throw an exception that names the parameter? */
@Timeout(60)
class NullArgumentsTest {

    private static final GroupExecutor EXECUTOR = TestKit.executor(b -> b);
    private static final GroupPolicy POLICY = GroupPolicy.builder().build();
    private static final Callable<String> TASK = () -> "ran";
    private static final Duration ZERO = Duration.ZERO;

    @AfterAll
    static void close() {
        EXECUTOR.close();
    }

    private static Arguments row(String parameter, ThrowingCallable call) {
        return Arguments.of(parameter, call);
    }

    static Stream<Arguments> executor() {
        return Stream.of(
                row("policy", () -> GroupExecutor.newVirtualThreadExecutor(null)),
                row("groupKey", () -> EXECUTOR.submit(null, "t", TASK)),
                row("taskId", () -> EXECUTOR.submit("g", null, TASK)),
                row("task", () -> EXECUTOR.submit("g", "t", (Callable<?>) null)),
                row("tasks", () -> EXECUTOR.executeAll(null)),
                row("groupKey", () -> EXECUTOR.asExecutorService(null)),
                row("groupKey", () -> EXECUTOR.shutdownGroup(null)),
                row("groupKey", () -> EXECUTOR.evictGroup(null)),
                row("timeout", () -> EXECUTOR.shutdown(null)),
                row("groupKey", () -> EXECUTOR.groupStats(null)));
    }

    static Stream<Arguments> policy() {
        return Stream.of(
                row("perGroupMaxConcurrency", () -> GroupPolicy.builder().perGroupMaxConcurrency(null)),
                row("concurrencyResolver", () -> GroupPolicy.builder().concurrencyResolver(null)),
                row("perGroupMaxInFlight", () -> GroupPolicy.builder().perGroupMaxInFlight(null)),
                row("perGroupQueueThreshold", () -> GroupPolicy.builder().perGroupQueueThreshold(null)),
                row("rejectionPolicy", () -> GroupPolicy.builder().rejectionPolicy(null)),
                row("rejectionHandler", () -> GroupPolicy.builder().rejectionHandler(null)),
                row("taskLifecycleListener", () -> GroupPolicy.builder().taskLifecycleListener(null)),
                row("idleGroupTtl", () -> GroupPolicy.builder().idleGroupTtl(null)),
                row("perGroupWeight", () -> GroupPolicy.builder().perGroupWeight(null)),
                row("weightResolver", () -> GroupPolicy.builder().weightResolver(null)),
                row("fairnessPolicy", () -> GroupPolicy.builder().fairnessPolicy(null)),
                row("maxBlockTime", () -> GroupPolicy.builder().maxBlockTime(null)),
                row("groupKey", () -> POLICY.resolveWeight(null)),
                row("groupKey", () -> POLICY.resolveConcurrency(null)),
                row("groupKey", () -> POLICY.resolveMaxInFlight(null)),
                row("groupKey", () -> POLICY.resolveQueueThreshold(null)));
    }

    static Stream<Arguments> records() {
        return Stream.of(
                row("groupKey", () -> new GroupTask<>(null, "t", TASK)),
                row("taskId", () -> new GroupTask<>("g", null, TASK)),
                row("task", () -> new GroupTask<>("g", "t", null)),
                row("options", () -> new GroupTask<>("g", "t", TASK, null)),
                row("groupKey", () -> GroupResult.success(null, "t", "value", 0, 0)),
                row("taskId", () -> GroupResult.rejected("g", null)),
                row("status", () -> new GroupResult<>("g", "t", null, null, null, 0, 0)),
                row("waited", () -> new GroupResult<>("g", "t", TaskStatus.SUCCESS, null, null, 0, 0, null, null, 1)),
                row("error", () -> GroupResult.failed("g", "t", null, 0, 0)),
                row("groupKey", () -> new RejectedTaskException(null, "t", "why")),
                row("taskId", () -> new RejectedTaskException("g", null, "why")),
                row("rejection", () -> GroupResult.rejected("g", "t", null)),
                row("reason", () -> new Rejection(null, 0, 0, 1, 1, ZERO)),
                row("waited", () -> new Rejection(RejectionReason.EXPIRED, 0, 0, 1, 1, null)),
                row("limitedBy", () -> TestKit.rejection(RejectionReason.EXPIRED, null, 0, 0, 1, 1, ZERO, ZERO)),
                row(
                        "estimatedWait",
                        () -> TestKit.rejection(RejectionReason.EXPIRED, LimitKind.GLOBAL, 0, 0, 1, 1, ZERO, null)),
                row("rejectedByReason", () -> new TaskCounts(0, 0, 0, 0, 0, 0, null)),
                row("rejectedByReason", () -> new TaskCounts(0, 0, 0, 0, 0, 0, nullFor(RejectionReason.PAUSED))),
                row("rejectedByReason", () -> new TaskCounts(0, 0, 0, 0, 0, 0, nullFor(null))),
                row("other", () -> TaskCounts.none().plus(null)),
                row("other", () -> TimeStats.none().merge(null)));
    }

    private static Map<RejectionReason, Long> nullFor(RejectionReason reason) {
        Map<RejectionReason, Long> map = new HashMap<>();
        map.put(reason, null);
        return map;
    }

    static Stream<Arguments> exceptions() {
        Rejection why = new Rejection(RejectionReason.EXPIRED, 0, 0, 1, 1, ZERO);
        return Stream.of(
                row("groupKey", () -> new RejectedTaskException(null, "t", why)),
                row("taskId", () -> new RejectedTaskException("g", null, why)),
                row("tag", () -> new RejectedTaskException("g", "t", null, why)),
                row("rejection", () -> new RejectedTaskException("g", "t", (Rejection) null)),
                row("groupKey", () -> new TaskTimeoutException(null, "t", "", ZERO, ZERO, ZERO)),
                row("taskId", () -> new TaskTimeoutException("g", null, "", ZERO, ZERO, ZERO)),
                row("tag", () -> new TaskTimeoutException("g", "t", null, ZERO, ZERO, ZERO)),
                row("timeout", () -> new TaskTimeoutException("g", "t", "", null, ZERO, ZERO)),
                row("waited", () -> new TaskTimeoutException("g", "t", "", ZERO, null, ZERO)),
                row("ran", () -> new TaskTimeoutException("g", "t", "", ZERO, ZERO, null)));
    }

    static Stream<Arguments> options() {
        return Stream.of(
                row("timeout", () -> TaskOptions.builder().timeout(null)),
                row("attemptTimeout", () -> TaskOptions.builder().attemptTimeout(null)),
                row("maxQueueTime", () -> TaskOptions.builder().maxQueueTime(null)),
                row("retry", () -> TaskOptions.builder().retry(null)),
                row("recovery", () -> TaskOptions.builder().recovery(null)),
                row("tag", () -> TaskOptions.builder().tag(null)),
                row("delay", () -> RetryPolicy.fixedDelay(2, null)),
                row("initial", () -> RetryPolicy.exponentialBackoff(2, null, 2, ZERO)),
                row("max", () -> RetryPolicy.exponentialBackoff(2, ZERO, 2, null)),
                row("retryIf", () -> RetryPolicy.noRetry().retryIf(null)),
                row("delayFrom", () -> RetryPolicy.noRetry().delayFrom(null)),
                row("retryOnResult", () -> RetryPolicy.noRetry().retryOnResult(null)),
                row("delay", () -> RetryPolicy.builder().delay(null)),
                row("retryIf", () -> RetryPolicy.builder().retryIf(null)),
                row("next", () -> new TaskLifecycleListener() {}.andThen(null)));
    }

    static Stream<Arguments> handle() {
        TaskHandle<String> handle = EXECUTOR.submit("g", "t", TASK);
        return Stream.of(
                row("timeout", () -> handle.get(null)),
                row("unit", () -> handle.await(1, null)),
                row("unit", () -> handle.join(1, null)),
                row("unit", () -> handle.future().get(1, null)));
    }

    @ParameterizedTest(name = "{index}: {0}")
    @MethodSource({"executor", "policy", "records", "exceptions", "options", "handle"})
    void nullArgumentThrowsWithTheNameOfTheParameter(String parameter, ThrowingCallable call) {
        assertThatNullPointerException().isThrownBy(call).withMessageContaining(parameter);
    }

    @Test
    void nullInAMapThrowsWithItsKey() {
        Map<String, Integer> map = new HashMap<>();
        map.put("odd", null);
        assertThatNullPointerException()
                .isThrownBy(() -> GroupPolicy.builder().perGroupMaxInFlight(map))
                .withMessageContaining("perGroupMaxInFlight[odd]");
        Map<String, Integer> nullKey = new HashMap<>();
        nullKey.put(null, 1);
        assertThatNullPointerException()
                .isThrownBy(() -> GroupPolicy.builder().perGroupQueueThreshold(nullKey))
                .withMessageContaining("perGroupQueueThreshold");
    }

    @Test
    void nullTaskThrowsWithItsIndexBeforeAnyTaskRuns() {
        AtomicInteger runs = new AtomicInteger();
        List<GroupTask<Integer>> tasks =
                new ArrayList<>(Arrays.asList(new GroupTask<>("n", "t", runs::incrementAndGet), null));
        assertThatNullPointerException()
                .isThrownBy(() -> EXECUTOR.executeAll(tasks))
                .withMessageContaining("tasks[1]");
        assertThat(TestKit.resultOf(EXECUTOR.submit("n", "after", runs::get)).value())
                .isZero();
    }

    @Test
    void waitingWithAUnitStillWorks() throws Exception {
        assertThat(EXECUTOR.submit("g", "t", TASK).await(30, TimeUnit.SECONDS).value())
                .isEqualTo("ran");
    }
}
