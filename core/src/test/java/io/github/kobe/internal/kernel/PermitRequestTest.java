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

/** Does a thread that waits for a place learn what became of it, however close two ends are to each other? */
@Timeout(60)
class PermitRequestTest {

    private static final int NO_CAP = Integer.MAX_VALUE;

    private final StepRunner crank = new StepRunner(1, NO_CAP, Long.MAX_VALUE);
    private final SimulatedTask running = crank.submit("g");
    private final PermitRequest ticket = inLine();

    private PermitRequest inLine() {
        PermitRequest fresh = new PermitRequest();
        assertThat(crank.dispatcher.submit("g", fresh)).isEqualTo(Admission.ADMITTED);
        return fresh;
    }

    private Group group() {
        return crank.dispatcher.group("g");
    }

    @Test
    void placedWhenItIsItsTurnAndUntilItGivesThePlaceBack() throws Exception {
        SimulatedTask behind = crank.submit("g");
        crank.finish(running);
        assertThat(ticket.await(0)).isEqualTo(Result.GRANTED);
        assertThat(ticket.isGranted()).isTrue();
        assertThat(crank.runs(behind)).isFalse();
        assertThat(ticket.release(0)).isTrue();
        assertThat(ticket.release(0)).isFalse();
        assertThat(crank.runs(behind)).isTrue();
        assertThat(group().active()).isEqualTo(1);
    }

    @Test
    void withdrawnWhenTheTimeIsOver() throws Exception {
        assertThat(ticket.await(0)).isEqualTo(Result.WITHDRAWN);
        assertThat(group().queued()).isZero();
        crank.finish(running);
        assertThat(group().active()).isZero();
        assertThat(ticket.isGranted()).isFalse();
    }

    @Test
    void stoppedByAShutdown() throws Exception {
        crank.dispatcher.stop();
        assertThat(ticket.await(Long.MAX_VALUE)).isEqualTo(Result.STOPPED);
    }

    @Test
    void displacedByOneThatCameLater() throws Exception {
        group().displace();
        assertThat(ticket.await(Long.MAX_VALUE)).isEqualTo(Result.DISPLACED);
        assertThat(group().queued()).isZero();
    }

    @ParameterizedTest
    @EnumSource(
            value = Result.class,
            names = {"GRANTED", "STOPPED", "DISPLACED"})
    void endThatIsDecidedButNotToldYetIsWaitedForWhenTheTimeIsOver(Result fate) throws Exception {
        decideWithoutTelling();
        FutureTask<Result> waiting = new FutureTask<>(() -> ticket.await(0));
        Thread thread = new Thread(waiting);
        thread.start();
        tellWhenItWaits(thread, fate);
        assertThat(waiting.get(30, TimeUnit.SECONDS)).isEqualTo(fate);
    }

    @Test
    void endThatIsDecidedButNotToldYetIsWaitedForWhenItIsInterrupted() throws Exception {
        decideWithoutTelling();
        FutureTask<Boolean> waiting = new FutureTask<>(() -> {
            Thread.currentThread().interrupt();
            assertThat(ticket.await(Long.MAX_VALUE)).isEqualTo(Result.GRANTED);
            return Thread.interrupted();
        });
        Thread thread = new Thread(waiting);
        thread.start();
        tellWhenItWaits(thread, Result.GRANTED);
        assertThat(waiting.get(30, TimeUnit.SECONDS)).as("its flag").isTrue();
    }

    @Test
    void interruptionEndsTheWaiting() {
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> ticket.await(Long.MAX_VALUE));
        assertThat(Thread.interrupted()).isFalse();
        assertThat(group().queued()).isZero();
    }

    /** As by a thread that is suspended right after it has won the right to end it. */
    private void decideWithoutTelling() throws Exception {
        CompletableFuture<Result> waiters = ticket.completion();
        Field decided = waiters.getClass().getDeclaredField("decided");
        decided.setAccessible(true);
        ((AtomicBoolean) decided.get(waiters)).set(true);
    }

    private void tellWhenItWaits(Thread thread, Result fate) {
        while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TERMINATED) {
            Thread.onSpinWait();
        }
        ticket.publishResult(fate);
    }
}
