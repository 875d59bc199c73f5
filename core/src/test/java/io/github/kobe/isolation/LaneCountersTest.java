package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.kernel.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Do the counters of the lanes show the tasks in them? */
class LaneCountersTest {

    private static final long TARGET = IsolationKit.TARGET_NANOS;

    private static final String KEY = "key";

    private IsolationQueue queue;
    private LaneCounters lanes;

    /** The size of a lane is 10, and a key may have 3 permits of it. */
    private void open() {
        new VirtualTime(
                timer -> {
                    queue = new IsolationQueue(IsolationKit.DEFAULTS, 50, timer, IsolationKit.NO_CHANGE_LISTENER);
                    lanes = new LaneCounters(queue, TARGET);
                    return queue;
                },
                50);
    }

    @Test
    void fullLaneTakesMoreWhileNoOtherKeyIsQueued() {
        open();
        KeyState state = new KeyState();
        List<Lane> entered = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            entered.add(lanes.enter(KEY, state, 0));
        }
        assertThat(entered).containsOnly(Lane.FAST);
        assertThat(lanes.running(Lane.FAST)).isEqualTo(12);
        entered.forEach(lanes::leave);
        assertThat(lanes.running(Lane.FAST)).isZero();
        assertThat(lanes.queueTimes(Lane.FAST).snapshot()[0]).isEqualTo(12);
    }

    @Test
    void lateTaskIsInTheBackupOnly() {
        open();
        KeyState state = new KeyState();
        state.slow = true;
        assertThat(lanes.enter(KEY, state, TARGET)).isEqualTo(Lane.SLOW);
        assertThat(lanes.enter(KEY, state, TARGET + 1)).isEqualTo(Lane.SLOW_BACKUP);
        assertThat(lanes.running(Lane.SLOW)).isEqualTo(1);
        assertThat(lanes.running(Lane.SLOW_BACKUP)).isEqualTo(1);
    }

    /** The state of a key has no group if the group retired before it admitted a task. */
    @Test
    void whiteListedKeyIsInItsLaneWhateverItsState() {
        open();
        queue.setWhiteList(Set.of(KEY));
        assertThat(lanes.enter(KEY, new KeyState(), 0)).isEqualTo(Lane.WHITE_LIST);
        assertThat(lanes.enter("other", new KeyState(), 0)).isEqualTo(Lane.FAST);
    }
}
