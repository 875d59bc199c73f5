package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which settings does the builder accept, and what does it throw for others? */
class PolicyValidationTest {

    static Stream<Arguments> settingsOutOfRange() {
        return Stream.of(
                row("defaultMaxConcurrencyPerGroup", "0", b -> b.defaultMaxConcurrencyPerGroup(0)),
                row("defaultMaxConcurrencyPerGroup", "-7", b -> b.defaultMaxConcurrencyPerGroup(-7)),
                row("globalMaxInFlight", "0", b -> b.globalMaxInFlight(0)),
                row("globalMaxInFlight", "-7", b -> b.globalMaxInFlight(-7)),
                row("defaultMaxInFlightPerGroup", "0", b -> b.defaultMaxInFlightPerGroup(0)),
                row("defaultMaxInFlightPerGroup", "-7", b -> b.defaultMaxInFlightPerGroup(-7)),
                row("maxGroups", "0", b -> b.maxGroups(0)),
                row("maxGroups", "-7", b -> b.maxGroups(-7)),
                row("globalQueueThreshold", "-1", b -> b.globalQueueThreshold(-1)),
                row("defaultQueueThresholdPerGroup", "-1", b -> b.defaultQueueThresholdPerGroup(-1)),
                row("perGroupMaxConcurrency[odd]", "0", b -> b.perGroupMaxConcurrency(Map.of("fine", 1, "odd", 0))),
                row("perGroupMaxConcurrency[odd]", "-7", b -> b.perGroupMaxConcurrency(Map.of("odd", -7))),
                row("perGroupMaxInFlight[odd]", "0", b -> b.perGroupMaxInFlight(Map.of("fine", 1, "odd", 0))),
                row("perGroupMaxInFlight[odd]", "-7", b -> b.perGroupMaxInFlight(Map.of("odd", -7))),
                row("perGroupQueueThreshold[odd]", "-1", b -> b.perGroupQueueThreshold(Map.of("fine", 0, "odd", -1))),
                row("perGroupWeight[odd]", "0", b -> b.perGroupWeight(Map.of("fine", 1, "odd", 0))),
                row("perGroupWeight[odd]", "-7", b -> b.perGroupWeight(Map.of("odd", -7))),
                row("idleGroupTtl", "PT-1S", b -> b.idleGroupTtl(Duration.ofSeconds(-1))),
                row("maxBlockTime", "PT-0.001S", b -> b.maxBlockTime(Duration.ofMillis(-1))));
    }

    private static Arguments row(String name, String value, UnaryOperator<GroupPolicy.Builder> setting) {
        return Arguments.of(name, value, setting);
    }

    @ParameterizedTest(name = "{0} = {1}")
    @MethodSource("settingsOutOfRange")
    void buildThrowsWithNameKeyAndValueOfASettingOutOfRange(
            String name, String value, UnaryOperator<GroupPolicy.Builder> setting) {
        GroupPolicy.Builder builder = setting.apply(GroupPolicy.builder());
        assertThatIllegalArgumentException()
                .isThrownBy(builder::build)
                .withMessageContaining(name)
                .withMessageEndingWith(" is " + value);
    }

    static Stream<Arguments> settingsAtTheEdge() {
        return Stream.of(
                row("defaultMaxConcurrencyPerGroup", "1", b -> b.defaultMaxConcurrencyPerGroup(1)),
                row("globalMaxInFlight", "1", b -> b.globalMaxInFlight(1)),
                row("defaultMaxInFlightPerGroup", "1", b -> b.defaultMaxInFlightPerGroup(1)),
                row("maxGroups", "1", b -> b.maxGroups(1)),
                row("globalQueueThreshold", "0", b -> b.globalQueueThreshold(0)),
                row("defaultQueueThresholdPerGroup", "0", b -> b.defaultQueueThresholdPerGroup(0)),
                row("perGroupMaxConcurrency", "1", b -> b.perGroupMaxConcurrency(Map.of("g", 1))),
                row("perGroupMaxInFlight", "1", b -> b.perGroupMaxInFlight(Map.of("g", 1))),
                row("perGroupQueueThreshold", "0", b -> b.perGroupQueueThreshold(Map.of("g", 0))),
                row("defaultMaxConcurrencyPerGroup", "max", b -> b.defaultMaxConcurrencyPerGroup(Integer.MAX_VALUE)),
                row("perGroupWeight", "1", b -> b.perGroupWeight(Map.of("g", 1))),
                row("perGroupWeight", "max", b -> b.perGroupWeight(Map.of("g", Integer.MAX_VALUE))),
                row("maxBlockTime", "0", b -> b.maxBlockTime(Duration.ZERO)),
                row("maxBlockTime", "for ever", b -> b.maxBlockTime(Duration.ofSeconds(Long.MAX_VALUE))),
                row("idleGroupTtl", "0", b -> b.idleGroupTtl(Duration.ZERO)),
                row("idleGroupTtl", "for ever", b -> b.idleGroupTtl(Duration.ofSeconds(Long.MAX_VALUE))));
    }

    @ParameterizedTest(name = "{0} = {1}")
    @MethodSource("settingsAtTheEdge")
    void smallestAndLargestSettingsAreAccepted(String name, String value, UnaryOperator<GroupPolicy.Builder> setting) {
        try (GroupExecutor executor = TestKit.executor(setting)) {
            assertThat(TestKit.resultOf(executor.submit("g", "t", () -> "ran")).value())
                    .isEqualTo("ran");
        }
    }

    @Test
    void defaultsLimitConcurrencyToOneAndNothingElse() {
        GroupPolicy policy = GroupPolicy.builder().build();
        assertThat(policy.defaultMaxConcurrencyPerGroup()).isEqualTo(1);
        assertThat(policy.perGroupMaxConcurrency()).isEmpty();
        assertThat(policy.concurrencyResolver()).isNull();
        assertThat(policy.globalMaxInFlight()).isEqualTo(Integer.MAX_VALUE);
        assertThat(policy.defaultMaxInFlightPerGroup()).isEqualTo(Integer.MAX_VALUE);
        assertThat(policy.perGroupMaxInFlight()).isEmpty();
        assertThat(policy.maxInFlightResolver()).isNull();
        assertThat(policy.queueThresholdResolver()).isNull();
        assertThat(policy.globalQueueThreshold()).isEqualTo(Integer.MAX_VALUE);
        assertThat(policy.defaultQueueThresholdPerGroup()).isEqualTo(Integer.MAX_VALUE);
        assertThat(policy.perGroupQueueThreshold()).isEmpty();
        assertThat(policy.rejectionPolicy()).isEqualTo(RejectionPolicy.ABORT);
        assertThat(policy.rejectionHandler()).isNull();
        assertThat(policy.taskLifecycleListener()).isNull();
        assertThat(policy.idleGroupTtl()).isEqualTo(Duration.ofMinutes(1));
        assertThat(policy.perGroupWeight()).isEmpty();
        assertThat(policy.weightResolver()).isNull();
        assertThat(policy.fairnessPolicy()).isEqualTo(FairnessPolicy.TASKS);
        assertThat(policy.maxBlockTime()).isEqualTo(Duration.ofMinutes(1));
        assertThat(policy.recordTimes()).isFalse();
        assertThat(policy.maxGroups()).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void accessorsReturnWhatWasSet() {
        TaskLifecycleListener listener = new TaskLifecycleListener() {};
        GroupPolicy policy = GroupPolicy.builder()
                .perGroupMaxConcurrency(Map.of("a", 2))
                .concurrencyResolver(String::length)
                .defaultMaxConcurrencyPerGroup(3)
                .globalMaxInFlight(4)
                .defaultMaxInFlightPerGroup(5)
                .perGroupMaxInFlight(Map.of("a", 6))
                .globalQueueThreshold(7)
                .defaultQueueThresholdPerGroup(8)
                .perGroupQueueThreshold(Map.of("a", 9))
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .taskLifecycleListener(listener)
                .idleGroupTtl(Duration.ofSeconds(10))
                .perGroupWeight(Map.of("a", 11))
                .weightResolver(String::length)
                .maxInFlightResolver(String::length)
                .queueThresholdResolver(String::length)
                .fairnessPolicy(FairnessPolicy.SERVICE_TIME)
                .maxBlockTime(Duration.ofSeconds(12))
                .recordTimes(true)
                .maxGroups(13)
                .build();
        assertThat(policy.perGroupMaxConcurrency()).isEqualTo(Map.of("a", 2));
        assertThat(policy.concurrencyResolver()).isNotNull();
        assertThat(policy.defaultMaxConcurrencyPerGroup()).isEqualTo(3);
        assertThat(policy.globalMaxInFlight()).isEqualTo(4);
        assertThat(policy.defaultMaxInFlightPerGroup()).isEqualTo(5);
        assertThat(policy.perGroupMaxInFlight()).isEqualTo(Map.of("a", 6));
        assertThat(policy.globalQueueThreshold()).isEqualTo(7);
        assertThat(policy.defaultQueueThresholdPerGroup()).isEqualTo(8);
        assertThat(policy.perGroupQueueThreshold()).isEqualTo(Map.of("a", 9));
        assertThat(policy.rejectionPolicy()).isEqualTo(RejectionPolicy.DISCARD);
        assertThat(policy.taskLifecycleListener()).isSameAs(listener);
        assertThat(policy.idleGroupTtl()).isEqualTo(Duration.ofSeconds(10));
        assertThat(policy.perGroupWeight()).isEqualTo(Map.of("a", 11));
        assertThat(policy.weightResolver()).isNotNull();
        assertThat(policy.maxInFlightResolver()).isNotNull();
        assertThat(policy.queueThresholdResolver()).isNotNull();
        assertThat(policy.fairnessPolicy()).isEqualTo(FairnessPolicy.SERVICE_TIME);
        assertThat(policy.maxBlockTime()).isEqualTo(Duration.ofSeconds(12));
        assertThat(policy.recordTimes()).isTrue();
        assertThat(policy.maxGroups()).isEqualTo(13);
    }

    @Test
    void ownSettingOverridesResolverAndResolverOverridesDefault() {
        GroupPolicy policy = GroupPolicy.builder()
                .perGroupMaxConcurrency(Map.of("own", 2))
                .concurrencyResolver(key -> 5)
                .defaultMaxConcurrencyPerGroup(9)
                .build();
        assertThat(policy.resolveConcurrency("own")).isEqualTo(2);
        assertThat(policy.resolveConcurrency("other")).isEqualTo(5);
        assertThat(GroupPolicy.builder()
                        .defaultMaxConcurrencyPerGroup(9)
                        .build()
                        .resolveConcurrency("other"))
                .isEqualTo(9);
    }

    @Test
    void inFlightLimitAndThresholdAreOwnSettingElseDefault() {
        GroupPolicy policy = GroupPolicy.builder()
                .perGroupMaxInFlight(Map.of("own", 2))
                .defaultMaxInFlightPerGroup(3)
                .perGroupQueueThreshold(Map.of("own", 4))
                .defaultQueueThresholdPerGroup(5)
                .build();
        assertThat(policy.resolveMaxInFlight("own")).isEqualTo(2);
        assertThat(policy.resolveMaxInFlight("other")).isEqualTo(3);
        assertThat(policy.resolveQueueThreshold("own")).isEqualTo(4);
        assertThat(policy.resolveQueueThreshold("other")).isEqualTo(5);
    }

    @Test
    void resolversOfInFlightLimitAndThresholdOverrideTheDefault() {
        GroupPolicy policy = GroupPolicy.builder()
                .perGroupMaxInFlight(Map.of("own", 2))
                .maxInFlightResolver(String::length)
                .defaultMaxInFlightPerGroup(30)
                .perGroupQueueThreshold(Map.of("own", 4))
                .queueThresholdResolver(key -> 2 * key.length())
                .defaultQueueThresholdPerGroup(50)
                .build();
        assertThat(policy.resolveMaxInFlight("own")).isEqualTo(2);
        assertThat(policy.resolveMaxInFlight("other")).isEqualTo(5);
        assertThat(policy.resolveQueueThreshold("own")).isEqualTo(4);
        assertThat(policy.resolveQueueThreshold("other")).isEqualTo(10);
    }
}
