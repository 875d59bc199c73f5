package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What do await and join return on completion, at the timeout and on interruption? */
@Timeout(60)
class TaskHandleWaitTest {

    private final GroupExecutor executor = executor(b -> b);
    private final BlockingTask blocker = BlockingTask.interruptible();
    private TaskHandle<String> handle;

    @BeforeEach
    void submit() {
        handle = executor.submit("g", "t", blocker);
        TestKit.await(blocker.started);
    }

    @AfterEach
    void close() {
        executor.close();
    }

    private void assertTaskWentOn() {
        assertThat(handle.isDone()).isFalse();
        blocker.release();
        assertThat(resultOf(handle).value()).isEqualTo("released");
        assertThat(blocker.wasInterrupted()).isFalse();
    }

    @Test
    void handleHasGroupKeyAndTaskId() {
        assertThat(handle.groupKey()).isEqualTo("g");
        assertThat(handle.taskId()).isEqualTo("t");
        assertThat(handle.toString()).contains("'g'").contains("'t'").contains("not completed");
    }

    @Test
    void everyWaitReturnsTheSameResult() throws Exception {
        List<Caller<GroupResult<String>>> callers = new ArrayList<>();
        callers.add(Caller.of(handle::await));
        callers.add(Caller.of(() -> handle.await(30, TimeUnit.SECONDS)));
        callers.add(Caller.of(handle::join));
        callers.add(Caller.of(() -> handle.join(30, TimeUnit.SECONDS)));
        callers.forEach(Caller::awaitWaiting);
        blocker.release();
        for (Caller<GroupResult<String>> caller : callers) {
            assertThat(caller.result().value()).isEqualTo("released");
            assertThat(caller.result()).isEqualTo(handle.await());
        }
        assertThat(handle.isDone()).isTrue();
    }

    @Test
    void awaitThatTimesOutReturnsCancelledAndTheTaskContinues() throws Exception {
        GroupResult<String> result = handle.await(1, TimeUnit.MILLISECONDS);
        assertThat(result.status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(result.error())
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining("'t'")
                .hasMessageContaining("'g'")
                .hasMessageContaining("1 MILLISECONDS");
        assertThat(result.groupKey()).isEqualTo("g");
        assertThat(result.taskId()).isEqualTo("t");
        assertTaskWentOn();
    }

    @Test
    void joinThatTimesOutReturnsCancelledAndTheTaskContinues() {
        GroupResult<String> result = handle.join(1, TimeUnit.MILLISECONDS);
        assertThat(result.status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(result.error()).isInstanceOf(TimeoutException.class);
        assertTaskWentOn();
    }

    @Test
    void zeroAndNegativeTimeoutsDoNotWait() throws Exception {
        assertThat(handle.await(0, TimeUnit.SECONDS).error()).isInstanceOf(TimeoutException.class);
        assertThat(handle.await(-1, TimeUnit.DAYS).error()).isInstanceOf(TimeoutException.class);
        assertThat(handle.join(0, TimeUnit.SECONDS).error()).isInstanceOf(TimeoutException.class);
        blocker.release();
        resultOf(handle);
        assertThat(handle.await(0, TimeUnit.SECONDS).value()).isEqualTo("released");
    }

    @Test
    void interruptedAwaitThrowsAndTheTaskContinues() throws Exception {
        Caller<String> caller = Caller.of(() -> {
            assertThatExceptionOfType(InterruptedException.class).isThrownBy(handle::await);
            return Thread.currentThread().isInterrupted() ? "flag set" : "flag clear";
        });
        caller.interruptWhenWaiting();
        assertThat(caller.result()).isEqualTo("flag clear");
        assertTaskWentOn();
    }

    @Test
    void interruptedTimedAwaitThrowsAndTheTaskContinues() throws Exception {
        Caller<String> caller = Caller.of(() -> {
            assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> handle.await(30, TimeUnit.SECONDS));
            return "threw";
        });
        caller.interruptWhenWaiting();
        assertThat(caller.result()).isEqualTo("threw");
        assertTaskWentOn();
    }

    @Test
    void interruptedJoinReturnsCancelledSetsTheFlagAndTheTaskContinues() throws Exception {
        List<Caller<GroupResult<String>>> callers = new ArrayList<>();
        callers.add(Caller.of(() -> joined(handle.join())));
        callers.add(Caller.of(() -> joined(handle.join(30, TimeUnit.SECONDS))));
        for (Caller<GroupResult<String>> caller : callers) {
            caller.interruptWhenWaiting();
            GroupResult<String> result = caller.result();
            assertThat(result.status()).isEqualTo(TaskStatus.CANCELLED);
            assertThat(result.error()).isInstanceOf(InterruptedException.class);
        }
        assertTaskWentOn();
    }

    private static GroupResult<String> joined(GroupResult<String> result) {
        assertThat(Thread.currentThread().isInterrupted()).as("flag set again").isTrue();
        return result;
    }

    @Test
    void waiterIsNotifiedOfACancellation() throws Exception {
        Caller<GroupResult<String>> caller = Caller.of(handle::await);
        caller.awaitWaiting();
        handle.cancel(true);
        assertThat(caller.result().status()).isEqualTo(TaskStatus.CANCELLED);
    }
}
