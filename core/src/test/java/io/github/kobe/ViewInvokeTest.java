package io.github.kobe;

import static io.github.kobe.TestKit.PATIENCE;
import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.Places;
import io.github.kobe.TestKit.Plug;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Do {@code invokeAll}, {@code invokeAny} and a completion service do with a view what they do with any executor service? */
@Timeout(60)
class ViewInvokeTest {

    private static final Callable<String> FAILS = () -> {
        throw new IllegalStateException("on purpose");
    };

    private final GroupExecutor executor = executor(b -> b);
    private final ExecutorService view = executor.asExecutorService("g");

    @AfterEach
    void close() {
        executor.close();
    }

    private void assertNothingIsLeft() {
        eventually(() -> {
            assertThat(Places.of(executor).active()).isZero();
            assertThat(Places.of(executor).queued()).isZero();
        });
    }

    // ---- all -----------------------------------------------------------------------------------------------------

    @Test
    void allGivesDoneFuturesInOrder() throws Exception {
        List<Future<String>> futures = view.invokeAll(List.of(() -> "a", FAILS, () -> "c"));
        assertThat(futures).allMatch(Future::isDone).hasSize(3);
        assertThat(futures.get(0).get()).isEqualTo("a");
        assertThatExceptionOfType(ExecutionException.class).isThrownBy(futures.get(1)::get);
        assertThat(futures.get(2).get()).isEqualTo("c");
        assertThat(view.invokeAll(List.<Callable<String>>of())).isEmpty();
    }

    @Test
    void allInTimeCancelsTheRestWhenTheTimeIsOver() throws Exception {
        Plug plug = Plug.polite();
        List<Future<String>> futures =
                view.invokeAll(List.<Callable<String>>of(() -> "a", plug, () -> "never"), 50, TimeUnit.MILLISECONDS);
        assertThat(futures).allMatch(Future::isDone).hasSize(3);
        assertThat(futures.get(2).isCancelled()).isTrue();
        if (plug.hasStarted()) {
            await(plug.ended);
        }
        assertNothingIsLeft();
    }

    @Test
    void allInTimeGivesAllThatThereIsTimeFor() throws Exception {
        List<Future<String>> futures =
                view.invokeAll(List.of(() -> "a", () -> "b"), PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(futures).extracting(Future::resultNow).containsExactly("a", "b");
    }

    @Test
    void allInNoTimeRunsNothing() throws Exception {
        List<Future<String>> futures = view.invokeAll(List.of(() -> "a", () -> "b"), 0, TimeUnit.SECONDS);
        assertThat(futures).allMatch(Future::isCancelled).hasSize(2);
        assertThat(view.submit(() -> "after").get()).isEqualTo("after");
    }

    @Test
    void allCancelsItsTasksWhenTheCallerIsInterrupted() {
        Plug plug = Plug.polite();
        Caller<List<Future<String>>> caller =
                Caller.of(() -> view.invokeAll(List.<Callable<String>>of(plug, () -> "next")));
        await(plug.started);
        caller.interruptWhenWaiting();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(caller::result)
                .withCauseInstanceOf(InterruptedException.class);
        await(plug.interrupted);
        assertNothingIsLeft();
    }

    @Test
    void allRefusesNull() {
        assertThatNullPointerException().isThrownBy(() -> view.invokeAll(null));
        assertThatNullPointerException().isThrownBy(() -> view.invokeAll(Arrays.asList(() -> "a", null)));
        assertThatNullPointerException()
                .isThrownBy(() -> view.invokeAll(Arrays.asList(() -> "a", null), 1, TimeUnit.SECONDS));
        assertThatNullPointerException().isThrownBy(() -> view.invokeAll(List.of(() -> "a"), 1, null));
        assertNothingIsLeft();
    }

    // ---- any -----------------------------------------------------------------------------------------------------

    @Test
    void anyGivesTheFirstSuccess() throws Exception {
        assertThat(view.invokeAny(List.of(FAILS, () -> "success"))).isEqualTo("success");
        assertThat(view.invokeAny(List.of(FAILS, () -> "success"), PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isEqualTo("success");
    }

    @Test
    void anyCancelsTheOthersWhetherTheyRunOrWait() throws Exception {
        try (GroupExecutor two = executor(b -> b.defaultMaxConcurrencyPerGroup(2))) {
            Plug loser = Plug.stubborn();
            Plug winner = Plug.polite();
            Plug waits = Plug.polite();
            Caller<String> caller =
                    Caller.of(() -> two.asExecutorService("g").invokeAny(List.of(loser, winner, waits)));
            await(loser.started);
            await(winner.started);
            eventually(() -> assertThat(Places.of(two).queued()).isEqualTo(1));
            two.setMaxConcurrency("g", 1); // or the one that waits would start when the winner ends
            winner.release();
            assertThat(caller.result()).isEqualTo("released");
            await(loser.interrupted);
            assertThat(Places.of(two).queued())
                    .as("it has left the line at once")
                    .isZero();
            loser.release();
            await(loser.ended);
            assertThat(waits.hasStarted()).isFalse();
        }
    }

    @Test
    void anyFailsIfAllFail() {
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> view.invokeAny(List.of(FAILS, FAILS)))
                .havingCause()
                .withMessage("on purpose");
    }

    @Test
    void anyGivesUpWhenTheTimeIsOver() {
        Plug plug = Plug.polite();
        assertThatExceptionOfType(TimeoutException.class)
                .isThrownBy(() -> view.invokeAny(List.of(plug, plug), 20, TimeUnit.MILLISECONDS));
        assertNothingIsLeft();
    }

    @Test
    void anyRefusesNullAndNothing() {
        assertThatNullPointerException().isThrownBy(() -> view.invokeAny(null));
        assertThatNullPointerException().isThrownBy(() -> view.invokeAny(Arrays.asList((Callable<String>) null)));
        assertThatIllegalArgumentException().isThrownBy(() -> view.invokeAny(List.<Callable<String>>of()));
        assertNothingIsLeft();
    }

    // ---- a completion service ------------------------------------------------------------------------------------

    @Test
    void completionServiceGivesFuturesAsTheyEnd() throws Exception {
        ExecutorCompletionService<String> service = new ExecutorCompletionService<>(view);
        service.submit(() -> "a");
        service.submit(() -> {}, "b");
        assertThat(service.take().get()).isEqualTo("a");
        assertThat(service.take().get()).isEqualTo("b");
        assertThat(service.poll()).isNull();
    }

    @Test
    void futureOfACompletionServiceLeavesTheLineWhenCancelled() throws Exception {
        Plug plug = Plug.polite();
        ExecutorCompletionService<String> service = new ExecutorCompletionService<>(view);
        Future<String> running = service.submit(plug);
        await(plug.started);
        Future<String> waiting = service.submit(() -> "never");
        assertThat(waiting.cancel(false)).isTrue();
        assertThat(Places.of(executor).queued()).isZero();
        assertThat(service.take()).isSameAs(waiting);
        plug.release();
        assertThat(service.take()).isSameAs(running);
        assertThat(running.get()).isEqualTo("released");
    }

    @Test
    void futureOfACompletionServiceEndsWithTheGroup() throws Exception {
        Plug plug = Plug.stubborn();
        ExecutorCompletionService<String> service = new ExecutorCompletionService<>(view);
        Future<String> running = service.submit(plug);
        await(plug.started);
        Future<String> waiting = service.submit(() -> "never");
        executor.shutdownGroup("g");
        assertThatExceptionOfType(CancellationException.class).isThrownBy(running::get);
        assertThatExceptionOfType(CancellationException.class).isThrownBy(waiting::get);
        assertThat(service.take()).isSameAs(waiting);
        plug.release();
        assertThat(service.take()).as("when it has really ended").isSameAs(running);
    }
}
