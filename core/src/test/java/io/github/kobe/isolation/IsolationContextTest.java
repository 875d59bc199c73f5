package io.github.kobe.isolation;

import static io.github.kobe.isolation.IsolationKit.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.Baggage;
import io.github.kobe.Flaky;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskIdentity;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskOptions;
import io.github.kobe.isolation.IsolationKit.BlockingTask;
import io.github.kobe.isolation.IsolationKit.Clock;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which context do tasks, fallbacks and listeners see? */
@Timeout(60)
class IsolationContextTest {

    private final Clock clock = new Clock();
    private final Baggage baggage = Baggage.wrapped();
    private final Queue<String> seen = new ConcurrentLinkedQueue<>();

    private void note(String where) {
        seen.add(where + " " + baggage.get());
    }

    @Test
    void attemptsAndListenersSeeTheContext() throws Exception {
        TaskLifecycleListener listener = new TaskLifecycleListener() {
            @Override
            public void onStarted(TaskIdentity task) {
                note("started");
            }
        };
        Flaky flaky = Flaky.failing(1);
        try (IsolationExecutor executor = IsolationKit.executor(
                clock, p -> p.contextCarrier(baggage.carrier).taskLifecycleListener(listener))) {
            baggage.set("r1");
            Callable<String> task = () -> {
                note("attempt");
                return flaky.call();
            };
            TaskHandle<String> handle = executor.submit(
                    "key",
                    task,
                    TaskOptions.builder().retry(RetryPolicy.attempts(2)).build());
            baggage.set("r2");
            eventually(() -> {
                clock.advance(Duration.ofMillis(1));
                assertThat(handle.isDone()).isTrue();
            });
            assertThat(executor.asExecutorService("key").submit(baggage::get).get())
                    .isEqualTo("r2");
        }
        assertThat(seen).containsExactly("started r1", "attempt r1", "attempt r1", "started r2");
    }

    @Test
    void fallbacksSeeTheContext() {
        try (IsolationExecutor executor = IsolationKit.executor(
                clock,
                p -> p.maxConcurrency(1)
                        .queueCapacity(3)
                        .taskExpiry(Duration.ofSeconds(1))
                        .contextCarrier(baggage.carrier))) {
            BlockingTask blocker = BlockingTask.in(executor, "key");
            baggage.set("r1");
            executor.execute("key", () -> {}, (key, reason) -> note("first " + reason));
            baggage.set("r2");
            executor.execute("key", () -> {}, (key, reason) -> note("second " + reason));
            baggage.set("r3");
            executor.submit("key", () -> "never runs", (key, reason) -> note("third " + reason));
            baggage.set("r4");
            executor.execute("key", () -> {}, (key, reason) -> note("full " + reason));
            eventually(() -> assertThat(seen).containsExactly("full REJECTED r4"));
            baggage.set("r5");
            executor.submit("other", () -> "waits"); // displaces one of the longest queue
            eventually(() -> assertThat(seen).hasSize(2).contains("first REJECTED r1"));
            baggage.set(null);
            clock.advance(Duration.ofSeconds(2));
            eventually(() -> assertThat(seen).contains("second EXPIRED r2", "third EXPIRED r3"));
            blocker.release();
        }
    }
}
