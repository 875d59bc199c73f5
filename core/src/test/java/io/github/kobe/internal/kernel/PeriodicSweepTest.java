package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.time.FakeTimer;
import io.github.kobe.internal.time.PeriodicSweep;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A periodic sweep leaves the timer as soon as it is not needed. */
class PeriodicSweepTest {

    private final FakeTimer timer = new FakeTimer();
    private final AtomicInteger rounds = new AtomicInteger();
    private final AtomicBoolean needed = new AtomicBoolean(true);
    private final PeriodicSweep sweep = new PeriodicSweep(timer, 10, rounds::incrementAndGet, needed::get);

    @Test
    void sweepsWhileItIsNeeded() {
        sweep.schedule();
        timer.advance(25);
        assertThat(rounds).hasValue(2);
        needed.set(false);
        timer.advance(10);
        assertThat(rounds).hasValue(3);
        assertThat(timer.pending()).isZero();
    }

    @Test
    void cancelStopsTheNextSweep() {
        sweep.schedule();
        needed.set(false);
        sweep.cancel();
        assertThat(timer.pending()).isZero();
        timer.advance(100);
        assertThat(rounds).hasValue(0);
    }

    @Test
    void scheduleAfterCancelStartsAgain() {
        sweep.schedule();
        needed.set(false);
        sweep.cancel();
        needed.set(true);
        sweep.schedule();
        timer.advance(10);
        assertThat(rounds).hasValue(1);
    }

    @Test
    void cancelHasNoEffectWhileTheSweepIsNeeded() {
        sweep.schedule();
        sweep.cancel();
        timer.advance(10);
        assertThat(rounds).hasValue(1);
    }

    @Test
    void cancelOfAnUnscheduledSweepDoesNothing() {
        sweep.cancel();
        assertThat(timer.pending()).isZero();
    }

    @Test
    void stoppedDispatcherLeavesNoTimerEntry() {
        StepDispatcher runner = new StepDispatcher(1, Integer.MAX_VALUE, 1_000);
        runner.submit("g");
        assertThat(runner.timer.pending()).isEqualTo(1);
        runner.dispatcher.stop();
        runner.finishOldest();
        assertThat(runner.timer.pending()).isZero();
    }

    @Test
    void drainedDispatcherLeavesNoTimerEntry() {
        StepDispatcher runner = new StepDispatcher(1, Integer.MAX_VALUE, 1_000);
        runner.submit("g");
        runner.dispatcher.close();
        runner.finishOldest();
        assertThat(runner.timer.pending()).isZero();
    }
}
