package io.github.kobe.scope;

import static io.github.kobe.scope.ScopeKit.LONG;
import static io.github.kobe.scope.ScopeKit.blocker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What does a scope's token say, and what does cancelling by it do? */
@Timeout(60)
class CancellationTokenTest {

    @Test
    void isNotCancelledAtFirst() {
        try (ThreadScope scope = ThreadScope.open()) {
            assertThat(scope.token().isCancelled()).isFalse();
            scope.token().throwIfCancelled();
        }
    }

    @Test
    void cancelCancelsAllTasksAndSchedules() {
        AtomicInteger runs = new AtomicInteger();
        try (ThreadScope scope = ThreadScope.open().withConcurrencyLimit(1).withQueueing(true)) {
            BlockingTask blocker = BlockingTask.interruptible();
            Task<String> running = scope.submit(blocker);
            TestKit.await(blocker.started);
            Task<Integer> waiting = scope.submit(runs::incrementAndGet);
            ScheduledTask later = scope.schedule(LONG, runs::incrementAndGet);
            scope.token().cancel();
            assertThat(running.isCancelled()).isTrue();
            assertThat(waiting.isCancelled()).isTrue();
            assertThat(later.isCancelled()).isTrue();
            TestKit.await(blocker.interrupted);
            assertThatThrownBy(waiting::await)
                    .isInstanceOf(CancelledException.class)
                    .hasMessageContaining("token");
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void cancelledScopeRejectsSubmissions() {
        try (ThreadScope scope = ThreadScope.open()) {
            scope.token().cancel();
            scope.token().cancel();
            assertThat(scope.token().isCancelled()).isTrue();
            assertThatThrownBy(scope.token()::throwIfCancelled)
                    .isInstanceOf(CancelledException.class)
                    .hasMessageContainingAll(scope.id(), "token");
            assertThatThrownBy(() -> scope.submit(() -> "ran")).isInstanceOf(CancelledException.class);
            assertThatThrownBy(() -> scope.schedule(Duration.ZERO, () -> "ran")).isInstanceOf(CancelledException.class);
            assertThatThrownBy(() -> scope.joiner().firstSuccess(() -> "ran")).isInstanceOf(CancelledException.class);
        }
    }

    @Test
    void waiterGetsTheOutcomeOfCancelledTasks() throws Exception {
        try (ThreadScope scope = ThreadScope.open()) {
            BlockingTask blocker = BlockingTask.interruptible();
            Task<String> task = scope.submit(blocker);
            Caller<Outcome> waiter = Caller.of(() -> scope.await(task));
            waiter.awaitWaiting();
            scope.token().cancel();
            assertThat(waiter.result().cancelled()).isEqualTo(1);
        }
    }

    @Test
    void taskThatChecksTheTokenIsCancelled() {
        try (ThreadScope scope = ThreadScope.open()) {
            CancellationToken token = scope.token();
            Task<String> task = scope.submit(() -> {
                while (true) {
                    token.throwIfCancelled();
                    Thread.onSpinWait();
                }
            });
            token.cancel();
            assertThatThrownBy(task::await).isInstanceOf(CancelledException.class);
        }
    }

    @Test
    void taskMayCancelItsScope() {
        try (ThreadScope scope = ThreadScope.open()) {
            BlockingTask other = blocker(scope);
            Task<String> task = scope.submit(() -> {
                scope.token().cancel();
                return "too late";
            });
            assertThatThrownBy(task::await).isInstanceOf(CancelledException.class);
            TestKit.await(other.interrupted);
        }
    }

    @Test
    void closeCancelsIt() {
        ThreadScope scope = ThreadScope.open();
        scope.close();
        assertThat(scope.token().isCancelled()).isTrue();
        assertThatThrownBy(scope.token()::throwIfCancelled).isInstanceOf(CancelledException.class);
    }

    @Test
    void submitThatRacesWithCancelIsRejectedOrCancelled() throws Exception {
        for (int i = 0; i < 300; i++) {
            try (ThreadScope scope = ThreadScope.open()) {
                scope.submit(() -> "ran").await();
                Caller<Task<String>> submitter = Caller.of(() -> {
                    try {
                        return scope.submit(BlockingTask.interruptible());
                    } catch (CancelledException e) {
                        return null;
                    }
                });
                for (int j = 0; j < i % 20; j++) {
                    TestKit.yieldToOthers();
                }
                scope.token().cancel();
                Task<String> task = submitter.result();
                assertThat(task == null || task.isCancelled()).isTrue();
            }
        }
    }
}
