package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is the outcome of a task that returns or throws? */
@Timeout(60)
class TaskOutcomeTest {

    private final GroupExecutor executor = executor(b -> b.defaultQueueThresholdPerGroup(100));

    @AfterEach
    void close() {
        executor.close();
    }

    static Stream<Throwable> failures() {
        return Stream.of(
                new IllegalStateException("unchecked"),
                new IOException("checked"),
                new AssertionError("error"),
                new StackOverflowError("stack"),
                new OutOfMemoryError("memory, made up"),
                new Throwable("neither"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void thrownExceptionIsInTheResultAndThePermitIsReleased(Throwable thrown) {
        TaskHandle<String> handle = executor.submit("g", "bad", throwing(thrown));
        GroupResult<String> result = resultOf(handle);
        assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(result.error()).isSameAs(thrown);
        assertThat(result.value()).isNull();
        assertThat(executor.stats().totalActiveCount()).isZero();
        assertThat(resultOf(executor.submit("g", "next", () -> "ran")).value()).isEqualTo("ran");
    }

    private static Callable<String> throwing(Throwable thrown) {
        return () -> TaskOutcomeTest.<RuntimeException>sneak(thrown);
    }

    /** Throws anything, checked or not. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> String sneak(Throwable thrown) throws E {
        throw (E) thrown;
    }

    @Test
    void returnedValueIsTheResult() {
        GroupResult<String> result = resultOf(executor.submit("g", "t", () -> "value"));
        assertThat(result.groupKey()).isEqualTo("g");
        assertThat(result.taskId()).isEqualTo("t");
        assertThat(result.status()).isEqualTo(TaskStatus.SUCCESS);
        assertThat(result.isSuccess()).isTrue();
        assertThat(result.value()).isEqualTo("value");
        assertThat(result.error()).isNull();
    }

    @Test
    void returnedNullIsASuccess() {
        GroupResult<Void> result = resultOf(executor.submit("g", "t", () -> null));
        assertThat(result.status()).isEqualTo(TaskStatus.SUCCESS);
        assertThat(result.value()).isNull();
    }

    @Test
    void thrownInterruptedExceptionMeansCancelled() {
        InterruptedException thrown = new InterruptedException("by the task itself");
        GroupResult<String> result = resultOf(executor.submit("g", "t", () -> {
            throw thrown;
        }));
        assertThat(result.status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(result.error()).isSameAs(thrown);
    }

    @Test
    void thrownInterruptedExceptionIsNotSwallowed() {
        executor.close();
        AtomicLong flags = new AtomicLong();
        TaskLifecycleListener listener = new TaskLifecycleListener() {
            @Override
            public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                flags.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0);
            }
        };
        try (GroupExecutor observed = executor(b -> b.taskLifecycleListener(listener))) {
            resultOf(observed.submit("g", "t", () -> {
                throw new InterruptedException("by the task itself");
            }));
        }
        assertThat(flags).as("the flag is set again on the task's thread").hasValue(1);
    }

    @Test
    void thrownCancellationExceptionMeansCancelled() {
        CancellationException thrown = new CancellationException("by the task itself");
        GroupResult<String> result = resultOf(executor.submit("g", "t", () -> {
            throw thrown;
        }));
        assertThat(result.status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(result.error()).isSameAs(thrown);
    }

    @Test
    void timesIncludeRunningButNotQueueing() {
        BlockingTask blocker = BlockingTask.in(executor, "g");
        AtomicLong inside = new AtomicLong();
        TaskHandle<String> waited = executor.submit("g", "waited", () -> {
            inside.set(System.nanoTime());
            return "ran";
        });
        long beforeItCouldStart = System.nanoTime();
        blocker.release();
        GroupResult<String> result = resultOf(waited);
        assertThat(result.startTimeNanos() - beforeItCouldStart)
                .as("starts after it was queued")
                .isNotNegative();
        assertThat(inside.get() - result.startTimeNanos()).isNotNegative();
        assertThat(result.endTimeNanos() - inside.get()).isNotNegative();
        assertThat(result.durationNanos()).isEqualTo(result.endTimeNanos() - result.startTimeNanos());
    }

    @Test
    void timesOfATaskCancelledWhileRunningBeginAtItsStart() {
        AtomicLong inside = new AtomicLong();
        BlockingTask blocker = BlockingTask.interruptible();
        TaskHandle<String> handle = executor.submit("g", "t", () -> {
            inside.set(System.nanoTime());
            return blocker.call();
        });
        TestKit.await(blocker.started);
        handle.cancel(true);
        assertThat(inside.get() - resultOf(handle).startTimeNanos()).isNotNegative();
    }

    @Test
    void rejectedResultHasNeitherValueNorErrorNorDuration() {
        GroupResult<String> result = GroupResult.rejected("g", "t");
        assertThat(result.status()).isEqualTo(TaskStatus.REJECTED);
        assertThat(result.value()).isNull();
        assertThat(result.error()).isNull();
        assertThat(result.durationNanos()).isZero();
    }
}
