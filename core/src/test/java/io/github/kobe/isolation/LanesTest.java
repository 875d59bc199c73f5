package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Do the books of the lanes show who is in them? */
class LanesTest {

    private static final long TARGET = Standards.USUAL.targetNanos();

    private static final String KEY = "key";

    private Tenants tenants;
    private Lanes lanes;

    /** A lane takes 10, and a key's share of it is 3. */
    private void open() {
        new VirtualTime(
                timer -> {
                    tenants = new Tenants(Standards.USUAL, 50, timer, Journals.NONE);
                    lanes = new Lanes(tenants, TARGET);
                    return tenants;
                },
                50);
    }

    @Test
    void laneThatIsFullTakesMoreWhileNobodyWaits() {
        open();
        TenantShare share = new TenantShare();
        List<Lane> entered = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            entered.add(lanes.enter(KEY, share, 0));
        }
        assertThat(entered).containsOnly(Lane.FAST);
        assertThat(lanes.running(Lane.FAST)).isEqualTo(12);
        entered.forEach(lanes::leave);
        assertThat(lanes.running(Lane.FAST)).isZero();
        assertThat(lanes.waiting(Lane.FAST).snapshot()[0]).isEqualTo(12);
    }

    @Test
    void taskThatHasWaitedForLongIsInTheBackupAlone() {
        open();
        TenantShare share = new TenantShare();
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
        assertThat(lanes.enter(KEY, new TenantShare(), 0)).isEqualTo(Lane.WHITE_LIST);
        assertThat(lanes.enter("other", new TenantShare(), 0)).isEqualTo(Lane.FAST);
    }
}
