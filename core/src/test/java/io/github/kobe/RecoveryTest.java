package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Log;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Is a recovery called with everything that its task throws, and is what it throws harmless? */
@Timeout(60)
class RecoveryTest {

    private final GroupExecutor executor = executor(b -> b);
    private final List<Throwable> recovered = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        executor.close();
    }

    private static TaskOptions recovery(Consumer<Throwable> consumer) {
        return TaskOptions.builder().recovery(consumer).build();
    }

    private TaskOptions telling() {
        return recovery(recovered::add);
    }

    private static Callable<String> throwing(Throwable fault) {
        return () -> {
            if (fault instanceof Error error) {
                throw error;
            }
            throw (Exception) fault;
        };
    }

    @Test
    void isCalledWithWhateverTheTaskThrows() {
        for (Throwable fault : List.of(
                new Exception("checked"),
                new IllegalStateException("unchecked"),
                new StackOverflowError("error"),
                new InterruptedException("interruption"),
                new CancellationException("cancellation"))) {
            GroupResult<String> result = resultOf(executor.submit("g", "t", throwing(fault), telling()));
            assertThat(result.error()).isSameAs(fault);
            assertThat(recovered).containsExactly(fault);
            recovered.clear();
        }
    }

    @Test
    void isNotCalledAfterSuccess() {
        assertThat(resultOf(executor.submit("g", "t", () -> "ran", telling())).value())
                .isEqualTo("ran");
        assertThat(recovered).isEmpty();
    }

    @Test
    void isNotCalledIfTheTaskNeverRan() {
        BlockingTask.in(executor, "g");
        TaskHandle<String> queued = executor.submit("g", "t", () -> "ran", telling());
        queued.cancel(true);
        assertThat(resultOf(queued).status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(recovered).isEmpty();
    }

    @Test
    void isCalledBeforeWaitersAreNotified() {
        BlockingTask blocker = BlockingTask.interruptible();
        TaskHandle<String> failing = executor.submit(
                "g", "t", throwing(new Exception("on purpose")), recovery(fault -> callQuietly(blocker)));
        await(blocker.started);
        assertThat(failing.isDone()).isFalse();
        assertThat(executor.groupStats("g").orElseThrow().activeCount()).isEqualTo(1);
        blocker.release();
        assertThat(resultOf(failing).error()).hasMessage("on purpose");
    }

    private static void callQuietly(BlockingTask blocker) {
        try {
            blocker.call();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void runsOnTheThreadOfTheTask() {
        Flaky flaky = Flaky.failingAlways();
        List<Thread> threads = new CopyOnWriteArrayList<>();
        resultOf(executor.submit("g", "t", flaky, recovery(fault -> threads.add(Thread.currentThread()))));
        assertThat(threads).isEqualTo(flaky.threads).hasSize(1);
    }

    @Test
    void isCalledForEachAttempt() {
        Flaky flaky = Flaky.failing(2);
        TaskOptions options =
                telling().toBuilder().retry(RetryPolicy.attempts(3)).build();
        assertThat(resultOf(executor.submit("g", "t", flaky, options)).value()).isEqualTo("succeeded");
        assertThat(recovered).containsExactlyElementsOf(flaky.thrown).hasSize(2);
    }

    @Test
    void isCalledWithTheInterruptionByCancel() {
        BlockingTask blocker = BlockingTask.interruptible();
        TaskHandle<String> running = executor.submit("g", "t", blocker, telling());
        await(blocker.started);
        running.cancel(true);
        eventually(() -> assertThat(recovered).singleElement().isInstanceOf(InterruptedException.class));
    }

    @Test
    void isCalledWithTheInterruptionByTimeout() {
        TaskOptions options =
                telling().toBuilder().timeout(Duration.ofMillis(5)).build();
        GroupResult<String> result = resultOf(executor.submit("g", "t", BlockingTask.interruptible(), options));
        assertThat(result.error()).isInstanceOf(TaskTimeoutException.class);
        eventually(() -> assertThat(recovered).singleElement().isInstanceOf(InterruptedException.class));
    }

    @Test
    void isNotInterruptedByTheFlagThatTheTaskLeftSet() {
        List<Boolean> flags = new CopyOnWriteArrayList<>();
        Callable<String> task = () -> {
            Thread.currentThread().interrupt();
            throw new Exception("on purpose");
        };
        Consumer<Throwable> looking = fault -> flags.add(Thread.currentThread().isInterrupted());
        resultOf(executor.submit("g", "t", task, recovery(looking)));
        resultOf(executor.submit("g", "t", throwing(new InterruptedException()), recovery(looking)));
        assertThat(flags).containsExactly(false, false);
    }

    @Test
    void thrownExceptionIsReportedAndChangesNothing() {
        try (Log log = new Log()) {
            Exception fault = new Exception("of the task");
            GroupResult<String> result = resultOf(executor.submit("g", "t", throwing(fault), recovery(f -> {
                throw new StackOverflowError("of the recovery");
            })));
            assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
            assertThat(result.error()).isSameAs(fault);
            assertThat(fault.getSuppressed()).isEmpty();
            assertThat(log.lines("of the recovery"))
                    .singleElement()
                    .asString()
                    .contains("recovery threw for task 't' of group 'g'");
            assertThat(executor.toString()).contains("1 faults in callbacks");
        }
    }

    @Test
    void thrownExceptionDoesNotPreventARetry() {
        try (Log log = new Log()) {
            TaskOptions options = TaskOptions.builder()
                    .retry(RetryPolicy.attempts(3))
                    .recovery(f -> {
                        throw new IllegalStateException("of the recovery");
                    })
                    .build();
            assertThat(resultOf(executor.submit("g", "t", Flaky.failing(2), options))
                            .value())
                    .isEqualTo("succeeded");
            assertThat(executor.toString()).contains("2 faults in callbacks");
            assertThat(log.lines("of the recovery")).hasSize(1);
        }
    }

    @Test
    void isCalledForATaskThatRunsOnTheCallersThread() {
        try (GroupExecutor full =
                executor(b -> b.defaultQueueThresholdPerGroup(0).rejectionPolicy(RejectionPolicy.CALLER_RUNS))) {
            BlockingTask.in(full, "g");
            Exception fault = new Exception("on purpose");
            assertThat(resultOf(full.submit("g", "t", throwing(fault), telling()))
                            .error())
                    .isSameAs(fault);
            assertThat(recovered).containsExactly(fault);
        }
    }
}
