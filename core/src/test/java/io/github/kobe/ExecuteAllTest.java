package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.Peak;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does executeAll run all tasks of a batch and list all results? */
@Timeout(60)
class ExecuteAllTest {

    private final GroupExecutor executor = executor(b -> b.concurrencyResolver(key -> key.length()));

    @AfterEach
    void close() {
        executor.close();
    }

    @Test
    void resultsAreInTheOrderOfTheTasks() {
        CountDownLatch lastRan = new CountDownLatch(1);
        List<GroupTask<Integer>> tasks = new ArrayList<>();
        tasks.add(new GroupTask<>("a", "t0", () -> {
            await(lastRan); // the first in the list completes last
            return 0;
        }));
        for (int i = 1; i < 20; i++) {
            int number = i;
            tasks.add(new GroupTask<>("bb" + i % 3, "t" + i, () -> {
                if (number == 19) {
                    lastRan.countDown();
                }
                return number;
            }));
        }
        List<GroupResult<Integer>> results = executor.executeAll(tasks);
        assertThat(results)
                .extracting(GroupResult::value)
                .containsExactlyElementsOf(IntStream.range(0, 20).boxed().toList());
        assertThat(results).extracting(GroupResult::taskId).startsWith("t0", "t1", "t2");
    }

    @Test
    void failuresAreListedAndOtherTasksContinue() {
        RuntimeException failure = new IllegalStateException("on purpose");
        Error error = new AssertionError("on purpose");
        List<GroupResult<String>> results = executor.executeAll(List.of(
                new GroupTask<>("g", "good", () -> "ran"),
                new GroupTask<>("g", "bad", () -> {
                    throw failure;
                }),
                new GroupTask<>("g", "worse", () -> {
                    throw error;
                }),
                new GroupTask<>("g", "last", () -> "ran too")));
        assertThat(results)
                .extracting(GroupResult::status)
                .containsExactly(TaskStatus.SUCCESS, TaskStatus.FAILED, TaskStatus.FAILED, TaskStatus.SUCCESS);
        assertThat(results).extracting(GroupResult::error).containsExactly(null, failure, error, null);
        assertThat(results.get(3).value()).isEqualTo("ran too");
    }

    @Test
    void tasksRunConcurrentlyWithinTheirLimits() {
        Peak peak = new Peak();
        CountDownLatch three = new CountDownLatch(3);
        List<GroupTask<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            tasks.add(new GroupTask<>(
                    "abc",
                    "t" + i,
                    () -> peak.during(() -> {
                        three.countDown();
                        await(three);
                        return 1;
                    })));
        }
        assertThat(executor.executeAll(tasks)).allMatch(GroupResult::isSuccess);
        assertThat(peak.most()).isEqualTo(3);
    }

    @Test
    void emptyBatchHasNoResults() {
        assertThat(executor.<String>executeAll(List.of())).isEmpty();
    }

    @Test
    void taskMayRunABatch() {
        TaskHandle<Integer> outer = executor.submit(
                "g",
                "outer",
                () -> executor.executeAll(
                                List.of(new GroupTask<>("x", "a", () -> 1), new GroupTask<>("y", "b", () -> 2)))
                        .size());
        assertThat(resultOf(outer).value()).isEqualTo(2);
    }

    @Test
    void rejectedTasksAreListedAsRejected() {
        for (RejectionPolicy policy : List.of(RejectionPolicy.ABORT, RejectionPolicy.DISCARD)) {
            try (GroupExecutor full =
                    executor(b -> b.defaultQueueThresholdPerGroup(0).rejectionPolicy(policy))) {
                BlockingTask.in(full, "g");
                List<GroupResult<String>> results = full.executeAll(List.of(
                        new GroupTask<>("g", "rejected", () -> "ran"),
                        new GroupTask<>("free", "admitted", () -> "ran")));
                assertThat(results)
                        .extracting(GroupResult::status)
                        .containsExactly(TaskStatus.REJECTED, TaskStatus.SUCCESS);
                assertThat(results).extracting(GroupResult::taskId).containsExactly("rejected", "admitted");
            }
        }
    }

    @Test
    void interruptedCallerCancelsIncompleteTasksAndKeepsItsInterruptFlag() throws Exception {
        BlockingTask blocker = BlockingTask.interruptible();
        AtomicBoolean queuedRan = new AtomicBoolean();
        AtomicBoolean flag = new AtomicBoolean();
        BlockingTask elsewhere = BlockingTask.interruptible();
        BlockingTask.in(executor, "f"); // not part of the batch
        List<GroupTask<String>> tasks = List.of(
                new GroupTask<>("b", "ended", () -> "ran"),
                new GroupTask<>("g", "current", blocker),
                new GroupTask<>("f", "queued", () -> {
                    queuedRan.set(true);
                    return "ran";
                }),
                new GroupTask<>("h", "running too", elsewhere));
        Caller<List<GroupResult<String>>> caller = Caller.of(() -> {
            List<GroupResult<String>> results = executor.executeAll(tasks);
            flag.set(Thread.currentThread().isInterrupted());
            return results;
        });
        await(blocker.started);
        await(elsewhere.started);
        caller.interruptWhenWaiting();
        List<GroupResult<String>> results = caller.result();
        assertThat(results)
                .extracting(GroupResult::status)
                .containsExactly(TaskStatus.SUCCESS, TaskStatus.CANCELLED, TaskStatus.CANCELLED, TaskStatus.CANCELLED);
        assertThat(results)
                .extracting(GroupResult::taskId)
                .containsExactly("ended", "current", "queued", "running too");
        assertThat(flag).isTrue();
        await(blocker.interrupted);
        await(elsewhere.interrupted);
        assertThat(resultOf(executor.submit("g", "after", () -> "ran")).value()).isEqualTo("ran");
        assertThat(queuedRan).isFalse();
    }

    @Test
    void interruptedCallerCancelsQueuedTasksBeforeTheyStart() throws Exception {
        for (int round = 0; round < 20; round++) {
            BlockingTask blocker = BlockingTask.interruptible();
            AtomicInteger ran = new AtomicInteger();
            List<GroupTask<String>> tasks = new ArrayList<>();
            tasks.add(new GroupTask<>("g", "running", blocker));
            for (int i = 0; i < 20; i++) {
                tasks.add(new GroupTask<>("g", "waiting" + i, () -> "ran " + ran.incrementAndGet()));
            }
            Caller<List<GroupResult<String>>> caller = Caller.of(() -> executor.executeAll(tasks));
            await(blocker.started);
            caller.interruptWhenWaiting();
            assertThat(caller.result()).extracting(GroupResult::status).containsOnly(TaskStatus.CANCELLED);
            assertThat(ran).hasValue(0);
        }
    }

    @Test
    void callerInterruptedBeforehandCancelsTheBatch() throws Exception {
        BlockingTask blocker = BlockingTask.in(executor, "g");
        Caller<List<GroupResult<String>>> caller = Caller.of(() -> {
            Thread.currentThread().interrupt();
            return executor.executeAll(
                    List.of(new GroupTask<>("g", "t1", () -> "ran"), new GroupTask<>("g", "t2", () -> "ran")));
        });
        assertThat(caller.result())
                .extracting(GroupResult::status)
                .containsExactly(TaskStatus.CANCELLED, TaskStatus.CANCELLED);
        blocker.release();
    }

    @Test
    void interruptedCallerStillGetsRejectionsAsRejected() throws Exception {
        try (GroupExecutor full = executor(b -> b.defaultQueueThresholdPerGroup(0))) {
            BlockingTask.in(full, "g");
            Caller<List<GroupResult<String>>> caller = Caller.of(() -> {
                Thread.currentThread().interrupt();
                return full.executeAll(List.of(new GroupTask<>("g", "rejected", () -> "ran")));
            });
            assertThat(caller.result()).extracting(GroupResult::status).containsExactly(TaskStatus.REJECTED);
        }
    }

    @Test
    void shutdownCompletesAWaitingBatch() throws Exception {
        BlockingTask blocker = BlockingTask.interruptible();
        Caller<List<GroupResult<String>>> caller = Caller.of(() -> executor.executeAll(
                List.of(new GroupTask<>("g", "running", blocker), new GroupTask<>("g", "queued", () -> "ran"))));
        await(blocker.started);
        caller.awaitWaiting();
        executor.shutdown();
        assertThat(caller.result())
                .extracting(GroupResult::status)
                .containsExactly(TaskStatus.CANCELLED, TaskStatus.CANCELLED);
    }
}
