package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Has every group a short name of its own in the store, and a shard on which all nodes agree? */
class FleetNamesTest {

    @Test
    void ordinaryKeyIsItsOwnName() {
        assertThat(FleetNames.ofGroup("tenant 1/ä")).isEqualTo("tenant 1/ä");
        assertThat(FleetNames.ofGroup("x".repeat(200))).hasSize(200);
    }

    @Test
    void emptyLongAndDisguisedKeysAreHashed() {
        assertThat(FleetNames.ofGroup(""))
                .isEqualTo("~e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assertThat(FleetNames.ofGroup("ä".repeat(101))).hasSize(65).startsWith("~");
        assertThat(FleetNames.ofGroup(FleetNames.ofGroup(""))).isNotEqualTo(FleetNames.ofGroup(""));
    }

    @Test
    void noKeyHasTheNameOfTheTotalLimit() {
        assertThat(FleetNames.ofGroup(FleetNames.TOTAL)).isNotEqualTo(FleetNames.TOTAL);
    }

    @Test
    void shardIsAFunctionOfTheNameAlone() {
        assertThat(FleetNames.shardOf("123456789", 1 << 16)).isEqualTo(0x3926);
        assertThat(FleetNames.shardOf("g", 1)).isZero();
        assertThat(IntStream.range(0, 1_000).map(i -> FleetNames.shardOf("g" + i, 8)))
                .containsOnly(0, 1, 2, 3, 4, 5, 6, 7);
    }
}
