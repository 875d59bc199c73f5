package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.CurrentStats;
import io.github.kobe.TestKit.Log;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Does the listener hear of an announced permit what it hears of a task? */
@Timeout(60)
class PermitListenerTest {

    private static final PermitOptions ANNOUNCED =
            PermitOptions.builder().taskId("checkout").tag("web").announce(true).build();
    private static final PermitOptions IMPATIENT =
            ANNOUNCED.toBuilder().maxWait(Duration.ofMillis(10)).build();

    /** Records the steps of the permit, and on which thread they are made. */
    private final class Steps implements TaskLifecycleListener {
        @Override
        public void onSubmitted(TaskIdentity task) {
            add(task, "submitted");
        }

        @Override
        public void onStarted(TaskIdentity task) {
            add(task, "started");
        }

        @Override
        public void onCompleted(TaskIdentity task, GroupResult<?> result) {
            results.add(result);
            add(task, "completed " + result.status());
        }

        @Override
        public void onRejected(TaskIdentity task, Rejection rejection) {
            add(task, "rejected " + rejection.reason());
        }

        private void add(TaskIdentity task, String step) {
            if (task.taskId().equals("checkout")) {
                steps.add(step);
                threads.add(Thread.currentThread());
                assertThat(task.groupKey()).isEqualTo("g");
                assertThat(task.tag()).isEqualTo("web");
            }
        }
    }

    private final Queue<String> steps = new ConcurrentLinkedQueue<>();
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
    private final Queue<GroupResult<?>> results = new ConcurrentLinkedQueue<>();

    private GroupExecutor announcing(UnaryOperator<GroupPolicy.Builder> settings) {
        return executor(b -> settings.apply(b).taskLifecycleListener(new Steps()));
    }

    @Test
    void permitIsAnnouncedFromTheRequestToTheClose() throws Exception {
        try (GroupExecutor executor = announcing(b -> b)) {
            Permit permit = executor.acquire("g", ANNOUNCED);
            assertThat(steps).containsExactly("submitted", "started");
            permit.close();
            permit.close();
        }
        assertThat(steps).containsExactly("submitted", "started", "completed SUCCESS");
        assertThat(threads).containsOnly(Thread.currentThread());
        GroupResult<?> result = results.remove();
        assertThat(result.value()).isNull();
        assertThat(result.durationNanos()).isNotNegative();
    }

    @Test
    void listenerFindsThePermitFreeAtTheCompletion() throws Exception {
        List<Integer> active = new ArrayList<>();
        GroupExecutor[] self = new GroupExecutor[1];
        TaskLifecycleListener listener = new TaskLifecycleListener() {
            @Override
            public void onStarted(TaskIdentity task) {
                active.add(CurrentStats.of(self[0]).active());
            }

            @Override
            public void onCompleted(TaskIdentity task, GroupResult<?> result) {
                active.add(CurrentStats.of(self[0]).active());
            }
        };
        try (GroupExecutor executor = executor(b -> b.taskLifecycleListener(listener))) {
            self[0] = executor;
            executor.acquire("g", ANNOUNCED).close();
        }
        assertThat(active).containsExactly(1, 0);
    }

    @Test
    void callIsAnnouncedWithTheOutcomeOfItsTask() throws Exception {
        IOException fault = new IOException("on purpose");
        try (GroupExecutor executor = announcing(b -> b)) {
            executor.call("g", () -> "value", ANNOUNCED);
            executor.call("g", () -> {}, ANNOUNCED);
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> executor.call(
                            "g",
                            () -> {
                                throw fault;
                            },
                            ANNOUNCED));
            assertThatExceptionOfType(InterruptedException.class)
                    .isThrownBy(() -> executor.call(
                            "g",
                            () -> {
                                throw new InterruptedException("on purpose");
                            },
                            ANNOUNCED));
        }
        assertThat(steps)
                .containsExactly(
                        "submitted",
                        "started",
                        "completed SUCCESS",
                        "submitted",
                        "started",
                        "completed SUCCESS",
                        "submitted",
                        "started",
                        "completed FAILED",
                        "submitted",
                        "started",
                        "completed CANCELLED");
        assertThat(results.remove().value()).isEqualTo("value");
        assertThat(results.remove().value()).isNull();
        assertThat(results.remove().error()).isSameAs(fault);
    }

    @Test
    void tryAcquireThatFailsIsAnnouncedAsRejected() throws Exception {
        try (GroupExecutor executor = announcing(b -> b)) {
            BlockingTask.in(executor, "g");
            executor.tryAcquire("g", IMPATIENT);
            executor.setQueueThreshold("g", 0);
            executor.tryAcquire("g", IMPATIENT);
        }
        assertThat(steps).containsExactly("submitted", "rejected EXPIRED", "submitted", "rejected GROUP_QUEUE_FULL");
    }

    @Test
    void interruptedRequestIsAnnouncedAsCancelled() throws Exception {
        try (GroupExecutor executor = announcing(b -> b)) {
            BlockingTask.in(executor, "g");
            Caller<Boolean> caller = Caller.of(() -> {
                assertThatExceptionOfType(InterruptedException.class)
                        .isThrownBy(() -> executor.acquire("g", ANNOUNCED));
                return true;
            });
            caller.interruptWhenWaiting();
            assertThat(caller.result()).isTrue();
        }
        assertThat(steps).containsExactly("submitted", "completed CANCELLED");
        assertThat(results.remove().error()).isInstanceOf(InterruptedException.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void requestStoppedByAShutdownIsAnnouncedAsCancelled(boolean blocks) throws Exception {
        try (GroupExecutor executor = announcing(
                b -> blocks ? b.rejectionPolicy(RejectionPolicy.BLOCK).defaultQueueThresholdPerGroup(0) : b)) {
            BlockingTask.in(executor, "g");
            Caller<Boolean> caller = Caller.of(() -> {
                assertThatExceptionOfType(ExecutorShutdownException.class)
                        .isThrownBy(() -> executor.acquire("g", ANNOUNCED));
                return true;
            });
            caller.awaitWaiting();
            executor.shutdown();
            assertThat(caller.result()).isTrue();
        }
        assertThat(steps).containsExactly("submitted", "completed CANCELLED");
    }

    @Test
    void requestAfterAShutdownIsNotAnnounced() {
        GroupExecutor executor = announcing(b -> b);
        executor.shutdown();
        assertThatExceptionOfType(ExecutorShutdownException.class).isThrownBy(() -> executor.acquire("g", ANNOUNCED));
        assertThat(steps).isEmpty();
    }

    @Test
    void callWithoutAPermitUnderCallerRunsIsAnnounced() throws Exception {
        try (GroupExecutor executor =
                announcing(b -> b.rejectionPolicy(RejectionPolicy.CALLER_RUNS).defaultQueueThresholdPerGroup(0))) {
            BlockingTask.in(executor, "g");
            executor.call("g", () -> {}, ANNOUNCED);
        }
        assertThat(steps).containsExactly("submitted", "started", "completed SUCCESS");
    }

    @Test
    void listenerThatThrowsChangesNothing() throws Exception {
        TaskLifecycleListener throwing = new TaskLifecycleListener() {
            @Override
            public void onSubmitted(TaskIdentity task) {
                throw new IllegalStateException("on purpose");
            }

            @Override
            public void onStarted(TaskIdentity task) {
                throw new StackOverflowError("on purpose");
            }

            @Override
            public void onCompleted(TaskIdentity task, GroupResult<?> result) {
                throw new IllegalStateException("on purpose");
            }
        };
        try (Log log = new Log();
                GroupExecutor executor = executor(b -> b.taskLifecycleListener(throwing))) {
            executor.acquire("g", ANNOUNCED).close();
            assertThat(CurrentStats.of(executor).active()).isZero();
            assertThat(executor.stats().counts().succeeded()).isEqualTo(1);
            assertThat(log.lines("permit 'checkout' of group 'g' [web]")).hasSize(3);
        }
    }

    @Test
    void withoutAListenerAnnouncingHasNoEffect() throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            executor.acquire("g", ANNOUNCED).close();
            assertThat(executor.stats().counts().succeeded()).isEqualTo(1);
        }
    }
}
