package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Is a built policy immutable? */
class PolicyImmutabilityTest {

    /** One of the map settings: its setter and its accessor. */
    record MapSetting(
            BiFunction<GroupPolicy.Builder, Map<String, Integer>, GroupPolicy.Builder> give,
            Function<GroupPolicy, Map<String, Integer>> read) {}

    static Stream<Arguments> mapSettings() {
        return Stream.of(
                row(
                        "perGroupMaxConcurrency",
                        GroupPolicy.Builder::perGroupMaxConcurrency,
                        GroupPolicy::perGroupMaxConcurrency),
                row("perGroupMaxInFlight", GroupPolicy.Builder::perGroupMaxInFlight, GroupPolicy::perGroupMaxInFlight),
                row(
                        "perGroupQueueThreshold",
                        GroupPolicy.Builder::perGroupQueueThreshold,
                        GroupPolicy::perGroupQueueThreshold),
                row("perGroupWeight", GroupPolicy.Builder::perGroupWeight, GroupPolicy::perGroupWeight));
    }

    private static Arguments row(
            String name,
            BiFunction<GroupPolicy.Builder, Map<String, Integer>, GroupPolicy.Builder> give,
            Function<GroupPolicy, Map<String, Integer>> read) {
        return Arguments.of(Named.of(name, new MapSetting(give, read)));
    }

    @ParameterizedTest
    @MethodSource("mapSettings")
    void mapChangedBeforeBuildHasNoEffect(MapSetting setting) {
        Map<String, Integer> mine = new HashMap<>(Map.of("g", 3));
        GroupPolicy.Builder builder = setting.give().apply(GroupPolicy.builder(), mine);
        mine.put("g", 99);
        mine.put("late", 99);
        assertThat(setting.read().apply(builder.build())).isEqualTo(Map.of("g", 3));
    }

    @ParameterizedTest
    @MethodSource("mapSettings")
    void mapChangedAfterBuildHasNoEffect(MapSetting setting) {
        Map<String, Integer> mine = new HashMap<>(Map.of("g", 3));
        GroupPolicy policy = setting.give().apply(GroupPolicy.builder(), mine).build();
        mine.clear();
        assertThat(setting.read().apply(policy)).isEqualTo(Map.of("g", 3));
    }

    @ParameterizedTest
    @MethodSource("mapSettings")
    void returnedMapIsUnmodifiable(MapSetting setting) {
        GroupPolicy policy = setting.give()
                .apply(GroupPolicy.builder(), new HashMap<>(Map.of("g", 3)))
                .build();
        assertThatThrownBy(() -> setting.read().apply(policy).put("g", 99))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(setting.read().apply(policy)).isEqualTo(Map.of("g", 3));
    }

    @Test
    void reusedBuilderDoesNotChangeBuiltPolicies() {
        GroupPolicy.Builder builder = GroupPolicy.builder().perGroupMaxConcurrency(Map.of("g", 3));
        GroupPolicy first = builder.build();
        GroupPolicy second = builder.perGroupMaxConcurrency(Map.of("g", 5))
                .defaultMaxConcurrencyPerGroup(7)
                .build();
        assertThat(first.resolveConcurrency("g")).isEqualTo(3);
        assertThat(first.defaultMaxConcurrencyPerGroup()).isEqualTo(1);
        assertThat(second.resolveConcurrency("g")).isEqualTo(5);
    }
}
