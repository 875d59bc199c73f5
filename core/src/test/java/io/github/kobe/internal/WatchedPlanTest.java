package io.github.kobe.internal;

import static org.assertj.core.api.Assertions.assertThat;

/** The same where there is no crowd, and the group's watch looks after all of them: it may be in the timer, and nothing else. */
class WatchedPlanTest extends PlanTest {

    @Override
    int crowd() {
        return Setup.CROWD;
    }

    @Override
    void assertThatNothingIsPending() {
        assertThat(timer.pendingBut(Watch.class)).isZero();
    }
}
