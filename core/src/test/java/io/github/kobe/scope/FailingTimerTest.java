package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.FakeTimer;
import io.github.kobe.internal.time.Timer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What if the timer cannot start an entry? */
@Timeout(60)
class FailingTimerTest {

    private final AtomicBoolean fails = new AtomicBoolean();
    private final FakeTimer time = new FakeTimer();

    private final Timer timer = new Timer() {
        @Override
        public long nanoTime() {
            return time.nanoTime();
        }

        @Override
        public void start(io.github.kobe.internal.time.TimerEntry timeout, long delayNanos) {
            if (fails.getAndSet(false)) {
                throw new InternalError("no thread for the timer, on purpose");
            }
            time.start(timeout, delayNanos);
        }

        @Override
        public boolean cancel(io.github.kobe.internal.time.TimerEntry timeout) {
            return time.cancel(timeout);
        }
    };

    private ThreadScope open() {
        return ThreadScope.open()
                .withScheduler(new Scheduler("test", true, null, TaskRunner.freshVirtualThreads(), timer));
    }

    @Test
    void noTaskRunsWithoutADeadline() {
        try (ThreadScope scope = open()) {
            fails.set(true);
            assertThatExceptionOfType(InternalError.class).isThrownBy(() -> scope.submit(() -> 1));
            assertThatExceptionOfType(CancelledException.class)
                    .isThrownBy(() -> scope.submit(() -> 1))
                    .withMessageContaining("deadline could not be started");
            assertThat(scope.metrics().started()).isZero();
        }
    }

    @Test
    void taskWhoseTimeoutCannotBeStartedFailsAndReleasesItsPermit() {
        for (int limit : new int[] {1, Integer.MAX_VALUE}) {
            try (ThreadScope scope = open().withConcurrencyLimit(limit)) {
                scope.submit(() -> 1).await();
                fails.set(true);
                Task<Integer> task = scope.submit(() -> 1, Duration.ofSeconds(1));
                assertThatExceptionOfType(InternalError.class).isThrownBy(task::await);
                assertThat(scope.submit(() -> 2).await()).isEqualTo(2);
            } // close would throw if the task still held its permit
        }
    }
}
