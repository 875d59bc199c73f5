package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.kernel.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Do the books of the lanes show who is in them? */
class LaneCountersTest {

    private static final long TARGET = Thresholds.USUAL.targetNanos();

    private static final String KEY = "key";

    private IsolationQueue tenants;
    private LaneCounters lanes;

    /** A lane takes 10, and a key's share of it is 3. */
    private void open() {
        new VirtualTime(
                timer -> {
                    tenants = new IsolationQueue(Thresholds.USUAL, 50, timer, Journals.NONE);
                    lanes = new LaneCounters(tenants, TARGET);
                    return tenants;
                },
                50);
    }

    @Test
    void laneThatIsFullTakesMoreWhileNobodyWaits() {
        open();
        KeyState share = new KeyState();
        List<Lane> entered = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            entered.add(lanes.enter(KEY, share, 0));
        }
        assertThat(entered).containsOnly(Lane.FAST);
        assertThat(lanes.running(Lane.FAST)).isEqualTo(12);
        entered.forEach(lanes::leave);
        assertThat(lanes.running(Lane.FAST)).isZero();
        assertThat(lanes.queueTimes(Lane.FAST).snapshot()[0]).isEqualTo(12);
    }

    @Test
    void taskThatHasWaitedForLongIsInTheBackupAlone() {
        open();
        KeyState share = new KeyState();
        share.slow = true;
        assertThat(lanes.enter(KEY, share, TARGET)).isEqualTo(Lane.SLOW);
        assertThat(lanes.enter(KEY, share, TARGET + 1)).isEqualTo(Lane.SLOW_BACKUP);
        assertThat(lanes.running(Lane.SLOW)).isEqualTo(1);
        assertThat(lanes.running(Lane.SLOW_BACKUP)).isEqualTo(1);
    }

    /** As of a group that retired before it let one in. */
    @Test
    void whoIsOnTheWhiteListIsInItsLaneWhateverIsKnownOfItsKey() {
        open();
        tenants.setWhiteList(Set.of(KEY));
        assertThat(lanes.enter(KEY, new KeyState(), 0)).isEqualTo(Lane.WHITE_LIST);
        assertThat(lanes.enter("other", new KeyState(), 0)).isEqualTo(Lane.FAST);
    }
}
