package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.CurrentStats;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A thread that holds a permit of a group does not need a second one. */
@Timeout(60)
class ReentrantPermitTest {

    private static GroupExecutor executor(int limit) {
        return TestKit.executor(policy -> policy.defaultMaxConcurrencyPerGroup(limit));
    }

    private static int active(GroupExecutor executor, String key) {
        return executor.groupStats(key).orElseThrow().activeCount();
    }

    @Test
    void callInCallOfTheSameGroupSharesThePermit() throws Exception {
        try (GroupExecutor executor = executor(1)) {
            int active = executor.call("a", () -> executor.call("a", () -> active(executor, "a")));
            assertThat(active).isEqualTo(1);
            assertThat(active(executor, "a")).isZero();
        }
    }

    @Test
    void callInATaskOfTheGroupSharesItsPermit() {
        try (GroupExecutor executor = executor(1)) {
            TaskHandle<Integer> handle =
                    executor.submit("a", "1", () -> executor.call("a", () -> active(executor, "a")));
            assertThat(TestKit.resultOf(handle).value()).isEqualTo(1);
            assertThat(active(executor, "a")).isZero();
        }
    }

    @Test
    void acquireAndTryAcquireShareAsWell() throws Exception {
        try (GroupExecutor executor = executor(1);
                Permit outer = executor.acquire("a");
                Permit inner = executor.acquire("a");
                Permit tried = executor.tryAcquire("a", Duration.ZERO).permit()) {
            assertThat(active(executor, "a")).isEqualTo(1);
        }
    }

    @Test
    void thePermitIsReleasedByTheLastClose() throws Exception {
        try (GroupExecutor executor = executor(1)) {
            Permit outer = executor.acquire("a");
            Permit inner = executor.acquire("a");
            outer.close();
            BlockingTask next = BlockingTask.interruptible();
            TaskHandle<String> queued = executor.submit("a", "next", next);
            assertThat(active(executor, "a")).isEqualTo(1);
            assertThat(executor.groupStats("a").orElseThrow().queuedCount()).isEqualTo(1);
            Caller.of(() -> {
                        inner.close();
                        return true;
                    })
                    .result();
            TestKit.await(next.started);
            next.release();
            assertThat(TestKit.resultOf(queued).isSuccess()).isTrue();
            assertThat(active(executor, "a")).isZero();
        }
    }

    @Test
    void aPermitThatWasAcquiredInATaskOutlivesTheTask() {
        try (GroupExecutor executor = executor(1)) {
            AtomicReference<Permit> kept = new AtomicReference<>();
            TestKit.resultOf(executor.submit("a", "1", () -> {
                kept.set(executor.acquire("a"));
                return 1;
            }));
            assertThat(active(executor, "a")).isEqualTo(1);
            TaskHandle<Integer> next = executor.submit("a", "2", () -> 2);
            assertThat(executor.groupStats("a").orElseThrow().queuedCount()).isEqualTo(1);
            kept.get().close();
            assertThat(TestKit.resultOf(next).value()).isEqualTo(2);
        }
    }

    @Test
    void holdsIsTrueForTheThreadThatHasThePermitAndForNoOther() throws Exception {
        try (GroupExecutor executor = executor(1);
                GroupExecutor other = executor(1)) {
            assertThat(executor.holds("a")).isFalse();
            try (Permit permit = executor.acquire("a")) {
                assertThat(executor.holds("a")).isTrue();
                assertThat(executor.holds("b")).isFalse();
                assertThat(other.holds("a")).isFalse();
                assertThat(Caller.of(() -> executor.holds("a")).result()).isFalse();
            }
            assertThat(executor.holds("a")).isFalse();
            assertThat(TestKit.resultOf(executor.submit("a", "1", () -> executor.holds("a")))
                            .value())
                    .isTrue();
            assertThat(TestKit.resultOf(executor.submit("b", "1", () -> executor.holds("a")))
                            .value())
                    .isFalse();
        }
    }

    @Test
    void aDetachedPermitIsNotShared() throws Exception {
        try (GroupExecutor executor = executor(2);
                Permit first = executor.acquire("a").detach();
                Permit second = executor.acquire("a")) {
            assertThat(active(executor, "a")).isEqualTo(2);
            second.detach();
            assertThat(executor.holds("a")).isFalse();
            assertThat(executor.tryAcquire("a", Duration.ZERO).isGranted()).isFalse();
            first.close();
            assertThat(active(executor, "a")).isEqualTo(1);
        }
    }

    @Test
    void aPermitThatAnotherThreadClosedIsNotHeldAnyMore() throws Exception {
        try (GroupExecutor executor = executor(1)) {
            Permit permit = executor.acquire("a");
            Caller.of(() -> {
                        permit.close();
                        return true;
                    })
                    .result();
            assertThat(executor.holds("a")).isFalse();
            try (Permit next = executor.acquire("a")) {
                assertThat(active(executor, "a")).isEqualTo(1);
            }
            assertThat(active(executor, "a")).isZero();
        }
    }

    @Test
    void aTaskThatRunsOnItsCallerWithoutAPermitHoldsNone() throws Exception {
        try (GroupExecutor executor = TestKit.executor(policy -> policy.defaultMaxConcurrencyPerGroup(1)
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.CALLER_RUNS))) {
            BlockingTask blocker = BlockingTask.in(executor, "a");
            assertThat(executor.call("a", () -> executor.holds("a"))).isFalse();
            blocker.release();
        }
    }

    @Test
    void anotherGroupNeedsNoSecondGlobalPermit() throws Exception {
        try (GroupExecutor executor = TestKit.executor(policy ->
                policy.defaultMaxConcurrencyPerGroup(1).globalMaxInFlight(1).globalQueueThreshold(0))) {
            int inFlight = executor.call(
                    "a", () -> executor.call("b", () -> executor.stats().globalInFlightUsed()));
            assertThat(inFlight).isEqualTo(1);
            TaskHandle<Integer> inTask = executor.submit("a", "1", () -> executor.call("b", () -> 7));
            assertThat(TestKit.resultOf(inTask).value()).isEqualTo(7);
            assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(2, 0, 0, 0, 1));
        }
    }

    @Test
    void aCallForAnotherGroupWaitsForThatGroupOnly() throws Exception {
        try (GroupExecutor executor = TestKit.executor(
                policy -> policy.defaultMaxConcurrencyPerGroup(1).globalMaxInFlight(2))) {
            BlockingTask inB = BlockingTask.in(executor, "b");
            CountDownLatch calling = new CountDownLatch(1);
            TaskHandle<Integer> inTask = executor.submit("a", "1", () -> {
                calling.countDown();
                return executor.call("b", () -> executor.stats().globalInFlightUsed());
            });
            TestKit.await(calling);
            TestKit.eventually(
                    () -> assertThat(executor.groupStats("b").orElseThrow().queuedCount())
                            .isEqualTo(1));
            BlockingTask inC = BlockingTask.interruptible(); // gets the global permit of the task in b
            executor.submit("c", "1", inC);
            inB.release();
            TestKit.await(inC.started);
            assertThat(TestKit.resultOf(inTask).value()).isEqualTo(2);
            inC.release();
            TestKit.eventually(
                    () -> assertThat(executor.stats().globalInFlightUsed()).isZero());
        }
    }

    @Test
    void aNestedCallAfterAShutdownIsRejected() throws Exception {
        GroupExecutor executor = executor(1);
        Permit permit = executor.acquire("a");
        executor.shutdown();
        assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> executor.acquire("a")))
                .isNotNull();
        permit.close();
    }

    @Test
    void nestedCallsAreCountedAsCalls() throws Exception {
        try (GroupExecutor executor = executor(1)) {
            executor.call("a", () -> executor.call("a", () -> 1));
            assertThat(executor.groupStats("a").orElseThrow().counts().succeeded())
                    .isEqualTo(2);
        }
    }
}
