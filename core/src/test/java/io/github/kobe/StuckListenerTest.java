package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.Events;
import io.github.kobe.TestKit.Log;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens if a listener never returns? */
@Timeout(60)
class StuckListenerTest {

    private final BlockingTask stuck = BlockingTask.uninterruptible();
    private final Log log = new Log();

    @AfterEach
    void release() {
        stuck.release();
        log.close();
    }

    /** Blocks in one method, for tasks with a certain name. */
    private final class StuckIn extends Events {
        private final String where;

        StuckIn(String where) {
            this.where = where;
        }

        private void at(String method, String taskId) {
            if (method.equals(where) && taskId.startsWith("stuck")) {
                try {
                    stuck.call();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }

        @Override
        public void onSubmitted(String groupKey, String taskId) {
            super.onSubmitted(groupKey, taskId);
            at("onSubmitted", taskId);
        }

        @Override
        public void onStarted(String groupKey, String taskId) {
            super.onStarted(groupKey, taskId);
            at("onStarted", taskId);
        }

        @Override
        public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
            super.onCompleted(groupKey, taskId, result);
            at("onCompleted", taskId);
        }
    }

    @Test
    void taskRunsWhileOnStartedIsStuck() {
        StuckIn listener = new StuckIn("onStarted");
        try (GroupExecutor executor = executor(b -> b.taskLifecycleListener(listener))) {
            TaskHandle<String> handle = executor.submit("g", "stuck", () -> "ran");
            TaskHandle<String> behind = executor.submit("g", "behind", () -> "ran too");
            assertThat(resultOf(executor.submit("other", "t", () -> "ran")).value())
                    .isEqualTo("ran");
            assertThat(resultOf(handle).value()).isEqualTo("ran");
            assertThat(resultOf(behind).value()).isEqualTo("ran too");
            assertThat(stuck.hasEnded()).isFalse();
            assertThat(log.lines("onStarted has not returned")).hasSize(1);
            stuck.release();
            await(stuck.ended);
            TestKit.letOthersRun();
            assertThat(listener.of("g/stuck")).containsExactly("submitted", "started", "completed SUCCESS");
            assertThat(executor.stats().totalActiveCount()).isZero();
        }
    }

    @Test
    void permitIsReleasedAndWaitersAreNotifiedWhileOnCompletedIsStuck() {
        StuckIn listener = new StuckIn("onCompleted");
        try (GroupExecutor executor = executor(b -> b.taskLifecycleListener(listener))) {
            TaskHandle<String> handle = executor.submit("g", "stuck", () -> "ran");
            await(stuck.started);
            assertThat(resultOf(executor.submit("g", "next", () -> "ran too")).value())
                    .isEqualTo("ran too");
            assertThat(resultOf(handle).value()).isEqualTo("ran");
            assertThat(stuck.hasEnded()).isFalse();
            assertThat(executor.stats().totalActiveCount()).isZero();
            assertThat(listener.of("g/stuck")).containsExactly("submitted", "started", "completed SUCCESS");
            stuck.release();
            await(stuck.ended);
            TestKit.letOthersRun();
            assertThat(executor.stats().totalActiveCount())
                    .as("the permit is released once")
                    .isZero();
            assertThat(resultOf(executor.submit("g", "last", () -> "ran")).value())
                    .isEqualTo("ran");
        }
    }

    @Test
    void cancelAndShutdownCompleteTasksWhileAListenerIsStuck() {
        GroupExecutor executor = executor(b -> b.taskLifecycleListener(new StuckIn("onCompleted")));
        BlockingTask.in(executor, "g");
        List<TaskHandle<String>> queued = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            queued.add(executor.submit("g", "stuck" + i, () -> "ran"));
        }
        assertThat(queued.get(0).cancel(true)).isTrue();
        assertThat(queued.get(0).isDone()).isTrue();
        executor.shutdown();
        assertThat(queued).allSatisfy(h -> assertThat(resultOf(h).status()).isEqualTo(TaskStatus.CANCELLED));
        assertThat(stuck.hasEnded()).isFalse();
    }

    @Test
    void drainDoesNotWaitForAStuckOnCompleted() {
        GroupExecutor executor = executor(b -> b.taskLifecycleListener(new StuckIn("onCompleted")));
        executor.submit("g", "stuck", () -> "ran");
        await(stuck.started);
        assertThat(executor.shutdown(TestKit.PATIENCE)).isTrue();
    }

    @Test
    void shutdownCompletesATaskWhoseOnStartedIsStuck() {
        GroupExecutor executor = executor(b -> b.taskLifecycleListener(new StuckIn("onStarted")));
        TaskHandle<String> handle = executor.submit("g", "stuck", () -> "ran");
        await(stuck.started);
        executor.shutdown();
        assertThat(resultOf(handle).status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(executor.shutdown(TestKit.PATIENCE))
                .as("its permit is released")
                .isTrue();
    }

    @Test
    void stuckOnSubmittedDelaysItsSubmitterOnly() throws Exception {
        StuckIn listener = new StuckIn("onSubmitted");
        GroupExecutor executor = executor(b -> b.taskLifecycleListener(listener));
        Caller<String> submitter = Caller.of(() -> {
            try {
                executor.submit("g", "stuck", () -> "ran");
                return "taken";
            } catch (IllegalStateException e) {
                return "rejected";
            }
        });
        await(stuck.started);
        assertThat(resultOf(executor.submit("g", "t", () -> "ran")).value()).isEqualTo("ran");
        assertThat(executor.shutdown(TestKit.PATIENCE)).isTrue();
        stuck.release();
        assertThat(submitter.result()).isEqualTo("rejected");
        assertThat(listener.of("g/stuck"))
                .as("every submitted task has an outcome")
                .containsExactly("submitted", "completed CANCELLED");
    }
}
