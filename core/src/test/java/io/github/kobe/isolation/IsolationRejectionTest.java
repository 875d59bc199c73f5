package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.LimitKind;
import io.github.kobe.PermitResult;
import io.github.kobe.Rejection;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TestKit;
import io.github.kobe.isolation.IsolationKit.BlockingTask;
import io.github.kobe.isolation.IsolationKit.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Are the numbers of a rejection those of the permits and of the queue that all keys share? */
class IsolationRejectionTest {

    private final Clock clock = new Clock();

    private static List<TaskHandle<Integer>> submit(IsolationExecutor executor, String key, int number) {
        List<TaskHandle<Integer>> handles = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            handles.add(executor.submit(key, () -> 1));
        }
        return handles;
    }

    private static Rejection rejectionOf(TaskHandle<?> handle) {
        return TestKit.resultOf(handle).rejection();
    }

    private static void assertNumbers(Rejection rejection, RejectionReason reason, int active, int queued, int limit) {
        assertThat(rejection.reason()).isEqualTo(reason);
        assertThat(rejection.limitedBy()).isEqualTo(LimitKind.GLOBAL);
        assertThat(rejection.active()).isEqualTo(active);
        assertThat(rejection.queued()).isEqualTo(queued);
        assertThat(rejection.limit()).isEqualTo(limit);
        assertThat(rejection.queueCapacity()).isEqualTo(3);
    }

    @Test
    void ofATaskThatIsNotQueued() {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(1).queueCapacity(3))) {
            BlockingTask blocker = BlockingTask.in(executor, "a");
            submit(executor, "a", 2);
            submit(executor, "b", 1);
            Rejection rejection = rejectionOf(submit(executor, "b", 1).getFirst());
            assertNumbers(rejection, RejectionReason.GLOBAL_QUEUE_FULL, 1, 3, 1);
            blocker.release();
        }
    }

    @Test
    void ofATaskThatAnotherOneDisplaced() {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(1).queueCapacity(3))) {
            BlockingTask blocker = BlockingTask.in(executor, "greedy");
            List<TaskHandle<Integer>> queued = submit(executor, "greedy", 3);
            submit(executor, "other", 1);
            Rejection rejection = rejectionOf(queued.getFirst());
            assertNumbers(rejection, RejectionReason.GLOBAL_QUEUE_FULL, 1, 3, 1);
            blocker.release();
        }
    }

    @Test
    void ofATaskThatExpired() {
        try (IsolationExecutor executor = IsolationKit.executor(
                clock, p -> p.maxConcurrency(1).queueCapacity(3).taskExpiry(Duration.ofSeconds(1)))) {
            BlockingTask blocker = BlockingTask.in(executor, "a");
            TaskHandle<Integer> late = submit(executor, "b", 1).getFirst();
            clock.advance(Duration.ofSeconds(1));
            Rejection rejection = rejectionOf(late);
            assertThat(rejection.queued()).isBetween(0, 1);
            assertNumbers(rejection, RejectionReason.EXPIRED, 1, rejection.queued(), 1);
            assertThat(rejection.waited()).isEqualTo(Duration.ofSeconds(1));
            blocker.release();
        }
    }

    @Test
    void ofARequestForAPermit() throws Exception {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(1).queueCapacity(3))) {
            BlockingTask blocker = BlockingTask.in(executor, "a");
            try (PermitResult none = executor.tryAcquire("b", Duration.ZERO)) {
                Rejection rejection = none.rejection();
                assertNumbers(rejection, RejectionReason.EXPIRED, 1, rejection.queued(), 1);
            }
            blocker.release();
        }
    }

    @Test
    void followALiveLimit() {
        int[] limit = {1};
        try (IsolationExecutor executor = IsolationKit.executor(
                clock, p -> p.maxConcurrency(() -> limit[0]).queueCapacity(3))) {
            BlockingTask first = BlockingTask.in(executor, "a");
            clock.advance(Duration.ofMillis(10));
            first.release(); // the key is known now, and may hold all permits
            BlockingTask second = BlockingTask.in(executor, "a");
            limit[0] = 2;
            IsolationKit.eventually(() -> {
                clock.advance(Duration.ofMillis(100));
                assertThat(executor.stats().maxConcurrency()).isEqualTo(2);
            });
            BlockingTask third = BlockingTask.in(executor, "a");
            submit(executor, "a", 3);
            Rejection rejection = rejectionOf(submit(executor, "a", 1).getFirst());
            assertNumbers(rejection, RejectionReason.GLOBAL_QUEUE_FULL, 2, 3, 2);
            second.release();
            third.release();
        }
    }
}
