package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.LimitKind;
import io.github.kobe.Rejection;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does a refused submit cost the same, however many keys are tracked? */
@Timeout(60)
class RefusalCostTest {

    private static final int KEYS = 1_000;

    /** Counts how often the clock is read. A snapshot of all keys reads it for each key. */
    private static final class CountingTimer implements Timer {
        private final IsolationKit.Clock clock = new IsolationKit.Clock();
        private final AtomicInteger reads = new AtomicInteger();

        @Override
        public long nanoTime() {
            reads.incrementAndGet();
            return clock.nanoTime();
        }

        @Override
        public void start(TimerEntry entry, long delayNanos) {
            clock.start(entry, delayNanos);
        }

        @Override
        public boolean cancel(TimerEntry entry) {
            return clock.cancel(entry);
        }
    }

    @Test
    void refusedSubmitDoesNotReadEveryKey() throws Exception {
        CountingTimer timer = new CountingTimer();
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
            int before = timer.reads.get();
            Rejection rejection = executor.submit("key-1", () -> 1).await().rejection();
            assertThat(timer.reads.get() - before).isLessThan(100);
            assertThat(rejection.limitedBy()).isEqualTo(LimitKind.GLOBAL);
            blocker.release();
        }
    }
}
