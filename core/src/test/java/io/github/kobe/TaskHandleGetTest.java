package io.github.kobe;

import static io.github.kobe.TestKit.PATIENCE;
import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Does get return the value, or throw why there is none? */
@Timeout(60)
class TaskHandleGetTest {

    private final GroupExecutor executor = executor(b -> b);

    @AfterEach
    void close() {
        executor.close();
    }

    private <T> TaskHandle<T> submit(TaskFunction<T> task) {
        return executor.submit("g", "t", task, TaskOptions.defaults());
    }

    private static Throwable thrownBy(TaskHandle<?> handle) {
        Throwable timed = catchThrowable(() -> handle.get(PATIENCE));
        Throwable thrown = catchThrowable(handle::get);
        assertThat(thrown).hasSameClassAs(timed).hasMessage(timed.getMessage());
        return thrown;
    }

    @Test
    void returnsTheValue() throws Exception {
        TaskHandle<String> handle = submit(context -> "value");
        assertThat(handle.get()).isEqualTo("value");
        assertThat(handle.get(Duration.ZERO)).isEqualTo("value");
        assertThat(submit(context -> null).get()).isNull();
    }

    @Test
    void throwsUncheckedExceptionsAndErrorsAsTheyAre() {
        RuntimeException unchecked = new IllegalArgumentException("no such order");
        Error error = new AssertionError("broken");
        assertThat(thrownBy(submit(context -> {
                    throw unchecked;
                })))
                .isSameAs(unchecked);
        assertThat(thrownBy(submit(context -> {
                    throw error;
                })))
                .isSameAs(error);
    }

    @Test
    void wrapsCheckedExceptions() {
        IOException checked = new IOException("connection reset");
        assertThat(thrownBy(submit(context -> {
                    throw checked;
                })))
                .isInstanceOf(TaskFailedException.class)
                .hasCause(checked)
                .hasMessage("task 't' of group 'g' failed: java.io.IOException: connection reset");
    }

    @Test
    void throwsATimeoutOfTheTask() {
        TaskHandle<String> handle = executor.submit(
                "g",
                "t",
                BlockingTask.interruptible(),
                TaskOptions.builder().timeout(Duration.ofMillis(1)).build());
        assertThat(thrownBy(handle)).isInstanceOf(TaskTimeoutException.class);
    }

    @Test
    void throwsACancellationWithTheStackOfTheCaller() {
        TaskHandle<String> handle = executor.submit("g", "t", BlockingTask.interruptible());
        handle.cancel(true);
        Throwable thrown = thrownBy(handle);
        assertThat(thrown)
                .isExactlyInstanceOf(CancellationException.class)
                .hasMessage("task 't' of group 'g': cancelled");
        assertThat(thrown.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals(TaskHandleGetTest.class.getName()));
    }

    @Test
    void throwsACancellationOfTheTaskAsItIs() {
        CancellationException own = new CancellationException("gave up");
        assertThat(thrownBy(submit(context -> {
                    throw own;
                })))
                .isSameAs(own);
    }

    @Test
    void wrapsAnInterruptionOfTheTask() {
        assertThat(thrownBy(submit(context -> {
                    throw new InterruptedException("by itself");
                })))
                .isInstanceOf(CancellationException.class)
                .hasCauseInstanceOf(InterruptedException.class);
    }

    @ParameterizedTest
    @EnumSource(
            value = RejectionPolicy.class,
            names = {"ABORT", "DISCARD"})
    void throwsARejectionUnderEachPolicy(RejectionPolicy policy) {
        try (GroupExecutor full = executor(b -> b.defaultMaxConcurrencyPerGroup(1)
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(policy))) {
            BlockingTask.in(full, "g");
            Throwable thrown = thrownBy(full.submit("g", "t", () -> "ran"));
            assertThat(thrown).isInstanceOf(RejectedTaskException.class);
            assertThat(((RejectedTaskException) thrown).reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
        }
    }

    @Test
    void timeoutOfTheWaitLeavesTheTaskAlone() throws Exception {
        BlockingTask blocker = BlockingTask.interruptible();
        TaskHandle<String> handle = executor.submit("g", "t", blocker);
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> handle.get(Duration.ofMillis(2)))
                .withMessage("task 't' of group 'g' has not completed within 2 ms; it continues");
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> handle.get(Duration.ZERO));
        blocker.release();
        assertThat(handle.get()).isEqualTo("released");
    }

    @Test
    void timeoutMustNotBeNegative() {
        TaskHandle<String> handle = submit(context -> "value");
        assertThatThrownBy(() -> handle.get(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("timeout")
                .hasMessageContaining("-0.001");
    }

    @Test
    void interruptEndsTheWait() throws Exception {
        BlockingTask blocker = BlockingTask.interruptible();
        TaskHandle<String> handle = executor.submit("g", "t", blocker);
        await(blocker.started);
        Caller<String> caller = Caller.of(handle::get);
        caller.interruptWhenWaiting();
        assertThat(catchThrowable(caller::result)).hasCauseInstanceOf(InterruptedException.class);
        blocker.release();
        assertThat(resultOf(handle).isSuccess()).isTrue();
    }
}
