package io.github.kobe;

import static io.github.kobe.TestKit.PATIENCE;
import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.CurrentStats;
import io.github.kobe.TestKit.Events;
import io.github.kobe.TestKit.Peak;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does a view keep the contract of an executor service, under the limits of its group? */
@Timeout(60)
class ViewTaskTest {

    private final Events events = new Events();
    private final GroupExecutor executor = executor(b -> b.taskLifecycleListener(events));
    private final ExecutorService view = executor.asExecutorService("g");

    @AfterEach
    void close() {
        executor.close();
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private BlockingTask blocker() {
        BlockingTask blocker = BlockingTask.interruptible();
        view.execute(new FutureTask<>(blocker));
        await(blocker.started);
        return blocker;
    }

    // ---- outcomes ------------------------------------------------------------------------------------------------

    @Test
    void executeRunsTheCommandOnAThreadOfTheGroup() {
        CountDownLatch ran = new CountDownLatch(1);
        List<String> thread = new ArrayList<>();
        view.execute(() -> {
            thread.add(Thread.currentThread().getName());
            ran.countDown();
        });
        await(ran);
        assertThat(thread).containsExactly("g");
    }

    @Test
    void callableGivesItsValue() throws Exception {
        Future<String> future = view.submit(() -> "value");
        assertThat(get(future)).isEqualTo("value");
        assertThat(future.isDone()).isTrue();
        assertThat(future.isCancelled()).isFalse();
        assertThat(future.state()).isEqualTo(Future.State.SUCCESS);
        assertThat(future.resultNow()).isEqualTo("value");
    }

    @Test
    void callableMayGiveNull() throws Exception {
        assertThat(get(view.submit((Callable<String>) () -> null))).isNull();
    }

    @Test
    void futureOfAViewMayBeTheValueOfAnotherTask() throws Exception {
        BlockingTask blocker = BlockingTask.interruptible();
        Future<String> value = executor.asExecutorService("other").submit(blocker);
        assertThat(get(view.submit(() -> value))).isSameAs(value);
        assertThat(TestKit.resultOf(executor.submit("g", "t", () -> value)).value())
                .isSameAs(value);
        assertThat(value.isDone()).isFalse();
        blocker.release();
        assertThat(get(value)).isEqualTo("released");
    }

    @Test
    void runnableGivesNullOrWhatWasAskedFor() throws Exception {
        AtomicBoolean ran = new AtomicBoolean();
        assertThat((Object) get(view.submit(() -> ran.set(true)))).isNull();
        assertThat(ran).isTrue();
        assertThat(get(view.submit(() -> {}, "result"))).isEqualTo("result");
    }

    @Test
    void whatTheTaskThrowsIsTheCauseWhateverItIs() {
        for (Throwable thrown : List.of(
                new IOException("checked"),
                new IllegalStateException("unchecked"),
                new StackOverflowError("error"),
                new InterruptedException("of its own"),
                new CancellationException("of its own"))) {
            Future<String> future = view.submit(() -> {
                throw sneaky(thrown);
            });
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> get(future))
                    .havingCause()
                    .isSameAs(thrown);
            assertThat(future.isCancelled()).isFalse();
            assertThat(future.state()).isEqualTo(Future.State.FAILED);
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException sneaky(Throwable thrown) throws E {
        throw (E) thrown;
    }

    @Test
    void nullIsRejected() {
        assertThatNullPointerException().isThrownBy(() -> view.execute(null)).withMessageContaining("command");
        assertThatNullPointerException().isThrownBy(() -> view.submit((Runnable) null));
        assertThatNullPointerException().isThrownBy(() -> view.submit(null, "result"));
        assertThatNullPointerException().isThrownBy(() -> view.submit((Callable<String>) null));
        assertThatNullPointerException().isThrownBy(() -> view.awaitTermination(1, null));
        assertThat(view.toString()).contains("open, 0 tasks");
    }

    @Test
    void submitHappensBeforeTheTaskAndTheTaskHappensBeforeGet() throws Exception {
        for (int i = 0; i < 1000; i++) {
            int[] plain = {i, 0};
            get(view.submit(() -> plain[1] = plain[0] + 1));
            assertThat(plain[1]).isEqualTo(i + 1);
        }
    }

    // ---- waiting -------------------------------------------------------------------------------------------------

    @Test
    void getThrowsAtItsTimeoutAndTheTaskContinues() throws Exception {
        BlockingTask blocker = BlockingTask.interruptible();
        Future<String> future = view.submit(blocker);
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> future.get(1, TimeUnit.MILLISECONDS));
        assertThat(future.isDone()).isFalse();
        blocker.release();
        assertThat(get(future)).isEqualTo("released");
    }

    @Test
    void getThrowsWhenInterruptedAndTheTaskContinues() throws Exception {
        BlockingTask blocker = BlockingTask.interruptible();
        Future<String> future = view.submit(blocker);
        Caller<String> caller = Caller.of(future::get);
        caller.interruptWhenWaiting();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(caller::result)
                .withCauseInstanceOf(InterruptedException.class);
        blocker.release();
        assertThat(get(future)).isEqualTo("released");
    }

    @Test
    void severalThreadsCanWaitForOneFuture() throws Exception {
        BlockingTask blocker = BlockingTask.interruptible();
        Future<String> future = view.submit(blocker);
        List<Caller<String>> callers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            callers.add(Caller.of(future::get));
        }
        callers.forEach(Caller::awaitWaiting);
        blocker.release();
        for (Caller<String> caller : callers) {
            assertThat(caller.result()).isEqualTo("released");
        }
    }

    // ---- cancelling ----------------------------------------------------------------------------------------------

    @Test
    void cancelledWhileQueuedNeverRunsAndLeavesTheQueueAtOnce() throws Exception {
        BlockingTask blocker = blocker();
        AtomicBoolean ran = new AtomicBoolean();
        Future<?> first = view.submit(() -> ran.set(true));
        Future<String> second = view.submit(() -> "next");
        assertThat(CurrentStats.of(executor).queued()).isEqualTo(2);
        assertThat(first.cancel(false)).isTrue();
        assertThat(CurrentStats.of(executor).queued()).isEqualTo(1);
        assertThat(first.isDone()).isTrue();
        assertThat(first.isCancelled()).isTrue();
        assertThat(first.state()).isEqualTo(Future.State.CANCELLED);
        assertThatExceptionOfType(CancellationException.class).isThrownBy(first::get);
        assertThat(first.cancel(true)).as("again").isFalse();
        blocker.release();
        assertThat(get(second)).isEqualTo("next");
        assertThat(ran).isFalse();
    }

    @Test
    void cancelledWithInterruptIsInterruptedAndKeepsItsPermitUntilItReturns() throws Exception {
        BlockingTask blocker = BlockingTask.uninterruptible();
        Future<String> future = view.submit(blocker);
        await(blocker.started);
        assertThat(future.cancel(true)).isTrue();
        await(blocker.interrupted);
        assertThatExceptionOfType(CancellationException.class).isThrownBy(future::get);
        assertThat(CurrentStats.of(executor).active()).isEqualTo(1);
        Future<String> next = view.submit(() -> "next");
        blocker.release();
        assertThat(get(next)).isEqualTo("next");
        assertThat(future.isCancelled()).as("whatever the outcome of its task").isTrue();
    }

    @Test
    void cancelledWithoutInterruptIsNotInterrupted() throws Exception {
        BlockingTask blocker = BlockingTask.interruptible();
        Future<String> future = view.submit(blocker);
        await(blocker.started);
        assertThat(future.cancel(false)).isTrue();
        blocker.release();
        await(blocker.ended);
        assertThat(blocker.wasInterrupted()).isFalse();
        assertThat(future.isCancelled()).isTrue();
    }

    @Test
    void cancelAfterCompletionHasNoEffect() throws Exception {
        Future<String> future = view.submit(() -> "value");
        get(future);
        assertThat(future.cancel(true)).isFalse();
        assertThat(future.isCancelled()).isFalse();
        assertThat(get(future)).isEqualTo("value");
    }

    // ---- in its group --------------------------------------------------------------------------------------------

    @Test
    void limitsOfTheGroupHoldForViewsAndSubmitsTogether() throws Exception {
        try (GroupExecutor three = executor(b -> b.defaultMaxConcurrencyPerGroup(3))) {
            ExecutorService one = three.asExecutorService("g");
            ExecutorService other = three.asExecutorService("g");
            Peak peak = new Peak();
            List<Future<?>> futures = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                Callable<Boolean> task = () -> peak.during(() -> {
                    TestKit.yieldToOthers();
                    return true;
                });
                futures.add(one.submit(task));
                futures.add(other.submit(task));
                futures.add(three.submit("g", "t", task).future());
            }
            for (Future<?> future : futures) {
                get(future);
            }
            assertThat(peak.most()).isBetween(1, 3);
        }
    }

    @Test
    void tasksStartInTheOrderOfSubmission() throws Exception {
        BlockingTask blocker = blocker();
        List<Integer> order = new ArrayList<>();
        List<Future<?>> futures = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            int number = i;
            futures.add(view.submit(() -> order.add(number)));
        }
        blocker.release();
        for (Future<?> future : futures) {
            get(future);
        }
        assertThat(order).isSorted().hasSize(20);
    }

    @Test
    void permitIsReleasedWhenTheFutureIsDone() throws Exception {
        try (GroupExecutor tight = executor(b -> b.defaultQueueThresholdPerGroup(0))) {
            ExecutorService view = tight.asExecutorService("g");
            for (int i = 0; i < 5_000; i++) {
                get(view.submit(() -> "queue threshold 0"));
            }
        }
    }

    @Test
    void listenerAndStatisticsIncludeItsTasks() throws Exception {
        get(view.submit(() -> "value"));
        assertThat(events.of("g/execute")).containsExactly("submitted", "started", "completed SUCCESS");
        Future<?> failing = view.submit(() -> {
            throw new IllegalStateException("on purpose");
        });
        assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(failing));
        assertThat(events.of("g/execute")).endsWith("completed FAILED");
        TaskCounts counts = executor.stats().counts();
        assertThat(counts.submitted()).isEqualTo(2);
        assertThat(counts.succeeded()).isEqualTo(1);
        assertThat(counts.failed()).isEqualTo(1);
    }

    @Test
    void futureCompletesAlthoughTheListenerNeverReturns() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        TaskLifecycleListener stuck = new TaskLifecycleListener() {
            @Override
            public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                await(never);
            }
        };
        try (GroupExecutor executor = executor(b -> b.taskLifecycleListener(stuck))) {
            ExecutorService view = executor.asExecutorService("g");
            assertThat(get(view.submit(() -> "value"))).isEqualTo("value");
            view.shutdown();
            assertThat(view.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            never.countDown();
        }
    }

    @Test
    void pausedGroupQueuesItsTasks() throws Exception {
        executor.pauseGroup("g");
        Future<String> future = view.submit(() -> "value");
        assertThat(CurrentStats.of(executor).queued()).isEqualTo(1);
        executor.resumeGroup("g");
        assertThat(get(future)).isEqualTo("value");
    }

    // ---- without a future ----------------------------------------------------------------------------------------

    @Test
    void whatACommandThrowsGoesToTheUncaughtExceptionHandlerAndThePermitIsReleased() throws Exception {
        List<Throwable> uncaught = uncaughtBy(() -> view.execute(() -> {
            throw new IllegalStateException("on purpose");
        }));
        assertThat(uncaught).singleElement().satisfies(t -> assertThat(t).hasMessage("on purpose"));
        assertThat(get(view.submit(() -> "next"))).isEqualTo("next");
        assertThat(events.of("g/execute")).contains("completed FAILED");
    }

    @Test
    void uncaughtExceptionHandlerThatThrowsIsReported() throws Exception {
        try (TestKit.Log log = new TestKit.Log()) {
            CountDownLatch ran = new CountDownLatch(1);
            view.execute(() -> {
                Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> {
                    throw new IllegalStateException("handler broke");
                });
                ran.countDown();
                throw new IllegalStateException("on purpose");
            });
            await(ran);
            assertThat(get(view.submit(() -> "next"))).isEqualTo("next");
            eventually(() -> assertThat(log.lines("handler broke")).hasSize(1));
        }
    }

    private List<Throwable> uncaughtBy(Runnable body) {
        List<Throwable> uncaught = new ArrayList<>();
        CountDownLatch handlerCalled = new CountDownLatch(1);
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {
            uncaught.add(thrown);
            handlerCalled.countDown();
        });
        try {
            body.run();
            await(handlerCalled);
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
        return uncaught;
    }
}
