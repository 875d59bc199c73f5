package io.github.kobe.internal.fair;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.time.FakeTimer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a group is charged, step by step. Its tasks have held their permits for 100 each. */
class ServiceTimeStateTest {

    private static final double IF_UNKNOWN = 7;

    private final FakeTimer timer = new FakeTimer();
    private final ServiceTimeState state = new ServiceTimeState(new ServiceTimeQueue(timer::nanoTime));

    @BeforeEach
    void completeOneTaskOf100() {
        state.started(1_000, IF_UNKNOWN);
        assertThat(state.currentRank()).isEqualTo(IF_UNKNOWN);
        state.completed(1_000, 1_100, IF_UNKNOWN);
        assertThat(state.currentRank()).isEqualTo(100);
    }

    private double keyAt(long now) {
        state.settle(now);
        return state.currentRank();
    }

    @Test
    void keyIsConstantUntilTheExpectedTimeAndRisesAfterwards() {
        state.started(2_000, IF_UNKNOWN);
        state.started(2_000, IF_UNKNOWN);
        assertThat(keyAt(2_000)).isEqualTo(300);
        assertThat(keyAt(2_060)).isEqualTo(300);
        assertThat(state.virtualTime()).isEqualTo(220);
        assertThat(keyAt(2_100)).isEqualTo(300);
        assertThat(keyAt(2_150)).isEqualTo(400);
    }

    @Test
    void taskThatCompletesEarlyIsRefunded() {
        state.started(2_000, IF_UNKNOWN);
        state.started(2_000, IF_UNKNOWN);
        state.completed(2_000, 2_010, IF_UNKNOWN);
        assertThat(state.currentRank()).isEqualTo(210);
        state.completed(2_000, 2_020, IF_UNKNOWN);
        assertThat(state.currentRank()).isEqualTo(130);
    }

    @Test
    void clockReadingsOutOfOrderAreNotCharged() {
        state.started(2_000, IF_UNKNOWN);
        state.settle(2_500);
        state.started(2_400, IF_UNKNOWN);
        state.completed(2_000, 2_450, IF_UNKNOWN);
        state.completed(2_400, 2_460, IF_UNKNOWN);
        assertThat(state.virtualTime()).isEqualTo(100 + 450 + 60);
    }

    @Test
    void chargeIsDividedByTheWeight() {
        state.setWeight(10);
        state.started(2_000, IF_UNKNOWN);
        assertThat(state.currentRank()).isEqualTo(110);
        state.completed(2_000, 2_200, IF_UNKNOWN);
        assertThat(state.currentRank()).isEqualTo(120);
    }

    @Test
    void changedWeightDoesNotChangeEarlierCharges() {
        state.started(2_000, IF_UNKNOWN);
        timer.advance(2_200);
        state.setWeight(10);
        assertThat(state.virtualTime()).isEqualTo(300);
        assertThat(keyAt(2_300)).isEqualTo(310);
    }

    @Test
    void raiseToNeverLowersTheKey() {
        state.started(2_000, IF_UNKNOWN);
        state.raiseTo(150);
        assertThat(state.currentRank()).isEqualTo(200);
        state.raiseTo(500);
        assertThat(state.currentRank()).isEqualTo(500);
        assertThat(state.virtualTime()).isEqualTo(400);
    }
}
