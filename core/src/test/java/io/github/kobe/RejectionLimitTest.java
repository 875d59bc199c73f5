package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static io.github.kobe.TestKit.withoutEstimate;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPool;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does a rejection name the limit that was in the way, with the true numbers of that limit, on every executor? */
@Timeout(60)
class RejectionLimitTest {

    private static Rejection rejection(
            RejectionReason reason, LimitKind limit, int active, int queued, int permits, int capacity) {
        return TestKit.rejection(reason, limit, active, queued, permits, capacity, Duration.ZERO, Duration.ZERO);
    }

    /** Without the times. */
    private static Rejection numbersOf(Rejection rejection) {
        return rejection(
                rejection.reason(),
                rejection.limitedBy(),
                rejection.active(),
                rejection.queued(),
                rejection.limit(),
                rejection.queueCapacity());
    }

    private static Rejection thrownBy(TaskHandle<?> handle) {
        return catchThrowableOfType(RejectedTaskException.class, handle::get).rejection();
    }

    @Test
    void smallerInFlightLimitIsInTheWay() {
        try (GroupExecutor executor = executor(b ->
                b.defaultMaxConcurrencyPerGroup(8).defaultMaxInFlightPerGroup(1).defaultQueueThresholdPerGroup(0))) {
            BlockingTask.in(executor, "g");
            assertThat(withoutEstimate(thrownBy(executor.submit("g", "t", () -> "ran"))))
                    .isEqualTo(rejection(RejectionReason.GROUP_QUEUE_FULL, LimitKind.GROUP_IN_FLIGHT, 1, 0, 1, 0));
        }
    }

    @Test
    void pauseIsInTheWay() {
        try (GroupExecutor executor =
                executor(b -> b.defaultMaxConcurrencyPerGroup(8).defaultQueueThresholdPerGroup(0))) {
            executor.pauseGroup("g");
            assertThat(thrownBy(executor.submit("g", "t", () -> "ran")))
                    .isEqualTo(rejection(RejectionReason.PAUSED, LimitKind.PAUSE, 0, 0, 8, 0));
        }
    }

    @Test
    void tasksThatOnlyWaitForTheGlobalLimitAreNotCountedForTheGroup() {
        try (GroupExecutor executor = executor(
                b -> b.defaultMaxConcurrencyPerGroup(4).globalMaxInFlight(1).defaultQueueThresholdPerGroup(3))) {
            BlockingTask.in(executor, "other");
            for (int i = 0; i < 7; i++) {
                executor.submit("g", "queued", () -> "ran");
            }
            Rejection rejection = thrownBy(executor.submit("g", "t", () -> "ran"));
            assertThat(executor.groupStats("g").orElseThrow().toString())
                    .startsWith("group 'g': 0/4 active, 7 queued, 3/3 for the group's own limit (oldest ");
            assertThat(rejection.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
            assertThat(rejection.queued()).isEqualTo(3);
            assertThat(rejection.queueCapacity()).isEqualTo(3);
        }
    }

    @Test
    void expiredTaskNamesTheLimitThatItWaitedFor() {
        TaskOptions hurried =
                TaskOptions.builder().maxQueueTime(Duration.ofMillis(1)).build();
        try (GroupExecutor executor = executor(
                b -> b.defaultMaxConcurrencyPerGroup(1).globalMaxInFlight(2).globalQueueThreshold(9))) {
            BlockingTask.in(executor, "a");
            BlockingTask.in(executor, "b");
            Rejection ownLimit =
                    resultOf(executor.submit("a", "t", () -> "ran", hurried)).rejection();
            assertThat(numbersOf(ownLimit))
                    .isEqualTo(rejection(
                            RejectionReason.EXPIRED, LimitKind.GROUP_CONCURRENCY, 1, 0, 1, Integer.MAX_VALUE));
            Rejection globalLimit =
                    resultOf(executor.submit("c", "t", () -> "ran", hurried)).rejection();
            assertThat(numbersOf(globalLimit))
                    .isEqualTo(rejection(RejectionReason.EXPIRED, LimitKind.GLOBAL, 2, 0, 2, 9));
        }
    }

    @Test
    void poolWithoutGroupsNamesItsWorkersAndItsQueue() {
        BlockingTask blocker = BlockingTask.interruptible();
        try (WorkerPool pool =
                WorkerPool.builder().name("p").maxWorkers(1).queueCapacity(1).build()) {
            pool.submit(blocker);
            await(blocker.started);
            pool.submit(() -> "queued");
            Rejection full = rejection(RejectionReason.GLOBAL_QUEUE_FULL, LimitKind.GLOBAL, 1, 1, 1, 1);
            assertThat(withoutEstimate(thrownBy(pool.submit(() -> "ran")))).isEqualTo(full);
            assertThat(withoutEstimate(thrownBy(pool.submit("group", () -> "ran"))))
                    .isEqualTo(full);
            blocker.release();
        }
    }

    @Test
    void isolationExecutorNamesItsPermitsAndItsQueue() throws Exception {
        try (IsolationExecutor executor = IsolationExecutor.create(
                IsolationPolicy.builder().maxConcurrency(1).queueCapacity(3).build())) {
            BlockingTask blocker = BlockingTask.interruptible();
            executor.submit("flood", blocker);
            await(blocker.started);
            Rejection full = rejection(RejectionReason.GLOBAL_QUEUE_FULL, LimitKind.GLOBAL, 1, 3, 1, 3);
            TaskHandle<Integer> oldest = executor.submit("flood", () -> 1);
            executor.submit("flood", () -> 1);
            executor.submit("flood", () -> 1);
            assertThat(withoutEstimate(executor.submit("flood", () -> 1).await().rejection()))
                    .as("rejected")
                    .isEqualTo(full);
            executor.submit("other", () -> 1);
            assertThat(numbersOf(resultOf(oldest).rejection()))
                    .as("displaced by another key")
                    .isEqualTo(full);
            blocker.release();
        }
    }

    @Test
    void viewAfterAShutdownHasNoNumbers() {
        GroupExecutor executor = executor(b -> b);
        var view = executor.asExecutorService("g");
        executor.shutdown();
        assertThat(catchThrowableOfType(RejectedTaskException.class, () -> view.submit(() -> "ran")))
                .hasMessage("task 'execute' of group 'g' rejected: shut down");
    }

    @Test
    void handlerIsGivenTheRejection() throws Exception {
        AtomicReference<Rejection> given = new AtomicReference<>();
        RejectionHandler handler = new RejectionHandler() {
            @Override
            public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
                throw new AssertionError("the method with the rejection is called");
            }

            @Override
            public <T> GroupResult<T> onRejected(
                    String groupKey, String taskId, Callable<T> task, Rejection rejection) {
                given.set(rejection);
                return GroupResult.success(groupKey, taskId, null, 0, 0);
            }
        };
        try (GroupExecutor executor =
                executor(b -> b.defaultQueueThresholdPerGroup(0).rejectionHandler(handler))) {
            BlockingTask.in(executor, "g");
            assertThat(executor.submit("g", "t", () -> "ran").get()).isNull();
            assertThat(withoutEstimate(given.get()))
                    .isEqualTo(rejection(RejectionReason.GROUP_QUEUE_FULL, LimitKind.GROUP_CONCURRENCY, 1, 0, 1, 0));
        }
    }
}
