package io.github.kobe.isolation;

import static io.github.kobe.isolation.IsolationKit.await;
import static io.github.kobe.isolation.IsolationKit.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.RejectionReason;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTimeoutException;
import io.github.kobe.TestKit.Events;
import io.github.kobe.isolation.IsolationKit.BlockingTask;
import io.github.kobe.isolation.IsolationKit.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Do names, options and listeners of tasks mean what they mean in a group executor? */
class IsolationTaskOptionsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Clock clock = new Clock();

    @Test
    void taskHasItsNameAndTag() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p)) {
            TaskHandle<String> handle = executor.submit(
                    "key",
                    "name",
                    () -> "value",
                    TaskOptions.builder().tag("tag").build());
            assertThat(handle.taskId()).isEqualTo("name");
            assertThat(handle.tag()).isEqualTo("tag");
            assertThat(handle.await().value()).isEqualTo("value");
            assertThat(executor.submit("key", "other", () -> 1).taskId()).isEqualTo("other");
        }
    }

    @Test
    void runnableHasNoValue() throws Exception {
        CountDownLatch ran = new CountDownLatch(1);
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p)) {
            Runnable task = ran::countDown;
            assertThat(executor.submit("key", task).await().value()).isNull();
            await(ran);
        }
    }

    @Test
    void priorityDecidesTheOrderWithinAKey() {
        Queue<String> order = new ConcurrentLinkedQueue<>();
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.maxConcurrency(1))) {
            BlockingTask blocker = BlockingTask.in(executor, "key");
            TaskHandle<Boolean> low = executor.submit("key", () -> order.add("low"));
            TaskHandle<Boolean> high = executor.submit(
                    "key",
                    () -> order.add("high"),
                    TaskOptions.builder().priority(9).build());
            blocker.release();
            eventually(() -> assertThat(List.of(low, high)).allMatch(TaskHandle::isDone));
            assertThat(order).containsExactly("high", "low");
        }
    }

    @Test
    void timeLimitsOfTheTaskReplaceThoseOfThePolicy() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(
                clock,
                p -> p.maxConcurrency(1).taskTimeout(SECOND.multipliedBy(10)).taskExpiry(SECOND.multipliedBy(10)))) {
            BlockingTask blocker = new BlockingTask();
            TaskHandle<Lane> timesOut = executor.submit(
                    "key",
                    blocker,
                    TaskOptions.builder().timeout(SECOND.multipliedBy(3)).build());
            await(blocker.started);
            TaskHandle<Integer> expires = executor.submit(
                    "key", () -> 1, TaskOptions.builder().maxQueueTime(SECOND).build());
            TaskHandle<Integer> tagged = executor.submit(
                    "key", () -> 2, TaskOptions.builder().tag("t").build());
            clock.advance(SECOND);
            assertThat(expires.await().rejection().reason()).isEqualTo(RejectionReason.EXPIRED);
            assertThat(timesOut.isDone()).isFalse();
            clock.advance(SECOND.multipliedBy(2));
            assertThat(timesOut.await().error()).isInstanceOf(TaskTimeoutException.class);
            assertThat(tagged.await().value()).isEqualTo(2);
        }
    }

    @Test
    void optionsWithoutTimeLimitsKeepThoseOfThePolicy() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.taskTimeout(SECOND))) {
            BlockingTask blocker = new BlockingTask();
            TaskHandle<Lane> handle = executor.submit(
                    "key", blocker, TaskOptions.builder().tag("t").build());
            await(blocker.started);
            clock.advance(SECOND);
            assertThat(handle.await().error()).isInstanceOf(TaskTimeoutException.class);
        }
    }

    @Test
    void failedTaskIsRetriedAndEveryAttemptHasALane() throws Exception {
        Queue<Lane> lanes = new ConcurrentLinkedQueue<>();
        AtomicInteger attempts = new AtomicInteger();
        try (IsolationExecutor executor =
                IsolationExecutor.create(IsolationPolicy.builder().build())) {
            TaskOptions twice = TaskOptions.builder()
                    .retry(RetryPolicy.builder().maxAttempts(2).build())
                    .build();
            TaskHandle<Integer> handle = executor.submit(
                    "key",
                    () -> {
                        lanes.add(IsolationExecutor.currentLane());
                        if (attempts.incrementAndGet() == 1) {
                            throw new IllegalStateException("first attempt");
                        }
                        return 7;
                    },
                    twice);
            assertThat(handle.await().value()).isEqualTo(7);
            assertThat(lanes).containsExactly(Lane.FAST, Lane.FAST);
            assertThat(executor.stats().lane(Lane.FAST).running()).isZero();
        }
    }

    @Test
    void functionIsGivenItsContext() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p)) {
            TaskHandle<String> handle = executor.submit(
                    "key",
                    "name",
                    context -> context.groupKey() + " " + IsolationExecutor.currentLane(),
                    TaskOptions.defaults());
            assertThat(handle.await().value()).isEqualTo("key FAST");
        }
    }

    @Test
    void listenerHearsOfEachStepOfEachTask() throws Exception {
        Events events = new Events();
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.taskLifecycleListener(events))) {
            executor.submit("key", "task", () -> 1).await();
            assertThat(events.of("key/task")).containsExactly("submitted", "started", "completed SUCCESS");
        }
    }

    @Test
    void taskThatDisplacesAnotherOneIsCountedAndAnnouncedOnce() throws Exception {
        Events events = new Events();
        try (IsolationExecutor executor = IsolationKit.executor(
                clock, p -> p.maxConcurrency(1).queueCapacity(3).taskLifecycleListener(events))) {
            BlockingTask blocker = BlockingTask.in(executor, "greedy");
            for (int i = 0; i < 3; i++) {
                executor.submit("greedy", "greedy" + i, () -> 1);
            }
            clock.advance(SECOND);
            TaskHandle<Integer> other = executor.submit("other", "other", () -> 2);
            assertThat(executor.stats().counts().submitted()).isEqualTo(5);
            assertThat(executor.stats().counts().rejected()).isEqualTo(1);
            blocker.release();
            assertThat(other.await().value()).isEqualTo(2);
            assertThat(events.of("other/other")).containsExactly("submitted", "started", "completed SUCCESS");
            eventually(() -> assertThat(events.of("greedy/greedy0")).containsExactly("submitted", "rejected"));
        }
    }

    @Test
    void fallbackAndOptionsGoTogether() throws Exception {
        Queue<DiscardReason> reasons = new ConcurrentLinkedQueue<>();
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.maxConcurrency(1))) {
            BlockingTask.in(executor, "key");
            TaskHandle<Integer> late = executor.submit(
                    "key",
                    "late",
                    () -> 1,
                    TaskOptions.builder().maxQueueTime(SECOND).build(),
                    (key, reason) -> reasons.add(reason));
            clock.advance(SECOND);
            assertThat(late.await().status()).isEqualTo(TaskStatus.REJECTED);
            eventually(() -> assertThat(reasons).containsExactly(DiscardReason.EXPIRED));
        }
    }

    @Test
    void nullsAreNamed() {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p)) {
            assertThatThrownBy(() -> executor.submit(null, "id", () -> 1)).hasMessage("key");
            assertThatThrownBy(() -> executor.submit("key", null, () -> 1)).hasMessage("taskId");
            assertThatThrownBy(() -> executor.submit("key", () -> 1, (TaskOptions) null))
                    .hasMessage("options");
            assertThatThrownBy(() -> executor.asExecutorService(null)).hasMessage("key");
        }
    }
}
