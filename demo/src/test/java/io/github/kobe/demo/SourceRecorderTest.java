package io.github.kobe.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** Does the recorder derive waits, run times and orphans from events? */
class SourceRecorderTest {

    private static final long MILLI = 1_000_000;

    private long now = 7;
    private final SourceRecorder recorder = new SourceRecorder(new Source("r", "k", 2), () -> now, now);

    private void advance(long millis) {
        now += millis * MILLI;
    }

    @Test
    void aWaitLastsFromSubmissionToStart() {
        advance(5);
        SourceRecorder.Wait wait = recorder.submitted();
        advance(30);
        assertThat(recorder.view(false)).isEqualTo(new Snapshot.Row("r", 0, 1, 30));
        recorder.waitFinished(wait);
        recorder.started();
        advance(100);
        assertThat(recorder.view(false)).isEqualTo(new Snapshot.Row("r", 1, 0, 30));
        recorder.completed();
        SourceResult row = recorder.freeze();
        assertThat(row.waits()).containsExactly(new WaitSample(5, 30, true));
        assertThat(row.runSeconds()).isCloseTo(0.1, within(1e-9));
        assertThat(row.completed()).isOne();
    }

    @Test
    void theViewDropsAFinishedWaitAfterASecond() {
        recorder.waitFinished(recorder.submitted());
        SourceRecorder.Wait slow = recorder.submitted();
        advance(50);
        recorder.waitFinished(slow);
        advance(999);
        assertThat(recorder.view(false).waitMillis()).isEqualTo(50);
        advance(2);
        assertThat(recorder.view(false).waitMillis()).isZero();
    }

    @Test
    void anUnfinishedWaitCountsWithItsTimeSoFar() {
        recorder.submitted();
        advance(40);
        SourceResult row = recorder.freeze();
        assertThat(row.waits()).containsExactly(new WaitSample(0, 40, false));
        assertThat(row.submitted()).isOne();
    }

    @Test
    void startsBeyondTheLimitAreCounted() {
        for (int i = 0; i < 3; i++) {
            recorder.started();
        }
        recorder.completed();
        recorder.started();
        SourceResult row = recorder.freeze();
        assertThat(row.peak()).isEqualTo(3);
        assertThat(row.startedBeyondLimit()).isEqualTo(2);
    }

    @Test
    void orphansNoLongerCountAsRunTime() {
        recorder.started();
        recorder.started();
        advance(10);
        recorder.orphaned(2);
        assertThat(recorder.view(true)).isEqualTo(new Snapshot.Row("r", 0, 2, 0));
        advance(100);
        recorder.orphanCompleted();
        advance(100);
        SourceResult row = recorder.freeze();
        assertThat(row.runSeconds()).isCloseTo(0.02, within(1e-9));
        assertThat(row.orphanSeconds()).isCloseTo(0.3, within(1e-9));
        assertThat(row.orphaned()).isEqualTo(2);
        assertThat(row.runningOrphans()).isOne();
    }

    @Test
    void nothingCountsAfterFreeze() {
        SourceRecorder.Wait wait = recorder.submitted();
        recorder.started();
        SourceResult first = recorder.freeze();
        advance(1000);
        recorder.waitFinished(wait);
        recorder.waitFinished(recorder.submitted());
        recorder.orphaned(1);
        recorder.orphanCompleted();
        SourceResult second = recorder.freeze();
        assertThat(second.runSeconds()).isEqualTo(first.runSeconds());
        assertThat(second.submitted()).isEqualTo(first.submitted());
        assertThat(second.orphaned()).isZero();
        assertThat(second.orphanSeconds()).isZero();
    }
}
