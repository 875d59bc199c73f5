package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.kernel.SharedKey;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
    void noKeyOfAGroupHasTheNameOfASharedLimit() {
        String name = FleetNames.ofShared(new SharedKey("tenant", "acme"));
        assertThat(name).isEqualTo("~6:tenant:acme");
        assertThat(FleetNames.ofGroup(name)).isNotEqualTo(name);
        String hashed = FleetNames.ofShared(new SharedKey("tenant", "x".repeat(300)));
        assertThat(hashed).hasSize(66).startsWith("~#");
        assertThat(FleetNames.ofGroup(hashed)).isNotEqualTo(hashed);
    }

    @Test
    void valuesOfSharedLimitsHaveDifferentNames() {
        Set<String> names = new HashSet<>();
        List<String> parts = List.of("", "a", ":", "a:", ":a", "1:a", "a:a", "~", "~1:a:a", "3", "3:", "#");
        for (String name : parts) {
            for (String value : parts) {
                assertThat(names.add(FleetNames.ofShared(new SharedKey(name, value))))
                        .as("name '%s', value '%s'", name, value)
                        .isTrue();
            }
        }
        assertThat(FleetNames.ofShared(new SharedKey("x".repeat(200), "y")))
                .isNotEqualTo(FleetNames.ofShared(new SharedKey("x".repeat(199), "xy")));
    }

    @Test
    void shardIsAFunctionOfTheNameAlone() {
        assertThat(FleetNames.shardOf("123456789", 1 << 16)).isEqualTo(0x3926);
        assertThat(FleetNames.shardOf("g", 1)).isZero();
        assertThat(IntStream.range(0, 1_000).map(i -> FleetNames.shardOf("g" + i, 8)))
                .containsOnly(0, 1, 2, 3, 4, 5, 6, 7);
    }
}
