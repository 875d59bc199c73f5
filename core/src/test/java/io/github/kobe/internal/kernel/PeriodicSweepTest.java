package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.time.FakeTimer;
import io.github.kobe.internal.time.PeriodicSweep;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Is the timer rid of a patrol as soon as there is nothing more to look at? */
class PeriodicSweepTest {

    private final FakeTimer timer = new FakeTimer();
    private final AtomicInteger rounds = new AtomicInteger();
    private final AtomicBoolean needed = new AtomicBoolean(true);
    private final PeriodicSweep patrol = new PeriodicSweep(timer, 10, rounds::incrementAndGet, needed::get);

    @Test
    void roundsAreMadeWhileTheyAreNeeded() {
        patrol.schedule();
        timer.advance(25);
        assertThat(rounds).hasValue(2);
        needed.set(false);
        timer.advance(10);
        assertThat(rounds).hasValue(3);
        assertThat(timer.pending()).isZero();
    }

    @Test
    void restCallsTheNextRoundOff() {
        patrol.schedule();
        needed.set(false);
        patrol.cancel();
        assertThat(timer.pending()).isZero();
        timer.advance(100);
        assertThat(rounds).hasValue(0);
    }

    @Test
    void wakeAfterARestStartsAnew() {
        patrol.schedule();
        needed.set(false);
        patrol.cancel();
        needed.set(true);
        patrol.schedule();
        timer.advance(10);
        assertThat(rounds).hasValue(1);
    }

    @Test
    void restGoesOnIfThereIsSomethingToLookAtAllTheSame() {
        patrol.schedule();
        patrol.cancel();
        timer.advance(10);
        assertThat(rounds).hasValue(1);
    }

    @Test
    void restOfOneThatSleepsDoesNothing() {
        patrol.cancel();
        assertThat(timer.pending()).isZero();
    }

    @Test
    void dispatcherThatIsStoppedLeavesNothingInTheTimer() {
        StepRunner crank = new StepRunner(1, Integer.MAX_VALUE, 1_000);
        crank.submit("g");
        assertThat(crank.timer.pending()).isEqualTo(1);
        crank.dispatcher.stop();
        crank.finishOldest();
        assertThat(crank.timer.pending()).isZero();
    }

    @Test
    void dispatcherThatIsDrainedLeavesNothingInTheTimer() {
        StepRunner crank = new StepRunner(1, Integer.MAX_VALUE, 1_000);
        crank.submit("g");
        crank.dispatcher.close();
        crank.finishOldest();
        assertThat(crank.timer.pending()).isZero();
    }
}
