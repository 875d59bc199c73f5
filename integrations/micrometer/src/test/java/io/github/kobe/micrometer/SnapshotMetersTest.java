package io.github.kobe.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Do the meters of a snapshot show what they should, whatever the snapshots are? */
class SnapshotMetersTest {

    @Test
    void counterDoesNotGoBackIfAnOutcomeWasTakenBack() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        Iterator<Long> cancelled = List.of(5L, 4L, 4L, 6L).iterator();
        SnapshotMeters<Long> meters = new SnapshotMeters<>(registry, Tags.empty(), Duration.ZERO, 0L, cancelled::next);
        meters.counter("cancelled", null, "", Tags.empty(), snapshot -> snapshot);
        for (double expected : new double[] {5, 5, 5, 6}) {
            assertThat(registry.get("cancelled").functionCounter().count()).isEqualTo(expected);
        }
    }
}
