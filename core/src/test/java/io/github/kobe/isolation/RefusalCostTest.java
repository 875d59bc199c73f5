package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.LimitKind;
import io.github.kobe.Rejection;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.ObservedTimer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does a refused submit cost the same, however many keys are tracked? */
@Timeout(60)
class RefusalCostTest {

    private static final int KEYS = 1_000;

    @Test
    void refusedSubmitDoesNotReadEveryKey() throws Exception {
        ObservedTimer timer = new ObservedTimer(new IsolationKit.Clock());
        IsolationPolicy policy =
                IsolationPolicy.builder().maxConcurrency(1).queueCapacity(1).build();
        try (IsolationExecutor executor = IsolationExecutor.create(policy, TaskRunner.freshVirtualThreads(), timer)) {
            for (int i = 0; i < KEYS; i++) {
                executor.submit("key-" + i, () -> 1).await();
            }
            BlockingTask blocker = BlockingTask.interruptible();
            executor.submit("key-0", blocker);
            IsolationKit.await(blocker.started);
            executor.submit("key-0", () -> 1);
            int before = timer.reads(); // a snapshot of all keys reads the clock for each key
            Rejection rejection = executor.submit("key-1", () -> 1).await().rejection();
            assertThat(timer.reads() - before).isLessThan(100);
            assertThat(rejection.limitedBy()).isEqualTo(LimitKind.GLOBAL);
            blocker.release();
        }
    }
}
