package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

/** The same below the sweep capacity: the deadline monitor tracks all tasks. Only the monitor may be in the timer. */
class MonitoredAttemptTest extends AttemptStateTest {

    @Override
    int sweepCapacity() {
        return DispatcherConfig.DEFAULT_SWEEP_CAPACITY;
    }

    @Override
    void assertThatNothingIsPending() {
        assertThat(timer.pendingBut(DeadlineMonitor.class)).isZero();
    }
}
