package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens to a task that is queued for longer than its maxQueueTime? The kernel's tests check the exact instants. */
@Timeout(60)
class QueueExpiryTest {

    private static final Duration SHORT = Duration.ofMillis(5);

    private final GroupExecutor executor = executor(b -> b);

    @AfterEach
    void close() {
        executor.close();
    }

    private static TaskOptions maxQueueTime(Duration time) {
        return TaskOptions.builder().maxQueueTime(time).build();
    }

    private static GroupStats stats(GroupExecutor executor) {
        return executor.groupStats("g").orElseThrow();
    }

    @Test
    void expiredTaskNeverStartsAndIsRejectedWithTheNumbers() {
        BlockingTask blocker = BlockingTask.in(executor, "g");
        AtomicBoolean ran = new AtomicBoolean();
        GroupResult<Boolean> result =
                resultOf(executor.submit("g", "hasty", () -> ran.getAndSet(true), maxQueueTime(SHORT)));
        assertThat(result.status()).isEqualTo(TaskStatus.REJECTED);
        assertThat(result.value()).isNull();
        assertThat(result.error()).isNull();
        assertThat(result.durationNanos()).isZero();
        assertThat(result.rejection().reason()).isEqualTo(RejectionReason.EXPIRED);
        assertThat(result.rejection().waited()).isGreaterThanOrEqualTo(SHORT);
        assertThat(result.rejection().active()).isEqualTo(1);
        assertThat(result.rejection().limit()).isEqualTo(1);
        blocker.release();
        resultOf(executor.submit("g", "after", () -> "ran"));
        assertThat(ran).isFalse();
    }

    @Test
    void everyWaitReturnsTheResultWithoutException() throws Exception {
        BlockingTask.in(executor, "g");
        TaskHandle<String> hasty = executor.submit("g", "hasty", () -> "ran", maxQueueTime(SHORT));
        Caller<GroupResult<String>> waiter = Caller.of(hasty::await);
        assertThat(waiter.result().status()).isEqualTo(TaskStatus.REJECTED);
        assertThat(hasty.isDone()).isTrue();
        assertThat(hasty.cancel(true)).isFalse();
        assertThat(hasty.toCompletableFuture()
                        .get(TestKit.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .rejection()
                        .reason())
                .isEqualTo(RejectionReason.EXPIRED);
        assertThat(hasty.future().get().status()).isEqualTo(TaskStatus.REJECTED);
    }

    @Test
    void expiredTaskLeavesTheQueueAndLaterTasksMoveUp() {
        BlockingTask blocker = BlockingTask.in(executor, "g");
        TaskHandle<String> hasty = executor.submit("g", "hasty", () -> "ran", maxQueueTime(SHORT));
        TaskHandle<String> behind = executor.submit("g", "behind", () -> "ran");
        resultOf(hasty);
        assertThat(stats(executor).queuedCount()).isEqualTo(1);
        assertThat(blocker.hasEnded()).isFalse();
        assertThat(blocker.wasInterrupted()).isFalse();
        blocker.release();
        assertThat(resultOf(behind).value()).isEqualTo("ran");
    }

    @Test
    void expiredTaskLeavesTheQueueOfAPausedGroup() {
        executor.pauseGroup("g");
        resultOf(executor.submit("g", "hasty", () -> "ran", maxQueueTime(SHORT)));
        assertThat(stats(executor).queuedCount()).isZero();
    }

    @Test
    void expiredTaskMakesRoomInAFullQueue() {
        try (GroupExecutor tight = executor(b -> b.defaultQueueThresholdPerGroup(1)
                .globalMaxInFlight(1)
                .globalQueueThreshold(1)
                .rejectionPolicy(RejectionPolicy.DISCARD))) {
            BlockingTask blocker = BlockingTask.in(tight, "g");
            resultOf(tight.submit("g", "hasty", () -> "ran", maxQueueTime(SHORT)));
            assertThat(tight.stats().totalQueuedCount()).isZero();
            TaskHandle<String> next = tight.submit("g", "next", () -> "ran");
            blocker.release();
            assertThat(resultOf(next).value()).isEqualTo("ran");
        }
    }

    @Test
    void expiredTaskLeavesNoStateInAGroupThatRetiresAtOnce() {
        try (GroupExecutor forgetful =
                executor(b -> b.idleGroupTtl(Duration.ZERO).globalMaxInFlight(1))) {
            BlockingTask blocker = BlockingTask.in(forgetful, "other");
            resultOf(forgetful.submit("g", "hasty", () -> "ran", maxQueueTime(SHORT)));
            eventually(() -> assertThat(forgetful.activeGroupKeys()).containsExactly("other"));
            blocker.release();
        }
    }

    @Test
    void taskThatStartsInTimeIsNotAffectedLater() {
        BlockingTask blocker = BlockingTask.interruptible();
        TaskHandle<String> running = executor.submit("g", "running", blocker, maxQueueTime(SHORT));
        await(blocker.started);
        TaskHandle<String> control = executor.submit("g", "control", () -> "ran", maxQueueTime(SHORT.plusMillis(1)));
        assertThat(resultOf(control).status())
                .isEqualTo(TaskStatus.REJECTED); // so the time of the other task is over too
        assertThat(running.isDone()).isFalse();
        assertThat(blocker.wasInterrupted()).isFalse();
        blocker.release();
        assertThat(resultOf(running).value()).isEqualTo("released");
    }

    @Test
    void taskThatWasQueuedAndStartedInTimeIsNotAffectedLater() {
        BlockingTask first = BlockingTask.in(executor, "g");
        BlockingTask blocker = BlockingTask.interruptible();
        TaskHandle<String> waiting =
                executor.submit("g", "waiting", blocker, maxQueueTime(Duration.ofSeconds(Long.MAX_VALUE)));
        first.release();
        await(blocker.started);
        blocker.release();
        assertThat(resultOf(waiting).value()).isEqualTo("released");
    }

    @Test
    void retryMayBeQueuedWithoutLimit() {
        BlockingTask blocker = BlockingTask.interruptible();
        Flaky flaky = Flaky.failing(1);
        TaskHandle<String> flakyHandle = executor.submit(
                "g",
                "flaky",
                () -> {
                    if (flaky.attempts() == 0) {
                        executor.submit("g", "takes the permit", blocker);
                    }
                    return flaky.call();
                },
                maxQueueTime(SHORT).toBuilder().retry(RetryPolicy.attempts(2)).build());
        await(blocker.started);
        eventually(() -> assertThat(stats(executor).queuedCount()).isEqualTo(1));
        TaskHandle<String> control = executor.submit("g", "control", () -> "ran", maxQueueTime(SHORT.plusMillis(1)));
        assertThat(resultOf(control).status()).isEqualTo(TaskStatus.REJECTED);
        assertThat(flakyHandle.isDone()).isFalse();
        blocker.release();
        assertThat(resultOf(flakyHandle).value()).isEqualTo("succeeded");
        assertThat(flaky.attempts()).isEqualTo(2);
    }

    @Test
    void listenerIsNotifiedOnceOfTheExpiry() {
        List<String> events = new CopyOnWriteArrayList<>();
        List<Rejection> rejections = new CopyOnWriteArrayList<>();
        TaskLifecycleListener listener = new TaskLifecycleListener() {
            @Override
            public void onStarted(TaskIdentity task) {
                events.add("started " + task.taskId());
            }

            @Override
            public void onCompleted(TaskIdentity task, GroupResult<?> result) {
                events.add("completed " + task.taskId());
            }

            @Override
            public void onRejected(TaskIdentity task, Rejection rejection) {
                events.add("rejected " + task.taskId());
                rejections.add(rejection);
            }
        };
        try (GroupExecutor observed = executor(b -> b.taskLifecycleListener(listener))) {
            BlockingTask blocker = BlockingTask.in(observed, "g");
            GroupResult<String> result = resultOf(observed.submit("g", "hasty", () -> "ran", maxQueueTime(SHORT)));
            assertThat(rejections).containsExactly(result.rejection());
            assertThat(result.rejection().reason()).isEqualTo(RejectionReason.EXPIRED);
            blocker.release();
            resultOf(observed.submit("g", "after", () -> "ran"));
            assertThat(events.stream().filter(event -> event.endsWith("hasty"))).containsExactly("rejected hasty");
        }
    }

    @Test
    void expiredTaskIsCountedAsRejectedWithItsReason() {
        BlockingTask.in(executor, "g");
        resultOf(executor.submit("g", "hasty", () -> "ran", maxQueueTime(SHORT)));
        TaskCounts counts = stats(executor).counts();
        assertThat(counts).isEqualTo(new TaskCounts(2, 0, 0, 0, 0, 0, Map.of(RejectionReason.EXPIRED, 1L)));
        assertThat(executor.stats().counts()).isEqualTo(counts);
    }

    @Test
    void executeAllListsExpiredTasks() {
        BlockingTask.in(executor, "g");
        List<GroupResult<String>> results = executor.executeAll(List.of(
                new GroupTask<>("free", "admitted", () -> "ran"),
                new GroupTask<>("g", "hasty", () -> "ran", maxQueueTime(SHORT))));
        assertThat(results).extracting(GroupResult::status).containsExactly(TaskStatus.SUCCESS, TaskStatus.REJECTED);
        assertThat(results.get(1).rejection().reason()).isEqualTo(RejectionReason.EXPIRED);
    }

    @Test
    void thousandsExpireAndTheOthersRun() {
        BlockingTask blocker = BlockingTask.in(executor, "g");
        List<TaskHandle<String>> hasty = new ArrayList<>();
        List<TaskHandle<String>> patient = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            hasty.add(executor.submit("g", "hasty" + i, () -> "ran", maxQueueTime(Duration.ofNanos(1 + i))));
            if (i % 10 == 0) {
                patient.add(executor.submit("g", "patient" + i, () -> "ran", maxQueueTime(Duration.ofHours(1))));
            }
        }
        hasty.forEach(TestKit::resultOf);
        assertThat(stats(executor).queuedCount()).isEqualTo(patient.size());
        blocker.release();
        assertThat(patient).allSatisfy(h -> assertThat(resultOf(h).value()).isEqualTo("ran"));
        assertThat(hasty).extracting(h -> resultOf(h).status()).containsOnly(TaskStatus.REJECTED);
    }

    @Test
    void expiryThatRacesWithTheStartCompletesTheTaskOnce() {
        for (int i = 0; i < 300; i++) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            TaskHandle<String> hasty =
                    executor.submit("g", "hasty", () -> "ran", maxQueueTime(Duration.ofNanos(1 + i * 1000L)));
            blocker.release();
            GroupResult<String> result = resultOf(hasty);
            assertThat(result.status()).isIn(TaskStatus.SUCCESS, TaskStatus.REJECTED);
            assertThat(resultOf(executor.submit("g", "next", () -> "ran")).value())
                    .isEqualTo("ran");
        }
        eventually(() -> assertThat(stats(executor).activeCount()).isZero());
        assertThat(stats(executor).queuedCount()).isZero();
    }
}
