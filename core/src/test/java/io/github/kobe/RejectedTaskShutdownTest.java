package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Does a shutdown of a group stop the handlers of its rejected tasks? */
class RejectedTaskShutdownTest {

    @Test
    void shutdownGroupInterruptsHandlersOfItsOwnTasksOnly() throws Exception {
        CountDownLatch bothAreThere = new CountDownLatch(2);
        CountDownLatch release = new CountDownLatch(1);
        GroupPolicy policy = GroupPolicy.builder()
                .defaultQueueThresholdPerGroup(0)
                .rejectionHandler(new RejectionHandler() {
                    @Override
                    public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
                        bothAreThere.countDown();
                        TestKit.await(release);
                        return GroupResult.rejected(groupKey, taskId);
                    }
                })
                .build();
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            CountDownLatch never = new CountDownLatch(1);
            Callable<Object> blocker = () -> {
                never.await();
                return "";
            };
            executor.submit("stopped", "blocker", blocker);
            executor.submit("other", "blocker", blocker);
            TaskHandle<Object> stopped = executor.submit("stopped", "rejected", blocker);
            TaskHandle<Object> other = executor.submit("other", "rejected", blocker);
            await(bothAreThere);
            executor.shutdownGroup("stopped");
            assertThat(stopped.join().status()).isEqualTo(TaskStatus.CANCELLED);
            assertThat(other.isDone()).isFalse();
            release.countDown();
            assertThat(other.join().status()).isEqualTo(TaskStatus.REJECTED);
        }
    }
}
