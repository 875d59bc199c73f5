package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.letOthersRun;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.Events;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does shutdown stop every task now and complete every handle? */
@Timeout(60)
class ShutdownTest {

    @Test
    void runningTasksAreInterruptedAndCancelled() {
        GroupExecutor executor = executor(b -> b.defaultMaxConcurrencyPerGroup(10));
        List<BlockingTask> blockers = new ArrayList<>();
        List<TaskHandle<String>> handles = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            blockers.add(BlockingTask.interruptible());
            handles.add(executor.submit("g" + i % 2, "t" + i, blockers.get(i)));
        }
        blockers.forEach(blocker -> await(blocker.started));
        executor.shutdown();
        assertThat(handles).allSatisfy(h -> assertThat(h.isDone()).isTrue());
        assertThat(handles).allSatisfy(h -> assertThat(resultOf(h).status()).isEqualTo(TaskStatus.CANCELLED));
        blockers.forEach(blocker -> await(blocker.interrupted));
    }

    @Test
    void queuedTasksAreCancelledAndNeverRun() {
        assertQueuedTasksEndCancelled(b -> b);
    }

    @Test
    void queuedTasksAreCancelledAndNeverRunUnderAGlobalLimit() {
        assertQueuedTasksEndCancelled(b -> b.globalMaxInFlight(1).defaultMaxConcurrencyPerGroup(3));
    }

    private static void assertQueuedTasksEndCancelled(UnaryOperator<GroupPolicy.Builder> settings) {
        GroupExecutor executor = executor(settings);
        AtomicInteger ran = new AtomicInteger();
        BlockingTask blocker = BlockingTask.in(executor, "g0");
        List<TaskHandle<Integer>> handles = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            handles.add(executor.submit("g0", "t" + i, ran::incrementAndGet));
        }
        executor.shutdown();
        assertThat(handles).allSatisfy(h -> assertThat(h.isDone()).isTrue());
        assertThat(handles).allSatisfy(h -> {
            assertThat(resultOf(h).status()).isEqualTo(TaskStatus.CANCELLED);
            assertThat(resultOf(h).error())
                    .isInstanceOf(CancellationException.class)
                    .hasMessageContaining("executor shut down");
        });
        await(blocker.ended);
        letOthersRun();
        assertThat(ran).hasValue(0);
    }

    @Test
    void handlesWithDependentFuturesAreDone() {
        for (int round = 0; round < 100; round++) {
            GroupExecutor executor = executor(b -> b);
            BlockingTask.in(executor, "g");
            List<TaskHandle<String>> handles = new ArrayList<>();
            List<Future<?>> futures = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                TaskHandle<String> handle = executor.submit("g", "t" + i, () -> "ran");
                futures.add(handle.toCompletableFuture());
                handles.add(0, handle); // checks the handle first that shutdown completes last
            }
            executor.shutdown();
            assertThat(handles).allMatch(TaskHandle::isDone);
            assertThat(futures).hasSize(20);
        }
    }

    @Test
    void doesNotWaitForATaskThatIgnoresInterruption() {
        GroupExecutor executor = executor(b -> b);
        BlockingTask stubborn = BlockingTask.uninterruptible();
        TaskHandle<String> handle = executor.submit("g", "t", stubborn);
        await(stubborn.started);
        executor.shutdown();
        assertThat(resultOf(handle).status()).isEqualTo(TaskStatus.CANCELLED);
        await(stubborn.interrupted);
        assertThat(stubborn.hasEnded()).isFalse();
        stubborn.release();
        await(stubborn.ended);
        assertThat(resultOf(handle).status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    void submitAfterShutdownThrows() {
        Events events = new Events();
        GroupExecutor executor = executor(b -> b.taskLifecycleListener(events));
        executor.shutdown();
        assertThatIllegalStateException()
                .isThrownBy(() -> executor.submit("g", "t", () -> "ran"))
                .withMessageContaining("shut down");
        assertThat(events.isEmpty())
                .as("a task that was not accepted is not announced")
                .isTrue();
    }

    @Test
    void submitAfterShutdownThrowsWithoutAListener() {
        GroupExecutor executor = executor(b -> b.globalMaxInFlight(3));
        resultOf(executor.submit("g", "t", () -> "ran"));
        executor.close();
        assertThatIllegalStateException().isThrownBy(() -> executor.submit("g", "t", () -> "ran"));
        assertThatIllegalStateException().isThrownBy(() -> executor.submit("new", "t", () -> "ran"));
    }

    @Test
    void executeAllAfterShutdownThrows() {
        GroupExecutor executor = executor(b -> b);
        executor.shutdown();
        assertThatIllegalStateException()
                .isThrownBy(() -> executor.executeAll(List.of(new GroupTask<>("g", "t", () -> "ran"))));
        assertThatIllegalStateException().isThrownBy(() -> executor.executeAll(List.of()));
    }

    @Test
    void repeatedShutdownDoesNothing() throws Exception {
        GroupExecutor executor = executor(b -> b);
        BlockingTask blocker = BlockingTask.in(executor, "g");
        List<Caller<String>> callers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            callers.add(Caller.of(() -> {
                executor.shutdown();
                executor.close();
                return "returned";
            }));
        }
        for (Caller<String> caller : callers) {
            assertThat(caller.result()).isEqualTo("returned");
        }
        executor.close();
        await(blocker.interrupted);
    }

    @Test
    void otherCallsAfterShutdownDoNothing() {
        GroupExecutor executor = executor(b -> b);
        resultOf(executor.submit("g", "t", () -> "ran"));
        executor.shutdown();
        executor.shutdownGroup("g");
        executor.evictGroup("g");
        assertThat(executor.toString()).contains("shut down");
    }

    @Test
    void taskMayShutDownItsOwnExecutor() {
        GroupExecutor executor = executor(b -> b);
        CountDownLatch returned = new CountDownLatch(1);
        BlockingTask blocker = BlockingTask.in(executor, "g");
        TaskHandle<String> self = executor.submit("g", "self", () -> {
            executor.shutdown();
            returned.countDown();
            return "went on";
        });
        TaskHandle<String> behind = executor.submit("g", "behind", () -> "ran");
        blocker.release();
        await(returned);
        assertThat(resultOf(self).status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(resultOf(behind).status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    void everyTaskSubmittedConcurrentlyCompletesOrThrows() throws Exception {
        for (int round = 0; round < 20; round++) {
            boolean gated = round % 2 == 0;
            GroupExecutor executor = executor(b -> gated ? b.globalMaxInFlight(2) : b);
            CountDownLatch underWay = new CountDownLatch(3);
            List<Caller<List<TaskHandle<String>>>> callers = new ArrayList<>();
            for (int c = 0; c < 3; c++) {
                String group = "g" + c % 2;
                callers.add(Caller.of(() -> submitUntilShutdown(executor, group, underWay)));
            }
            await(underWay);
            executor.shutdown();
            for (Caller<List<TaskHandle<String>>> caller : callers) {
                assertThat(caller.result()).allSatisfy(TestKit::resultOf);
            }
        }
    }

    private static List<TaskHandle<String>> submitUntilShutdown(
            GroupExecutor executor, String group, CountDownLatch underWay) {
        List<TaskHandle<String>> handles = new ArrayList<>();
        try {
            while (true) {
                handles.add(executor.submit(group, "t", () -> "ran"));
                underWay.countDown();
            }
        } catch (IllegalStateException e) {
            return handles;
        }
    }
}
