package io.github.kobe.isolation;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.kobe.ShutdownMode;
import io.github.kobe.ShutdownReport;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How does an isolation executor shut down? */
@Timeout(60)
class IsolationShutdownTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    private final IsolationExecutor executor =
            IsolationExecutor.create(IsolationPolicy.builder().maxConcurrency(1).build());
    private final BlockingTask blocker = BlockingTask.interruptible();
    private final Queue<String> discarded = new ConcurrentLinkedQueue<>();
    private final TaskHandle<String> running = executor.submit("a", blocker);
    private final TaskHandle<String> queued = queuedTask();

    private TaskHandle<String> queuedTask() {
        await(blocker.started);
        return executor.submit("b", () -> "ran", (key, reason) -> discarded.add(key));
    }

    @Test
    void drainLetsAllFinish() throws Exception {
        Caller<ShutdownReport> ending = Caller.of(() -> executor.shutdown(LONG, ShutdownMode.DRAIN));
        ending.awaitWaiting();
        blocker.release();
        assertThat(ending.result().completed()).isTrue();
        assertThat(resultOf(queued).value()).isEqualTo("ran");
    }

    @Test
    void finishRunningDropsTheQueueWithoutCallingFallbacks() throws Exception {
        Caller<ShutdownReport> ending = Caller.of(() -> executor.shutdown(LONG, ShutdownMode.FINISH_RUNNING));
        eventually(() -> assertThat(queued.isDone()).isTrue());
        blocker.release();
        ShutdownReport report = ending.result();
        assertThat(report.completed()).isTrue();
        assertThat(report.dropped())
                .extracting(ShutdownReport.DroppedTask::groupKey)
                .containsExactly("b");
        assertThat(resultOf(running).value()).isEqualTo("released");
        assertThat(resultOf(queued).status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(discarded).isEmpty();
        assertThatIllegalStateException().isThrownBy(() -> executor.submit("a", () -> "ran"));
    }

    @Test
    void stopInterruptsAndWaits() {
        ShutdownReport report = executor.shutdown(LONG, ShutdownMode.STOP);
        assertThat(report.completed()).isTrue();
        assertThat(report.droppedCount()).isEqualTo(1);
        assertThat(blocker.wasInterrupted()).isTrue();
        assertThat(blocker.hasEnded()).isTrue();
    }
}
