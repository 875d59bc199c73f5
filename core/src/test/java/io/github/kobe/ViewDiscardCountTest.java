package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A task of a view that is discarded counts as rejected, not as cancelled. */
@Timeout(60)
class ViewDiscardCountTest {

    @Test
    void discardedTaskOfAViewCountsAsRejected() {
        try (GroupExecutor executor =
                executor(b -> b.defaultQueueThresholdPerGroup(0).rejectionPolicy(RejectionPolicy.DISCARD))) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            ExecutorService view = executor.asExecutorService("g");
            Future<String> future = view.submit(() -> "value");
            assertThat(future.isCancelled()).isTrue();
            TaskCounts counts = executor.stats().counts();
            blocker.release();
            assertThat(counts.rejected()).isEqualTo(1);
            assertThat(counts.cancelled()).isZero();
        }
    }
}
