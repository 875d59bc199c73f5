package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Events;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens if a rejection handler never returns? */
@Timeout(60)
class StuckRejectionHandlerTest {

    private final BlockingTask stuck = BlockingTask.interruptible();
    private final Events events = new Events();
    private final GroupExecutor executor = executor(b -> b.defaultQueueThresholdPerGroup(0)
            .taskLifecycleListener(events)
            .rejectionHandler(new RejectionHandler() {
                @Override
                public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
                    try {
                        stuck.call();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return GroupResult.rejected(groupKey, taskId);
                }
            }));
    private BlockingTask blocker;
    private TaskHandle<String> rejected;

    @BeforeEach
    void rejectATask() {
        blocker = BlockingTask.in(executor, "g");
        rejected = executor.submit("g", "rejected", () -> "ran");
        await(stuck.started);
    }

    @AfterEach
    void close() {
        stuck.release();
        executor.close();
    }

    @Test
    void otherTasksContinue() {
        assertThat(rejected.isDone()).isFalse();
        assertThat(resultOf(executor.submit("other", "t", () -> "ran")).value()).isEqualTo("ran");
        blocker.release();
        TestKit.eventually(() -> assertThat(executor.stats().totalActiveCount()).isZero());
        assertThat(resultOf(executor.submit("g", "t", () -> "ran")).value()).isEqualTo("ran");
    }

    @Test
    void cancelCompletesTheTaskAndInterruptsTheHandler() {
        assertThat(rejected.cancel(true)).isTrue();
        assertThat(rejected.isDone()).isTrue();
        assertThat(resultOf(rejected).status()).isEqualTo(TaskStatus.CANCELLED);
        await(stuck.interrupted);
        await(stuck.ended);
        assertThat(events.of("g/rejected")).containsExactly("submitted", "completed CANCELLED");
    }

    @Test
    void shutdownCompletesTheTaskAndInterruptsTheHandler() {
        executor.shutdown();
        assertThat(resultOf(rejected).status()).isEqualTo(TaskStatus.CANCELLED);
        await(stuck.interrupted);
        assertThat(events.of("g/rejected")).containsExactly("submitted", "completed CANCELLED");
    }

    @Test
    void drainWaitsForTheHandlerAndThenStopsIt() {
        blocker.release();
        assertThat(executor.shutdown(Duration.ofMillis(50)))
                .as("all finished in time")
                .isFalse();
        assertThat(resultOf(rejected).status()).isEqualTo(TaskStatus.CANCELLED);
        await(stuck.interrupted);
    }

    @Test
    void drainCompletesWhenTheHandlerReturns() {
        blocker.release();
        stuck.release();
        assertThat(executor.shutdown(Duration.ofSeconds(30))).isTrue();
        assertThat(resultOf(rejected).status()).isEqualTo(TaskStatus.REJECTED);
    }
}
