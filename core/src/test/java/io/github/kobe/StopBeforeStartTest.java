package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.SystemTimer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A shutdown interrupts a running task, whose permit then goes to a queued task of a group that the shutdown has not reached yet. */
@Timeout(60)
class StopBeforeStartTest {

    /** An interrupt returns when the interrupted work has released its permit. */
    private static final class JoiningRunner implements TaskRunner {
        private final Map<Runnable, Thread> threads = new ConcurrentHashMap<>();

        @Override
        public void start(Runnable work) {
            Thread thread = Thread.ofVirtual().unstarted(work);
            threads.put(work, thread);
            thread.start();
        }

        @Override
        public void interrupt(Thread thread, Runnable work) {
            thread.interrupt();
            try {
                threads.get(work).join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"a, b", "b, a"})
    void taskThatIsStoppedWhenItsPermitIsGrantedNeverRan(String running, String queued) {
        GroupPolicy policy = GroupPolicy.builder().globalMaxInFlight(1).build();
        GroupExecutor executor = SimGroups.of(policy, new JoiningRunner(), SystemTimer.shared());
        BlockingTask blocker = BlockingTask.interruptible();
        executor.submit(running, blocker);
        await(blocker.started);
        TaskHandle<?> handle = executor.submit(queued, () -> "ran");
        executor.shutdown();
        GroupResult<?> result = resultOf(handle);
        assertThat(result.status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(result.durationNanos()).isZero();
        assertThat(result.attempts()).isZero();
    }
}
