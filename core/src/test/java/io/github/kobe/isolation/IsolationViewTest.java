package io.github.kobe.isolation;

import static io.github.kobe.isolation.IsolationKit.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.isolation.IsolationKit.BlockingTask;
import io.github.kobe.isolation.IsolationKit.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Is a view of a key an executor service whose commands are tasks of that key? */
class IsolationViewTest {

    private final Clock clock = new Clock();

    @Test
    void commandsAreTasksOfTheKeyAndHaveALane() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p)) {
            ExecutorService view = executor.asExecutorService("key");
            assertThat(view.submit(IsolationExecutor::currentLane).get()).isEqualTo(Lane.FAST);
            List<Callable<Integer>> tasks = List.of(() -> 1, () -> 2);
            assertThat(view.invokeAll(tasks)).extracting(Future::get).containsExactly(1, 2);
            assertThat(executor.stats().lane(Lane.FAST).started()).isEqualTo(3);
            assertThat(executor.stats().keys()).containsOnlyKeys("key");
        }
    }

    @Test
    void limitsOfThePolicyApply() {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(1).taskExpiry(Duration.ofSeconds(1)))) {
            BlockingTask blocker = BlockingTask.in(executor, "key");
            Future<Integer> late = executor.asExecutorService("key").submit(() -> 1);
            clock.advance(Duration.ofSeconds(1));
            eventually(() -> assertThat(late.isCancelled()).as("it has expired").isTrue());
            blocker.release();
        }
    }

    @Test
    void fullQueueRejectsACommandAsTheJdkDoes() {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(1).queueCapacity(0))) {
            BlockingTask blocker = BlockingTask.in(executor, "key");
            ExecutorService view = executor.asExecutorService("key");
            assertThatThrownBy(() -> view.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
            assertThatThrownBy(() -> view.submit(() -> 1)).isInstanceOf(RejectedExecutionException.class);
            blocker.release();
        }
    }

    @Test
    void shutdownEndsTheViewOnly() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p)) {
            ExecutorService view = executor.asExecutorService("key");
            view.shutdown();
            assertThatThrownBy(() -> view.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
            assertThat(executor.submit("key", () -> 1).await().value()).isEqualTo(1);
        }
    }
}
