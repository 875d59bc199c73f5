package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Events;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Is a listener notified of each task in order, on the right thread and at the right time? */
@Timeout(60)
class ListenerTest {

    private final Events events = new Events();

    private GroupExecutor observed() {
        return executor(b -> b.taskLifecycleListener(events));
    }

    @Test
    void isNotifiedOfSubmissionStartAndCompletion() {
        try (GroupExecutor executor = observed()) {
            resultOf(executor.submit("g", "good", () -> "ran"));
            resultOf(executor.submit("g", "bad", () -> {
                throw new AssertionError("on purpose");
            }));
            assertThat(events.of("g/good")).containsExactly("submitted", "started", "completed SUCCESS");
            assertThat(events.of("g/bad")).containsExactly("submitted", "started", "completed FAILED");
        }
    }

    @Test
    void isNotifiedOfEveryTaskOfABatch() {
        try (GroupExecutor executor = observed()) {
            List<GroupTask<String>> tasks = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                tasks.add(new GroupTask<>("g" + i % 3, "t" + i, () -> "ran"));
            }
            executor.executeAll(tasks);
            for (int i = 0; i < 50; i++) {
                assertThat(events.of("g" + i % 3 + "/t" + i))
                        .containsExactly("submitted", "started", "completed SUCCESS");
            }
        }
    }

    @Test
    void isNotNotifiedOfAStartIfCancelledWhileQueued() {
        try (GroupExecutor executor = observed()) {
            BlockingTask.in(executor, "g");
            TaskHandle<String> queued = executor.submit("g", "queued", () -> "ran");
            assertThat(queued.cancel(true)).isTrue();
            assertThat(events.of("g/queued")).containsExactly("submitted", "completed CANCELLED");
        }
    }

    @Test
    void isNotifiedOnceOfTheCancellationOfARunningTask() {
        try (GroupExecutor executor = observed()) {
            BlockingTask stubborn = BlockingTask.uninterruptible();
            TaskHandle<String> running = executor.submit("g", "running", stubborn);
            await(stubborn.started);
            running.cancel(true);
            assertThat(events.of("g/running")).containsExactly("submitted", "started", "completed CANCELLED");
            stubborn.release();
            eventually(() -> assertThat(executor.stats().totalActiveCount()).isZero());
            assertThat(events.of("g/running")).containsExactly("submitted", "started", "completed CANCELLED");
        }
    }

    @Test
    void isNotifiedOfCancellationsByShutdown() {
        GroupExecutor executor = observed();
        BlockingTask blocker = BlockingTask.interruptible();
        TaskHandle<String> running = executor.submit("g", "running", blocker);
        await(blocker.started);
        TaskHandle<String> queued = executor.submit("g", "queued", () -> "ran");
        executor.shutdown();
        resultOf(running);
        resultOf(queued);
        assertThat(events.of("g/running")).containsExactly("submitted", "started", "completed CANCELLED");
        assertThat(events.of("g/queued")).containsExactly("submitted", "completed CANCELLED");
    }

    @Test
    void isGivenTheSameResultAsTheHandle() {
        Map<String, GroupResult<?>> results = new ConcurrentHashMap<>();
        TaskLifecycleListener listener = new TaskLifecycleListener() {
            @Override
            public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                results.put(taskId, result);
            }
        };
        try (GroupExecutor executor = executor(b -> b.taskLifecycleListener(listener))) {
            GroupResult<String> result = resultOf(executor.submit("g", "t", () -> "ran"));
            assertThat(results.get("t")).isSameAs(result);
        }
    }

    @Test
    void isCalledOnTheSubmittingThreadAndOnTheTaskThread() {
        Map<String, Thread> threads = new ConcurrentHashMap<>();
        TaskLifecycleListener listener = new TaskLifecycleListener() {
            @Override
            public void onSubmitted(String groupKey, String taskId) {
                threads.put("submitted", Thread.currentThread());
            }

            @Override
            public void onStarted(String groupKey, String taskId) {
                threads.put("started", Thread.currentThread());
            }
        };
        try (GroupExecutor executor = executor(b -> b.taskLifecycleListener(listener))) {
            Thread task =
                    resultOf(executor.submit("g", "t", Thread::currentThread)).value();
            assertThat(threads.get("submitted")).isSameAs(Thread.currentThread());
            assertThat(threads.get("started")).isSameAs(task);
        }
    }

    @Test
    void isNotToldOfStartsThatItDoesNotObserve() {
        List<String> seen = new ArrayList<>(); // safely published by the completion of the task
        TaskLifecycleListener deaf = new TaskLifecycleListener() {
            @Override
            public boolean observesStarts() {
                return false;
            }

            @Override
            public void onStarted(TaskIdentity task) {
                seen.add("deaf started");
            }

            @Override
            public void onCompleted(TaskIdentity task, GroupResult<?> result) {
                seen.add("deaf completed");
            }
        };
        TaskLifecycleListener other = new TaskLifecycleListener() {
            @Override
            public void onStarted(TaskIdentity task) {
                seen.add("other started");
            }
        };
        try (GroupExecutor executor = executor(b -> b.taskLifecycleListener(deaf))) {
            resultOf(executor.submit("g", "t", () -> "ran"));
            assertThat(seen).containsExactly("deaf completed");
            seen.clear();
            Registration added = executor.addListener(other);
            resultOf(executor.submit("g", "t", () -> "ran"));
            assertThat(seen).containsExactly("other started", "deaf completed");
            seen.clear();
            added.close();
            resultOf(executor.submit("g", "t", () -> "ran"));
            assertThat(seen).containsExactly("deaf completed");
        }
        assertThat(deaf.andThen(other).observesStarts()).isTrue();
        assertThat(deaf.andThen(deaf).observesStarts()).isFalse();
    }

    @Test
    void isNotifiedOfCompletionBeforeThePermitIsReleasedAndBeforeWaiters() {
        GroupExecutor[] self = new GroupExecutor[1];
        List<String> seen = new ArrayList<>(); // safely published by the completion of the task
        TaskLifecycleListener listener = new TaskLifecycleListener() {
            @Override
            public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                seen.add(self[0].stats().totalActiveCount() + " active");
            }
        };
        try (GroupExecutor executor = executor(b -> b.taskLifecycleListener(listener))) {
            self[0] = executor;
            for (int i = 0; i < 100; i++) {
                resultOf(executor.submit("g", "t" + i, () -> "ran"));
                assertThat(seen).as("notified before the waiter").hasSize(i + 1);
                assertThat(executor.stats().totalActiveCount())
                        .as("released before the waiter was notified")
                        .isZero();
            }
            assertThat(seen).containsOnly("1 active");
        }
    }

    @Test
    void everyMethodHasADefault() {
        try (GroupExecutor executor = executor(b -> b.taskLifecycleListener(new TaskLifecycleListener() {})
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.DISCARD))) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            assertThat(resultOf(executor.submit("g", "rejected", () -> "ran")).status())
                    .isEqualTo(TaskStatus.REJECTED);
            blocker.release();
        }
    }
}
