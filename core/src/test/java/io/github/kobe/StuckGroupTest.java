package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Log;
import io.github.kobe.internal.group.ExecutorName;
import io.github.kobe.internal.group.GroupEngine;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.FakeTimer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A group whose running tasks all wait for tasks that cannot start is reported. */
@Timeout(60)
class StuckGroupTest {

    private final FakeTimer timer = new FakeTimer();

    private GroupExecutor executor() {
        return executor(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1).build());
    }

    /** The groups with keys that begin with "t/" share a limit of one permit. */
    private GroupExecutor executorWithSharedLimit() {
        return executor(GroupPolicy.builder()
                .sharedLimit(SharedLimit.by("tenant", key -> key.startsWith("t/") ? "t" : null)
                        .max(1))
                .build());
    }

    private GroupExecutor executor(GroupPolicy policy) {
        timer.advance(1);
        return new GroupExecutor(new GroupEngine(
                ExecutorName.of("group executor", "groups", policy.name()),
                policy,
                TaskRunner.freshVirtualThreads(),
                timer));
    }

    private final Queue<Thread> outerTasks = new ConcurrentLinkedQueue<>();

    /** A wait with a timeout, such as that for a latch, is another state. */
    private void awaitBlocked(int tasks) {
        TestKit.eventually(() ->
                assertThat(outerTasks).hasSize(tasks).allMatch(thread -> thread.getState() == Thread.State.WAITING));
    }

    @Test
    void tasksOfTwoGroupsThatWaitForEachOtherAreReportedOnce() {
        try (Log log = new Log();
                GroupExecutor executor = executor()) {
            CountDownLatch bothRun = new CountDownLatch(2);
            for (String[] pair : new String[][] {{"a", "b"}, {"b", "a"}}) {
                executor.submit(pair[0], "outer", () -> {
                    outerTasks.add(Thread.currentThread());
                    bothRun.countDown();
                    TestKit.await(bothRun);
                    return executor.submit(pair[1], "inner", () -> 1).await().value();
                });
            }
            awaitBlocked(2);
            timer.advance(TimeUnit.SECONDS.toNanos(5));
            assertThat(log.lines("stuck")).hasSize(2);
            assertThat(log.lines("group 'a': task 'outer' of group 'a'")).hasSize(1);
            assertThat(log.lines("waits for task 'inner' of group 'b'")).hasSize(1);
        }
    }

    @Test
    void aTaskThatWaitsForItselfIsReported() {
        try (Log log = new Log();
                GroupExecutor executor = executor()) {
            AtomicReference<TaskHandle<Integer>> self = new AtomicReference<>();
            CountDownLatch known = new CountDownLatch(1);
            self.set(executor.submit("a", "self", () -> {
                outerTasks.add(Thread.currentThread());
                TestKit.await(known);
                return self.get().await().value();
            }));
            known.countDown();
            awaitBlocked(1);
            timer.advance(TimeUnit.SECONDS.toNanos(3));
            assertThat(log.lines("stuck")).hasSize(1);
        }
    }

    @Test
    void aTaskThatWaitsForARunningTaskIsNotReported() {
        try (Log log = new Log();
                GroupExecutor executor = executor()) {
            BlockingTask inner = BlockingTask.interruptible();
            BlockingTask other = BlockingTask.in(executor, "c");
            TaskHandle<String> sameGroup = executor.submit("a", "outer", () -> {
                outerTasks.add(Thread.currentThread());
                return executor.submit("a", "inner", inner).await().value();
            });
            TaskHandle<Integer> queuedElsewhere = executor.submit("b", "outer", () -> {
                outerTasks.add(Thread.currentThread());
                return executor.submit("c", "inner", () -> 1).await().value();
            });
            TestKit.await(inner.started);
            awaitBlocked(2);
            timer.advance(TimeUnit.SECONDS.toNanos(5));
            assertThat(log.lines("stuck")).isEmpty();
            inner.release();
            other.release();
            assertThat(TestKit.resultOf(sameGroup).isSuccess()).isTrue();
            assertThat(TestKit.resultOf(queuedElsewhere).isSuccess()).isTrue();
        }
    }

    /** A task holds the permit of the limit, and waits for one of another group, which waits for a task behind the same limit. */
    @Test
    void aTaskBehindALimitThatWaitingTasksFillIsReported() {
        try (Log log = new Log();
                GroupExecutor executor = executorWithSharedLimit()) {
            AtomicReference<TaskHandle<Integer>> middle = new AtomicReference<>();
            CountDownLatch firstRuns = new CountDownLatch(1);
            CountDownLatch middleKnown = new CountDownLatch(1);
            executor.submit("t/first", "first", () -> {
                outerTasks.add(Thread.currentThread());
                firstRuns.countDown();
                TestKit.await(middleKnown);
                return middle.get().await().value();
            });
            middle.set(executor.submit("middle", "middle", () -> {
                outerTasks.add(Thread.currentThread());
                TestKit.await(firstRuns);
                return executor.submit("t/last", "last", () -> 1).await().value();
            }));
            middleKnown.countDown();
            awaitBlocked(2);
            timer.advance(TimeUnit.SECONDS.toNanos(5));
            assertThat(log.lines("stuck"))
                    .hasSize(2)
                    .anyMatch(line -> line.contains("waits for task 'last' of group 't/last'"));
        }
    }

    @Test
    void aTaskBehindALimitThatARunningTaskHasIsNotReported() {
        try (Log log = new Log();
                GroupExecutor executor = executorWithSharedLimit()) {
            BlockingTask running = BlockingTask.in(executor, "t/running");
            TaskHandle<Integer> waiting = executor.submit("middle", "middle", () -> {
                outerTasks.add(Thread.currentThread());
                return executor.submit("t/last", "last", () -> 1).await().value();
            });
            awaitBlocked(1);
            timer.advance(TimeUnit.SECONDS.toNanos(5));
            assertThat(log.lines("stuck")).isEmpty();
            running.release();
            assertThat(TestKit.resultOf(waiting).isSuccess()).isTrue();
        }
    }
}
