package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** For which queued tasks the time of enqueueing is known. */
class QueueTimestampTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;

    /** One task runs, and the others are queued. */
    private static List<Boolean> timed(int tasks, boolean displaces) {
        StepRunner runner = new StepRunner(
                key -> new GroupLimits(1, UNLIMITED, UNLIMITED),
                new DispatcherConfig(
                        UNLIMITED,
                        UNLIMITED,
                        Long.MAX_VALUE,
                        false,
                        false,
                        DispatcherConfig.NO_AGEING,
                        displaces,
                        DispatcherConfig.DEFAULT_SWEEP_CAPACITY));
        runner.timer.advance(1); // 0 means "not set"
        runner.submit("g");
        List<Boolean> timed = new ArrayList<>();
        for (int i = 0; i < tasks; i++) {
            timed.add(runner.submit("g").queuedAt() != 0);
        }
        return timed;
    }

    @Test
    void knownForEachTaskOfAShortQueue() {
        assertThat(timed(8, false)).containsOnly(true);
    }

    @Test
    void knownForAboutEveryEighthTaskOfALongQueue() {
        List<Boolean> timed = timed(8008, false);
        assertThat(timed.subList(8, 8008).stream().filter(known -> known)).hasSizeBetween(900, 1100);
    }

    /** The sampling has no period, so each priority has samples whatever the order of submissions. */
    @Test
    void sampledWithoutAPeriod() {
        List<Boolean> timed = timed(8000, false);
        for (int stride = 1; stride <= 64; stride++) {
            for (int first = 0; first < stride; first++) {
                int known = 0;
                for (int i = first; i < timed.size(); i += stride) {
                    known += timed.get(i) ? 1 : 0;
                }
                assertThat(known).as("every %d. from %d on", stride, first).isPositive();
            }
        }
    }

    @Test
    void knownForEachTaskIfTasksCanBeDisplaced() {
        assertThat(timed(100, true)).containsOnly(true);
    }
}
