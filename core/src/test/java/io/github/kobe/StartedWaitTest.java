package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.FakeTimer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does a listener learn how long a task waited? */
@Timeout(60)
class StartedWaitTest {

    private final FakeTimer timer = new FakeTimer();
    private final Map<String, Duration> waited = new ConcurrentHashMap<>();
    private final Map<String, GroupResult<?>> results = new ConcurrentHashMap<>();
    private final AtomicInteger heardTwice = new AtomicInteger();
    private GroupExecutor executor;

    @BeforeEach
    void open() {
        timer.advance(1); // 0 means not set
        TaskLifecycleListener listener = new TaskLifecycleListener() {
            @Override
            public void onStarted(TaskIdentity task, Duration time) {
                if (waited.put(task.taskId(), time) != null) {
                    heardTwice.incrementAndGet();
                }
            }

            @Override
            public void onCompleted(TaskIdentity task, GroupResult<?> result) {
                results.put(task.taskId(), result);
            }
        };
        GroupPolicy policy =
                GroupPolicy.builder().taskLifecycleListener(listener).build();
        executor = SimGroups.of(policy, TaskRunner.freshVirtualThreads(), timer);
    }

    @AfterEach
    void close() {
        executor.close();
        assertThat(heardTwice).hasValue(0);
    }

    private static final Duration WAIT = Duration.ofSeconds(3);

    @Test
    void waitIsTheTimeInTheQueue() throws Exception {
        BlockingTask blocker = BlockingTask.in(executor, "g");
        TaskHandle<String> plain = executor.submit("g", "plain", () -> "ran");
        TaskOptions options =
                TaskOptions.builder().retry(RetryPolicy.attempts(2)).build();
        TaskHandle<String> withOptions = executor.submit("g", "with options", () -> "ran", options);
        timer.advance(WAIT.toNanos());
        blocker.release();
        assertThat(plain.await().waited()).isEqualTo(WAIT);
        assertThat(withOptions.await().waited()).isEqualTo(WAIT);
        assertThat(waited)
                .containsEntry("blocker", Duration.ZERO)
                .containsEntry("plain", WAIT)
                .containsEntry("with options", WAIT);
    }

    @Test
    void waitOfAPermitIsTheTimeInTheQueue() throws Exception {
        PermitOptions announced =
                PermitOptions.builder().taskId("permit").announce(true).build();
        BlockingTask blocker = BlockingTask.in(executor, "g");
        CompletableFuture<Permit> permit = executor.acquireAsync("g", announced);
        timer.advance(WAIT.toNanos());
        blocker.release();
        permit.get().close();
        assertThat(waited).containsEntry("permit", WAIT);
        assertThat(results.get("permit").waited()).isEqualTo(WAIT);
        assertThat(results.get("permit").attempts()).isEqualTo(1);
        executor.call("g", () -> "ran", announced.toBuilder().taskId("free").build());
        assertThat(waited).containsEntry("free", Duration.ZERO);
    }

    @Test
    void simplerFormIsCalledIfItIsTheOneThatIsOverridden() throws Exception {
        Map<String, String> calls = new ConcurrentHashMap<>();
        executor.addListener(
                new TaskLifecycleListener() {
                    @Override
                    public void onStarted(TaskIdentity task) {
                        calls.put(task.taskId(), "identity");
                    }
                }.andThen(
                        new TaskLifecycleListener() {
                            @Override
                            public void onStarted(String groupKey, String taskId) {
                                calls.merge(taskId, " names", String::concat);
                            }
                        }.andThen(new TaskLifecycleListener() {
                            @Override
                            public void onStarted(TaskIdentity task, Duration time) {
                                calls.merge(task.taskId(), " " + time, String::concat);
                            }
                        })));
        executor.submit("g", "t", () -> "ran").await();
        assertThat(calls).containsEntry("t", "identity names PT0S");
    }
}
