package io.github.kobe.internal.fair;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.time.FakeTimer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a group is charged, step by step. Its tickets have held their places for 100 each. */
class ServiceTimeStateTest {

    private static final double IF_UNKNOWN = 7;

    private final FakeTimer timer = new FakeTimer();
    private final ServiceTimeState share = new ServiceTimeState(new ServiceTimeQueue(timer::nanoTime));

    @BeforeEach
    void oneOf100() {
        share.started(1_000, IF_UNKNOWN);
        assertThat(share.currentRank()).isEqualTo(IF_UNKNOWN);
        share.completed(1_000, 1_100, IF_UNKNOWN);
        assertThat(share.currentRank()).isEqualTo(100);
    }

    private double keyAt(long now) {
        share.settle(now);
        return share.currentRank();
    }

    @Test
    void keyStandsStillWhileTicketsDoAsExpectedAndRisesAfterThat() {
        share.started(2_000, IF_UNKNOWN);
        share.started(2_000, IF_UNKNOWN);
        assertThat(keyAt(2_000)).isEqualTo(300);
        assertThat(keyAt(2_060)).isEqualTo(300);
        assertThat(share.virtualTime()).isEqualTo(220);
        assertThat(keyAt(2_100)).isEqualTo(300);
        assertThat(keyAt(2_150)).isEqualTo(400);
    }

    @Test
    void ticketThatEndsEarlyGivesBackTheRest() {
        share.started(2_000, IF_UNKNOWN);
        share.started(2_000, IF_UNKNOWN);
        share.completed(2_000, 2_010, IF_UNKNOWN);
        assertThat(share.currentRank()).isEqualTo(210);
        share.completed(2_000, 2_020, IF_UNKNOWN);
        assertThat(share.currentRank()).isEqualTo(130);
    }

    @Test
    void lookingAtTheClockOutOfOrderCostsNobodyAnything() {
        share.started(2_000, IF_UNKNOWN);
        share.settle(2_500);
        share.started(2_400, IF_UNKNOWN);
        share.completed(2_000, 2_450, IF_UNKNOWN);
        share.completed(2_400, 2_460, IF_UNKNOWN);
        assertThat(share.virtualTime()).isEqualTo(100 + 450 + 60);
    }

    @Test
    void weightDividesWhatIsHeldUnderIt() {
        share.setWeight(10);
        share.started(2_000, IF_UNKNOWN);
        assertThat(share.currentRank()).isEqualTo(110);
        share.completed(2_000, 2_200, IF_UNKNOWN);
        assertThat(share.currentRank()).isEqualTo(120);
    }

    @Test
    void changedWeightLeavesWhatWasHeldAsItIs() {
        share.started(2_000, IF_UNKNOWN);
        timer.advance(2_200);
        share.setWeight(10);
        assertThat(share.virtualTime()).isEqualTo(300);
        assertThat(keyAt(2_300)).isEqualTo(310);
    }

    @Test
    void liftIsByTheKeyAndNeverDownwards() {
        share.started(2_000, IF_UNKNOWN);
        share.raiseTo(150);
        assertThat(share.currentRank()).isEqualTo(200);
        share.raiseTo(500);
        assertThat(share.currentRank()).isEqualTo(500);
        assertThat(share.virtualTime()).isEqualTo(400);
    }
}
