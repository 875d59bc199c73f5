package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Log;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens if a listener throws, submits or cancels? */
@Timeout(60)
class BadListenerTest {

    /** Runs the same action in each of its methods. */
    private static TaskLifecycleListener doing(Action action) {
        return new TaskLifecycleListener() {
            @Override
            public void onSubmitted(String groupKey, String taskId) {
                action.at("onSubmitted", taskId);
            }

            @Override
            public void onStarted(String groupKey, String taskId) {
                action.at("onStarted", taskId);
            }

            @Override
            public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                action.at("onCompleted", taskId);
            }

            @Override
            public void onRejected(String groupKey, String taskId, String reason) {
                action.at("onRejected", taskId);
            }
        };
    }

    interface Action {
        void at(String method, String taskId);
    }

    private static GroupExecutor full(TaskLifecycleListener listener) {
        GroupExecutor executor = executor(b -> b.defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .taskLifecycleListener(listener));
        BlockingTask.in(executor, "full");
        return executor;
    }

    @Test
    void exceptionFromListenerChangesNothingAndIsLoggedForEachGroup() {
        assertHarmless(doing((method, taskId) -> {
            throw new IllegalStateException("listener broke in " + method);
        }));
    }

    @Test
    void errorFromListenerChangesNothingAndIsLoggedForEachGroup() {
        assertHarmless(doing((method, taskId) -> {
            throw new StackOverflowError("listener broke in " + method);
        }));
    }

    private static void assertHarmless(TaskLifecycleListener listener) {
        try (Log log = new Log();
                GroupExecutor executor = full(listener)) {
            for (int i = 0; i < 20; i++) {
                assertThat(resultOf(executor.submit("g", "t" + i, () -> "ran")).value())
                        .isEqualTo("ran");
                assertThat(resultOf(executor.submit("full", "rejected" + i, () -> "ran"))
                                .status())
                        .isEqualTo(TaskStatus.REJECTED);
            }
            Map<String, Integer> groups = Map.of("onSubmitted", 2, "onStarted", 2, "onCompleted", 1, "onRejected", 1);
            groups.forEach((method, number) -> assertThat(log.lines("listener broke in " + method))
                    .as(method)
                    .hasSize(number));
            assertThat(executor.toString()).as("every fault is counted").contains(2 + 20 * 3 + 20 * 2 + " faults");
        }
    }

    @Test
    void cancelAndShutdownTolerateAThrowingListener() {
        try (Log log = new Log()) {
            GroupExecutor executor = full(doing((method, taskId) -> {
                throw new IllegalStateException("listener broke in " + method);
            }));
            BlockingTask blocker = BlockingTask.interruptible();
            TaskHandle<String> cancelled = executor.submit("g", "cancelled", blocker);
            assertThat(cancelled.cancel(true)).isTrue();
            assertThat(resultOf(cancelled).status()).isEqualTo(TaskStatus.CANCELLED);
            TaskHandle<String> stopped = executor.submit("h", "stopped", BlockingTask.interruptible());
            executor.shutdown();
            assertThat(resultOf(stopped).status()).isEqualTo(TaskStatus.CANCELLED);
            assertThat(log.lines("onCompleted")).as("for each group").hasSize(3);
        }
    }

    @Test
    void listenerMaySubmitTasks() {
        GroupExecutor[] self = new GroupExecutor[1];
        Queue<TaskHandle<String>> handles = new ConcurrentLinkedQueue<>();
        TaskLifecycleListener listener = doing((method, taskId) -> {
            if (self[0] != null && !taskId.startsWith("from")) {
                handles.add(self[0].submit("inner", "from " + method, () -> method));
            }
        });
        try (Log log = new Log();
                GroupExecutor executor = executor(b -> b.perGroupQueueThreshold(Map.of("full", 0))
                        .rejectionPolicy(RejectionPolicy.DISCARD)
                        .taskLifecycleListener(listener))) {
            BlockingTask.in(executor, "full");
            self[0] = executor;
            resultOf(executor.submit("g", "t", () -> "ran"));
            resultOf(executor.submit("full", "rejected", () -> "ran"));
            assertThat(handles)
                    .extracting(h -> resultOf(h).value())
                    .containsExactly("onSubmitted", "onStarted", "onCompleted", "onSubmitted", "onRejected");
            assertThat(log.lines("")).isEmpty();
            self[0] = null; // do not submit again when the blocker completes
        }
    }

    @Test
    void onCompletedMaySubmitToTheSameGroupAndWaitBecauseItLendsThePermit() {
        GroupExecutor[] self = new GroupExecutor[1];
        Queue<String> again = new ConcurrentLinkedQueue<>();
        TaskLifecycleListener listener = new TaskLifecycleListener() {
            @Override
            public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                if (taskId.equals("first")) {
                    again.add(resultOf(self[0].submit(groupKey, "second", () -> "ran too"))
                            .value());
                }
            }
        };
        try (Log log = new Log();
                GroupExecutor executor =
                        executor(b -> b.defaultQueueThresholdPerGroup(1).taskLifecycleListener(listener))) {
            self[0] = executor;
            resultOf(executor.submit("g", "first", () -> "ran"));
            assertThat(again).containsExactly("ran too");
            assertThat(log.lines("has not returned")).isEmpty();
        }
    }

    @Test
    void listenerMayCancelTasks() {
        TaskHandle<?>[] victim = new TaskHandle<?>[1];
        BlockingTask gate = BlockingTask.interruptible();
        TaskLifecycleListener listener = new TaskLifecycleListener() {
            @Override
            public void onStarted(String groupKey, String taskId) {
                if (taskId.equals("victim")) {
                    victim[0].cancel(true);
                }
            }
        };
        try (GroupExecutor executor = executor(b -> b.taskLifecycleListener(listener))) {
            executor.submit("g", "gate", gate);
            await(gate.started);
            TaskHandle<String> handle = executor.submit("g", "victim", () -> "ran");
            victim[0] = handle;
            gate.release();
            assertThat(resultOf(handle).status()).isEqualTo(TaskStatus.CANCELLED);
            assertThat(resultOf(executor.submit("g", "next", () -> "ran")).value())
                    .isEqualTo("ran");
        }
    }
}
