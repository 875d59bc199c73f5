package io.github.kobe;

import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.Peak;
import io.github.kobe.TestKit.Plug;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does a view of a group keep the contract of {@link ExecutorService}, and the limits of the group? */
@Timeout(60)
class ExecutorServiceViewTest {

    private static final long PATIENCE = TestKit.PATIENCE.toSeconds();

    private final GroupExecutor executor = executor(b -> b.defaultMaxConcurrencyPerGroup(2));
    private final ExecutorService view = executor.asExecutorService("g");

    @AfterEach
    void close() {
        executor.close();
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.get(PATIENCE, TimeUnit.SECONDS);
    }

    // ---- one task ------------------------------------------------------------------------------------------------

    @Test
    void submittedTasksGiveTheirValues() throws Exception {
        assertThat(get(view.submit(() -> "value"))).isEqualTo("value");
        assertThat(get(view.submit(() -> {}, "result"))).isEqualTo("result");
        assertThat(get(view.submit(() -> {}))).isNull();
    }

    @Test
    void whatATaskThrowsIsTheCause() {
        Exception fault = new Exception("on purpose");
        Callable<String> fails = () -> {
            throw fault;
        };
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> get(view.submit(fails)))
                .withCause(fault);
    }

    @Test
    void nullIsRefused() {
        assertThatNullPointerException().isThrownBy(() -> view.execute(null));
        assertThatNullPointerException().isThrownBy(() -> view.submit((Runnable) null));
        assertThatNullPointerException().isThrownBy(() -> view.submit((Callable<?>) null));
        assertThatNullPointerException().isThrownBy(() -> view.submit(null, "result"));
        assertThatNullPointerException().isThrownBy(() -> view.invokeAll(null));
        assertThatNullPointerException().isThrownBy(() -> view.invokeAny(null));
        assertThatNullPointerException().isThrownBy(() -> view.awaitTermination(1, null));
        assertThatNullPointerException().isThrownBy(() -> executor.asExecutorService(null));
    }

    @Test
    void tasksRunUnderTheLimitsOfTheGroup() throws Exception {
        Peak peak = new Peak();
        List<Future<Boolean>> futures = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            futures.add(view.submit(() -> peak.during(() -> {
                TestKit.stepAside();
                return true;
            })));
        }
        for (Future<Boolean> future : futures) {
            get(future);
        }
        assertThat(peak.most()).isBetween(1, 2);
        assertThat(executor.groupStats("g").orElseThrow().counts().succeeded()).isEqualTo(200);
    }

    @Test
    void placeIsFreeWhenTheFutureIsDone() throws Exception {
        try (GroupExecutor one = executor(b -> b.defaultQueueThresholdPerGroup(0))) {
            ExecutorService tight = one.asExecutorService("g");
            for (int i = 0; i < 2000; i++) {
                int number = i;
                assertThat(get(tight.submit(() -> number))).isEqualTo(number); // a rejection would throw
            }
        }
    }

    @Test
    void cancelledInLineLeavesTheLineAtOnce() {
        Plug.in(executor, "g");
        Plug.in(executor, "g");
        AtomicInteger runs = new AtomicInteger();
        Future<Integer> waiting = view.submit(runs::incrementAndGet);
        assertThat(executor.groupStats("g").orElseThrow().queuedCount()).isEqualTo(1);
        assertThat(waiting.cancel(false)).isTrue();
        assertThat(executor.groupStats("g").orElseThrow().queuedCount()).isZero();
        assertThat(waiting.isCancelled() && waiting.isDone()).isTrue();
        assertThatExceptionOfType(CancellationException.class).isThrownBy(waiting::get);
        assertThat(waiting.cancel(true)).isFalse();
        assertThat(runs).hasValue(0);
    }

    @Test
    void cancelInterruptsOnlyIfAskedTo() {
        Plug stubborn = Plug.stubborn();
        Plug polite = Plug.polite();
        Future<String> left = view.submit(stubborn);
        Future<String> interrupted = view.submit(polite);
        TestKit.await(stubborn.started);
        TestKit.await(polite.started);
        assertThat(left.cancel(false)).isTrue();
        assertThat(interrupted.cancel(true)).isTrue();
        TestKit.await(polite.interrupted);
        assertThat(stubborn.wasInterrupted()).isFalse();
        stubborn.release();
    }

    @Test
    void whatACommandWithoutAFutureThrowsReachesTheUncaughtExceptionHandler() {
        CompletableFuture<Throwable> uncaught = new CompletableFuture<>();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> uncaught.complete(thrown));
        try {
            IllegalStateException fault = new IllegalStateException("on purpose");
            view.execute(() -> {
                throw fault;
            });
            // not by eventually, which while it waits takes uncaught exceptions for its own
            assertThat(uncaught).succeedsWithin(TestKit.PATIENCE).isSameAs(fault);
            eventually(() -> assertThat(
                            executor.groupStats("g").orElseThrow().counts().failed())
                    .isEqualTo(1));
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    // ---- many tasks ----------------------------------------------------------------------------------------------

    @Test
    void invokeAllWaitsForAllAndKeepsTheOrder() throws Exception {
        List<Callable<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            int number = i;
            tasks.add(() -> number);
        }
        List<Integer> values = new ArrayList<>();
        for (Future<Integer> future : view.invokeAll(tasks)) {
            assertThat(future.isDone()).isTrue();
            values.add(future.get());
        }
        assertThat(values).isSorted().hasSize(20);
    }

    @Test
    void invokeAllCancelsWhatIsLeftWhenTheTimeIsOver() throws Exception {
        Plug plug = Plug.polite();
        List<Future<String>> futures =
                view.invokeAll(List.<Callable<String>>of(() -> "quick", plug), 1, TimeUnit.NANOSECONDS);
        assertThat(futures)
                .hasSize(2)
                .allSatisfy(future -> assertThat(future.isDone()).isTrue());
        assertThat(futures.get(1).isCancelled()).isTrue();
        eventually(() -> assertThat(executor.stats().totalActiveCount()).isZero());
    }

    @Test
    void invokeAnyGivesTheFirstSuccessAndCancelsTheOthers() throws Exception {
        Plug plug = Plug.polite();
        Callable<String> fails = () -> {
            throw new Exception("on purpose");
        };
        assertThat(view.invokeAny(List.<Callable<String>>of(fails, plug, () -> "won"), PATIENCE, TimeUnit.SECONDS))
                .isEqualTo("won");
        eventually(() -> assertThat(executor.stats().totalActiveCount()).isZero());
        assertThat(plug.hasStarted()).isEqualTo(plug.wasInterrupted());
    }

    @Test
    void invokeAnyFailsIfAllFailOrTheTimeIsOver() {
        Exception fault = new Exception("on purpose");
        Callable<String> fails = () -> {
            throw fault;
        };
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> view.invokeAny(List.of(fails, fails)))
                .withCause(fault);
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> view.invokeAny(List.of(Plug.polite()), 1, TimeUnit.NANOSECONDS));
        eventually(() -> assertThat(executor.stats().totalActiveCount()).isZero());
    }

    @Test
    void completableFuturesRunInTheGroup() {
        assertThat(CompletableFuture.supplyAsync(() -> Thread.currentThread().getName(), view)
                        .thenApplyAsync(
                                name -> name + " " + Thread.currentThread().getName(), view)
                        .join())
                .isEqualTo("g g");
    }

    // ---- its end -------------------------------------------------------------------------------------------------

    @Test
    void afterShutdownAcceptedTasksFinishAndNewOnesAreRefused() throws Exception {
        Plug plug = Plug.polite();
        Future<String> running = view.submit(plug);
        TestKit.await(plug.started);
        Future<String> second = view.submit(Plug.polite());
        Future<String> waiting = view.submit(() -> "ran");
        view.shutdown();
        view.shutdown();
        assertThat(view.isShutdown()).isTrue();
        assertThat(view.isTerminated()).isFalse();
        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> view.execute(() -> {}));
        assertThat(view.awaitTermination(1, TimeUnit.NANOSECONDS)).isFalse();
        plug.release();
        assertThat(get(running)).isEqualTo("released");
        assertThat(get(waiting)).isEqualTo("ran");
        assertThat(second.cancel(true)).isTrue();
        assertThat(view.awaitTermination(PATIENCE, TimeUnit.SECONDS)).isTrue();
        assertThat(view.isTerminated()).isTrue();
    }

    @Test
    void refusalAfterShutdownSaysSo() {
        view.shutdown();
        assertThatExceptionOfType(RejectedTaskException.class)
                .isThrownBy(() -> view.submit(() -> "never"))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(RejectionReason.SHUT_DOWN));
    }

    @Test
    void shutdownOfAViewLeavesOthersOfTheGroupAlone() throws Exception {
        ExecutorService other = executor.asExecutorService("g");
        Plug others = Plug.polite();
        Future<String> otherTask = other.submit(others);
        TestKit.await(others.started);
        Plug submitted = Plug.in(executor, "g");
        Future<String> otherWaiting = other.submit(() -> "other");
        assertThat(view.shutdownNow()).isEmpty();
        assertThat(view.awaitTermination(PATIENCE, TimeUnit.SECONDS)).isTrue();
        assertThat(others.wasInterrupted() || submitted.wasInterrupted()).isFalse();
        submitted.release();
        others.release();
        assertThat(get(otherTask)).isEqualTo("released");
        assertThat(get(otherWaiting)).isEqualTo("other");
        assertThat(other.isShutdown()).isFalse();
    }

    @Test
    void shutdownNowInterruptsWhatRunsAndReturnsWhatNeverBegan() throws Exception {
        Plug first = Plug.polite();
        Plug second = Plug.polite();
        view.submit(first);
        view.submit(second);
        TestKit.await(first.started);
        TestKit.await(second.started);
        AtomicInteger runs = new AtomicInteger();
        Runnable plain = runs::incrementAndGet;
        view.execute(plain);
        FutureTask<Integer> task = new FutureTask<>(runs::incrementAndGet);
        view.execute(task);
        assertThat(view.shutdownNow()).containsExactlyInAnyOrder(plain, task);
        TestKit.await(first.interrupted);
        TestKit.await(second.interrupted);
        assertThat(view.awaitTermination(PATIENCE, TimeUnit.SECONDS)).isTrue();
        assertThat(runs).hasValue(0);
        assertThat(executor.groupStats("g").orElseThrow().queuedCount()).isZero();
    }

    @Test
    void terminatedOnlyWhenStubbornTasksHaveReallyEnded() throws Exception {
        Plug stubborn = Plug.stubborn();
        view.execute(() -> {
            try {
                stubborn.call();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        TestKit.await(stubborn.started);
        view.shutdownNow();
        TestKit.await(stubborn.interrupted);
        assertThat(view.isTerminated()).isFalse();
        stubborn.release();
        assertThat(view.awaitTermination(PATIENCE, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void awaitTerminationCanBeInterrupted() {
        Plug.in(executor, "g");
        Caller<Boolean> waiter = Caller.of(() -> view.awaitTermination(1, TimeUnit.HOURS));
        waiter.interruptWhenWaiting();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(waiter::result)
                .withCauseInstanceOf(InterruptedException.class);
    }

    @Test
    void closeWaitsForTheTasks() throws Exception {
        Plug plug = Plug.polite();
        view.submit(plug);
        TestKit.await(plug.started);
        Caller<Boolean> closer = Caller.of(() -> {
            view.close();
            return plug.hasEnded();
        });
        closer.awaitWaiting();
        plug.release();
        assertThat(closer.result()).isTrue();
    }

    @Test
    void shutdownOfTheExecutorEndsTheView() throws Exception {
        Plug first = Plug.polite();
        Plug second = Plug.polite();
        Future<String> running = view.submit(first);
        view.submit(second);
        TestKit.await(first.started);
        TestKit.await(second.started);
        Future<String> waiting = view.submit(() -> "never");
        Caller<Boolean> waiter = Caller.of(() -> view.awaitTermination(PATIENCE, TimeUnit.SECONDS));
        executor.shutdown();
        assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> get(running));
        assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> get(waiting));
        assertThat(view.isShutdown()).isTrue();
        assertThat(waiter.result()).isTrue();
        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> view.execute(() -> {}));
    }

    @Test
    void shutdownOfTheGroupCancelsItsFuturesAndTheViewGoesOn() throws Exception {
        Plug first = Plug.polite();
        Future<String> running = view.submit(first);
        TestKit.await(first.started);
        executor.shutdownGroup("g");
        assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> get(running));
        assertThat(get(view.submit(() -> "goes on"))).isEqualTo("goes on");
    }

    // ---- without room --------------------------------------------------------------------------------------------

    private static ExecutorService full(GroupExecutor executor) {
        Plug.in(executor, "g");
        return executor.asExecutorService("g");
    }

    @Test
    void abortThrowsFromExecute() {
        try (GroupExecutor tight = executor(b -> b.defaultQueueThresholdPerGroup(0))) {
            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(() -> full(tight).submit(() -> "never"))
                    .satisfies(e -> assertThat(e.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL));
        }
    }

    @Test
    void discardedTaskIsCancelledSoThatNobodyWaitsForEver() {
        try (GroupExecutor tight =
                executor(b -> b.defaultQueueThresholdPerGroup(0).rejectionPolicy(RejectionPolicy.DISCARD))) {
            ExecutorService its = full(tight);
            FutureTask<String> foreign = new FutureTask<>(() -> "never");
            its.execute(foreign);
            assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> get(foreign));
            assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> get(its.submit(() -> "never")));
        }
    }

    @Test
    void callerRunsRunsItRightThere() throws Exception {
        try (GroupExecutor tight =
                executor(b -> b.defaultQueueThresholdPerGroup(0).rejectionPolicy(RejectionPolicy.CALLER_RUNS))) {
            Future<Thread> ran = full(tight).submit(Thread::currentThread);
            assertThat(ran.isDone()).isTrue();
            assertThat(get(ran)).isSameAs(Thread.currentThread());
        }
    }

    @Test
    void displacedTaskIsCancelled() {
        try (GroupExecutor tight =
                executor(b -> b.defaultQueueThresholdPerGroup(1).rejectionPolicy(RejectionPolicy.DISCARD_OLDEST))) {
            ExecutorService its = full(tight);
            Future<String> oldest = its.submit(() -> "never");
            its.execute(() -> {});
            assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> get(oldest));
        }
    }

    // ---- all at once ---------------------------------------------------------------------------------------------

    /** Tasks come from many threads while the view is shut down: what was accepted ran or was handed back, nothing is lost. */
    @Test
    void shutdownNowUnderLoadLosesNothing() throws Exception {
        for (int round = 0; round < 50; round++) {
            ExecutorService racing = executor.asExecutorService("race");
            AtomicInteger accepted = new AtomicInteger();
            AtomicInteger begun = new AtomicInteger();
            CountDownLatch underWay = new CountDownLatch(100);
            List<Caller<Boolean>> callers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                callers.add(Caller.of(() -> {
                    try {
                        while (true) {
                            racing.execute(begun::incrementAndGet);
                            accepted.incrementAndGet();
                            underWay.countDown();
                        }
                    } catch (RejectedExecutionException e) {
                        return true;
                    }
                }));
            }
            TestKit.await(underWay);
            int handedBack = racing.shutdownNow().size();
            for (Caller<Boolean> caller : callers) {
                caller.result();
            }
            assertThat(racing.awaitTermination(PATIENCE, TimeUnit.SECONDS)).isTrue();
            assertThat(begun.get() + handedBack).isEqualTo(accepted.get());
        }
    }
}
