package io.github.kobe.isolation;

import static io.github.kobe.isolation.Mix.MS;
import static io.github.kobe.isolation.Mix.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.VirtualTime;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Is a key remembered as one that wants places after all its tasks in line were withdrawn? */
class WithdrawnTest {

    private static final int PLACES = 4;

    private IsolationQueue tenants;
    private final VirtualTime time = new VirtualTime(
            timer -> tenants = new IsolationQueue(Thresholds.USUAL, PLACES, timer, Journals.NONE), PLACES);

    private void submit(String key, long duration) {
        time.submit(key, duration, (its, waited) -> {}, () -> {});
    }

    @Test
    void nothingIsKeptForAKeyThatIsNoMore() {
        List<String> known = List.of("quick-1", "quick-2", "quick-3", "withdrawn");
        for (long at = 0; at < 100 * SECOND; at += SECOND) {
            time.at(at, () -> submit("slow", SECOND));
        }
        for (String key : known) {
            time.at(SECOND / 2, () -> submit(key, MS));
            time.at(3 * SECOND / 2, () -> submit(key, MS * 100));
        }
        time.at(3 * SECOND / 2 + MS, () -> {
            tenants.processEvents();
            assertThat(queued("withdrawn")).isEqualTo(1);
            time.dispatcher().stopGroup("withdrawn");
        });
        time.runUntil(99 * SECOND);
        assertThat(tenants.reserve()).isZero();
    }

    private int queued(String key) {
        Group group = time.dispatcher().group(key);
        return group == null ? 0 : group.queued();
    }
}
