package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Can the settings that were made at run time be read? */
@Timeout(60)
class LiveSettingsTest {

    private static final OptionalInt NONE = OptionalInt.empty();

    @Test
    void settingsAreReadByGroupWhetherItIsInUseOrNot() {
        try (GroupExecutor executor = executor(b -> b.idleGroupTtl(Duration.ZERO))) {
            assertThat(executor.liveSettings()).isEmpty();
            executor.setMaxConcurrency("a", 4);
            executor.setMaxInFlight("a", 3);
            executor.setQueueThreshold("a", 0);
            executor.setWeight("a", 2);
            executor.pauseGroup("b");
            resultOf(executor.submit("a", "t", () -> "ran"));
            resultOf(executor.submit("without", "t", () -> "ran"));
            GroupControl control = executor;
            assertThat(control.liveSettings())
                    .isEqualTo(Map.of(
                            "a",
                            new LiveSettings(
                                    OptionalInt.of(4), OptionalInt.of(3), OptionalInt.of(0), OptionalInt.of(2), false),
                            "b",
                            new LiveSettings(NONE, NONE, NONE, NONE, true)));
            executor.resumeGroup("b");
            executor.resetGroup("a");
            assertThat(executor.liveSettings()).isEmpty();
        }
    }

    @Test
    void snapshotDoesNotChange() {
        try (GroupExecutor executor = executor(b -> b)) {
            executor.setWeight("a", 2);
            Map<String, LiveSettings> before = executor.liveSettings();
            executor.setWeight("b", 2);
            assertThat(before).containsOnlyKeys("a");
            assertThatThrownBy(() -> before.remove("a")).isInstanceOf(UnsupportedOperationException.class);
        }
    }

    @Test
    void textNamesWhatWasSet() {
        assertThat(new LiveSettings(OptionalInt.of(4), OptionalInt.of(3), OptionalInt.of(100), OptionalInt.of(2), true))
                .hasToString("max concurrency 4, max in flight 3, queue threshold 100, weight 2, paused");
        assertThat(new LiveSettings(NONE, NONE, NONE, NONE, false)).hasToString("none");
    }

    @Test
    void gettersHaveNullForWhatWasNotSet() {
        LiveSettings settings = new LiveSettings(OptionalInt.of(4), NONE, OptionalInt.of(0), NONE, false);
        assertThat(settings.getMaxConcurrency()).isEqualTo(4);
        assertThat(settings.getMaxInFlight()).isNull();
        assertThat(settings.getQueueThreshold()).isZero();
        assertThat(settings.getWeight()).isNull();
    }
}
