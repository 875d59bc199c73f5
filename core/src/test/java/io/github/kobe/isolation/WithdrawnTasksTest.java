package io.github.kobe.isolation;

import static io.github.kobe.isolation.WorkloadMix.MS;
import static io.github.kobe.isolation.WorkloadMix.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.VirtualTime;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Does a key still count as demand after all its queued tasks were withdrawn? */
class WithdrawnTasksTest {

    private static final int PERMITS = 4;

    private IsolationQueue queue;
    private final VirtualTime time = new VirtualTime(
            timer -> queue = new IsolationQueue(IsolationKit.DEFAULTS, PERMITS, timer, IsolationKit.NO_CHANGE_LISTENER),
            PERMITS);

    private void submit(String key, long duration) {
        time.submit(key, duration, (started, queuedFor) -> {}, () -> {});
    }

    @Test
    void nothingIsReservedForAKeyWithoutTasks() {
        List<String> known = List.of("fast-1", "fast-2", "fast-3", "withdrawn");
        for (long at = 0; at < 100 * SECOND; at += SECOND) {
            time.at(at, () -> submit("slow", SECOND));
        }
        for (String key : known) {
            time.at(SECOND / 2, () -> submit(key, MS));
            time.at(3 * SECOND / 2, () -> submit(key, MS * 100));
        }
        time.at(3 * SECOND / 2 + MS, () -> {
            queue.processEvents();
            assertThat(queued("withdrawn")).isEqualTo(1);
            time.dispatcher().stopGroup("withdrawn");
        });
        time.runUntil(99 * SECOND);
        assertThat(queue.reserve()).isZero();
    }

    private int queued(String key) {
        Group group = time.dispatcher().group(key);
        return group == null ? 0 : group.queued();
    }
}
