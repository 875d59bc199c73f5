package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.end;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.Plug;
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
        Plug plug = Plug.in(executor, "g");
        AtomicBoolean ran = new AtomicBoolean();
        GroupResult<Boolean> result =
                end(executor.submit("g", "hasty", () -> ran.getAndSet(true), maxQueueTime(SHORT)));
        assertThat(result.status()).isEqualTo(TaskStatus.REJECTED);
        assertThat(result.value()).isNull();
        assertThat(result.error()).isNull();
        assertThat(result.durationNanos()).isZero();
        assertThat(result.rejection().reason()).isEqualTo(RejectionReason.EXPIRED);
        assertThat(result.rejection().waited()).isGreaterThanOrEqualTo(SHORT);
        assertThat(result.rejection().active()).isEqualTo(1);
        assertThat(result.rejection().limit()).isEqualTo(1);
        plug.release();
        end(executor.submit("g", "after", () -> "ran"));
        assertThat(ran).isFalse();
    }

    @Test
    void everyWaitReturnsTheResultWithoutException() throws Exception {
        Plug.in(executor, "g");
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
        Plug plug = Plug.in(executor, "g");
        TaskHandle<String> hasty = executor.submit("g", "hasty", () -> "ran", maxQueueTime(SHORT));
        TaskHandle<String> behind = executor.submit("g", "behind", () -> "ran");
        end(hasty);
        assertThat(stats(executor).queuedCount()).isEqualTo(1);
        assertThat(plug.hasEnded()).isFalse();
        assertThat(plug.wasInterrupted()).isFalse();
        plug.release();
        assertThat(end(behind).value()).isEqualTo("ran");
    }

    @Test
    void expiredTaskLeavesTheQueueOfAPausedGroup() {
        executor.pauseGroup("g");
        end(executor.submit("g", "hasty", () -> "ran", maxQueueTime(SHORT)));
        assertThat(stats(executor).queuedCount()).isZero();
    }

    @Test
    void expiredTaskMakesRoomInAFullQueue() {
        try (GroupExecutor tight = executor(b -> b.defaultQueueThresholdPerGroup(1)
                .globalMaxInFlight(1)
                .globalQueueThreshold(1)
                .rejectionPolicy(RejectionPolicy.DISCARD))) {
            Plug plug = Plug.in(tight, "g");
            end(tight.submit("g", "hasty", () -> "ran", maxQueueTime(SHORT)));
            assertThat(tight.stats().totalQueuedCount()).isZero();
            TaskHandle<String> next = tight.submit("g", "next", () -> "ran");
            plug.release();
            assertThat(end(next).value()).isEqualTo("ran");
        }
    }

    @Test
    void expiredTaskLeavesNoStateInAGroupThatRetiresAtOnce() {
        try (GroupExecutor forgetful =
                executor(b -> b.idleGroupTtl(Duration.ZERO).globalMaxInFlight(1))) {
            Plug plug = Plug.in(forgetful, "other");
            end(forgetful.submit("g", "hasty", () -> "ran", maxQueueTime(SHORT)));
            eventually(() -> assertThat(forgetful.activeGroupKeys()).containsExactly("other"));
            plug.release();
        }
    }

    @Test
    void taskThatStartsInTimeIsNotAffectedLater() {
        Plug plug = Plug.polite();
        TaskHandle<String> running = executor.submit("g", "running", plug, maxQueueTime(SHORT));
        await(plug.started);
        TaskHandle<String> control = executor.submit("g", "control", () -> "ran", maxQueueTime(SHORT.plusMillis(1)));
        assertThat(end(control).status()).isEqualTo(TaskStatus.REJECTED); // so the time of the other task is over too
        assertThat(running.isDone()).isFalse();
        assertThat(plug.wasInterrupted()).isFalse();
        plug.release();
        assertThat(end(running).value()).isEqualTo("released");
    }

    @Test
    void taskThatWasQueuedAndStartedInTimeIsNotAffectedLater() {
        Plug first = Plug.in(executor, "g");
        Plug plug = Plug.polite();
        TaskHandle<String> waiting =
                executor.submit("g", "waiting", plug, maxQueueTime(Duration.ofSeconds(Long.MAX_VALUE)));
        first.release();
        await(plug.started);
        plug.release();
        assertThat(end(waiting).value()).isEqualTo("released");
    }

    @Test
    void retryMayBeQueuedWithoutLimit() {
        Plug plug = Plug.polite();
        Flaky flaky = Flaky.failing(1);
        TaskHandle<String> flakyHandle = executor.submit(
                "g",
                "flaky",
                () -> {
                    if (flaky.attempts() == 0) {
                        executor.submit("g", "takes the permit", plug);
                    }
                    return flaky.call();
                },
                maxQueueTime(SHORT).toBuilder().retry(RetryPolicy.attempts(2)).build());
        await(plug.started);
        eventually(() -> assertThat(stats(executor).queuedCount()).isEqualTo(1));
        TaskHandle<String> control = executor.submit("g", "control", () -> "ran", maxQueueTime(SHORT.plusMillis(1)));
        assertThat(end(control).status()).isEqualTo(TaskStatus.REJECTED);
        assertThat(flakyHandle.isDone()).isFalse();
        plug.release();
        assertThat(end(flakyHandle).value()).isEqualTo("succeeded");
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
            Plug plug = Plug.in(observed, "g");
            GroupResult<String> result = end(observed.submit("g", "hasty", () -> "ran", maxQueueTime(SHORT)));
            assertThat(rejections).containsExactly(result.rejection());
            assertThat(result.rejection().reason()).isEqualTo(RejectionReason.EXPIRED);
            plug.release();
            end(observed.submit("g", "after", () -> "ran"));
            assertThat(events.stream().filter(event -> event.endsWith("hasty"))).containsExactly("rejected hasty");
        }
    }

    @Test
    void expiredTaskIsCountedAsRejectedWithItsReason() {
        Plug.in(executor, "g");
        end(executor.submit("g", "hasty", () -> "ran", maxQueueTime(SHORT)));
        TaskCounts counts = stats(executor).counts();
        assertThat(counts).isEqualTo(new TaskCounts(2, 0, 0, 0, 0, 0, Map.of(RejectionReason.EXPIRED, 1L)));
        assertThat(executor.stats().counts()).isEqualTo(counts);
    }

    @Test
    void executeAllListsExpiredTasks() {
        Plug.in(executor, "g");
        List<GroupResult<String>> results = executor.executeAll(List.of(
                new GroupTask<>("free", "admitted", () -> "ran"),
                new GroupTask<>("g", "hasty", () -> "ran", maxQueueTime(SHORT))));
        assertThat(results).extracting(GroupResult::status).containsExactly(TaskStatus.SUCCESS, TaskStatus.REJECTED);
        assertThat(results.get(1).rejection().reason()).isEqualTo(RejectionReason.EXPIRED);
    }

    @Test
    void thousandsExpireAndTheOthersRun() {
        Plug plug = Plug.in(executor, "g");
        List<TaskHandle<String>> hasty = new ArrayList<>();
        List<TaskHandle<String>> patient = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            hasty.add(executor.submit("g", "hasty" + i, () -> "ran", maxQueueTime(Duration.ofNanos(1 + i))));
            if (i % 10 == 0) {
                patient.add(executor.submit("g", "patient" + i, () -> "ran", maxQueueTime(Duration.ofHours(1))));
            }
        }
        hasty.forEach(TestKit::end);
        assertThat(stats(executor).queuedCount()).isEqualTo(patient.size());
        plug.release();
        assertThat(patient).allSatisfy(h -> assertThat(end(h).value()).isEqualTo("ran"));
        assertThat(hasty).extracting(h -> end(h).status()).containsOnly(TaskStatus.REJECTED);
    }

    @Test
    void expiryThatRacesWithTheStartCompletesTheTaskOnce() {
        for (int i = 0; i < 300; i++) {
            Plug plug = Plug.in(executor, "g");
            TaskHandle<String> hasty =
                    executor.submit("g", "hasty", () -> "ran", maxQueueTime(Duration.ofNanos(1 + i * 1000L)));
            plug.release();
            GroupResult<String> result = end(hasty);
            assertThat(result.status()).isIn(TaskStatus.SUCCESS, TaskStatus.REJECTED);
            assertThat(end(executor.submit("g", "next", () -> "ran")).value()).isEqualTo("ran");
        }
        eventually(() -> assertThat(stats(executor).activeCount()).isZero());
        assertThat(stats(executor).queuedCount()).isZero();
    }
}
