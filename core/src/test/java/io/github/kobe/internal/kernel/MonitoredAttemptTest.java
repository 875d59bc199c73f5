package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

/** The same where there is no crowd, and the group's watch looks after all of them: it may be in the timer, and nothing else. */
class MonitoredAttemptTest extends AttemptStateTest {

    @Override
    int crowd() {
        return DispatcherConfig.DEFAULT_SWEEP_CAPACITY;
    }

    @Override
    void assertThatNothingIsPending() {
        assertThat(timer.pendingBut(DeadlineMonitor.class)).isZero();
    }
}
