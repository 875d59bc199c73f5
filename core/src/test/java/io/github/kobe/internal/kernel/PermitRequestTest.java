package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.internal.kernel.PermitRequest.Result;
import java.lang.reflect.Field;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A thread that waits for a permit learns the result of its request, also if two results race. */
@Timeout(60)
class PermitRequestTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;

    private final StepDispatcher runner = new StepDispatcher(1, UNLIMITED, Long.MAX_VALUE);
    private final SimulatedTask running = runner.submit("g");
    private final PermitRequest request = enqueued();

    private PermitRequest enqueued() {
        PermitRequest fresh = new PermitRequest();
        assertThat(runner.dispatcher.submit("g", fresh)).isEqualTo(Admission.ADMITTED);
        return fresh;
    }

    private Group group() {
        return runner.dispatcher.group("g");
    }

    @Test
    void grantedInOrderAndHeldUntilReleased() throws Exception {
        SimulatedTask behind = runner.submit("g");
        runner.finish(running);
        assertThat(request.await(0)).isEqualTo(Result.GRANTED);
        assertThat(request.isGranted()).isTrue();
        assertThat(runner.runs(behind)).isFalse();
        assertThat(request.release(0)).isTrue();
        assertThat(request.release(0)).isFalse();
        assertThat(runner.runs(behind)).isTrue();
        assertThat(group().active()).isEqualTo(1);
    }

    @Test
    void expiredAfterItsMaxWait() throws Exception {
        assertThat(request.await(0)).isEqualTo(Result.EXPIRED);
        assertThat(group().queued()).isZero();
        runner.finish(running);
        assertThat(group().active()).isZero();
        assertThat(request.isGranted()).isFalse();
    }

    @Test
    void stoppedByShutdown() throws Exception {
        runner.dispatcher.stop();
        assertThat(request.await(Long.MAX_VALUE)).isEqualTo(Result.STOPPED);
    }

    @Test
    void displacedByALaterTask() throws Exception {
        group().displace();
        assertThat(request.await(Long.MAX_VALUE)).isEqualTo(Result.DISPLACED);
        assertThat(group().queued()).isZero();
    }

    @ParameterizedTest
    @EnumSource(
            value = Result.class,
            names = {"GRANTED", "STOPPED", "DISPLACED"})
    void decidedResultIsAwaitedAfterTheMaxWait(Result fate) throws Exception {
        decideWithoutPublishing();
        FutureTask<Result> waiting = new FutureTask<>(() -> request.await(0));
        Thread thread = new Thread(waiting);
        thread.start();
        publishWhenItWaits(thread, fate);
        assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo(fate);
    }

    @ParameterizedTest
    @EnumSource(
            value = Result.class,
            names = {"GRANTED", "STOPPED", "DISPLACED"})
    void decidedResultIsAwaitedAfterAnInterrupt(Result fate) throws Exception {
        decideWithoutPublishing();
        FutureTask<Boolean> waiting = new FutureTask<>(() -> {
            Thread.currentThread().interrupt();
            assertThat(request.await(Long.MAX_VALUE)).isEqualTo(fate);
            return Thread.interrupted();
        });
        Thread thread = new Thread(waiting);
        thread.start();
        publishWhenItWaits(thread, fate);
        assertThat(waiting.get(30, TimeUnit.SECONDS)).as("the interrupt flag").isTrue();
    }

    @Test
    void interruptWithdrawsTheRequest() {
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> request.await(Long.MAX_VALUE));
        assertThat(Thread.interrupted()).isFalse();
        assertThat(group().queued()).isZero();
    }

    /** As a thread that is suspended after it has decided the result and before it has published it. */
    private void decideWithoutPublishing() throws Exception {
        CompletableFuture<Result> waiters = request.completion();
        Field decided = waiters.getClass().getDeclaredField("decided");
        decided.setAccessible(true);
        ((AtomicBoolean) decided.get(waiters)).set(true);
    }

    private void publishWhenItWaits(Thread thread, Result fate) {
        while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TERMINATED) {
            Thread.onSpinWait();
        }
        request.publishResult(fate);
    }
}
