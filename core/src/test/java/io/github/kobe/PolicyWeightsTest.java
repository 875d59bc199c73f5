package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.Log;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is a group's weight, whatever the resolver returns? */
class PolicyWeightsTest {

    private static int failing(String key) {
        throw new IllegalStateException("resolver broke at " + key);
    }

    private static int failingBadly(String key) {
        throw new StackOverflowError("resolver broke badly at " + key);
    }

    @Test
    void defaultWeightIsOne() {
        assertThat(GroupPolicy.builder().build().resolveWeight("g")).isEqualTo(1);
    }

    @Test
    void ownSettingOverridesTheResolver() {
        GroupPolicy policy = GroupPolicy.builder()
                .perGroupWeight(Map.of("vip", 3))
                .weightResolver(String::length)
                .build();
        assertThat(policy.resolveWeight("vip")).isEqualTo(3);
        assertThat(policy.resolveWeight("other")).isEqualTo(5);
    }

    @Test
    void weightAndConcurrencyAreIndependent() {
        GroupPolicy policy = GroupPolicy.builder()
                .perGroupWeight(Map.of("a", 3))
                .perGroupMaxConcurrency(Map.of("b", 4))
                .defaultMaxConcurrencyPerGroup(2)
                .build();
        assertThat(policy.resolveWeight("b")).isEqualTo(1);
        assertThat(policy.resolveConcurrency("a")).isEqualTo(2);
    }

    @Test
    void weightBelowOneIsTreatedAsOneAndReported() {
        try (Log log = new Log()) {
            GroupPolicy policy = GroupPolicy.builder().weightResolver(key -> -5).build();
            assertThat(policy.resolveWeight("g")).isEqualTo(1);
            assertThat(policy.resolveWeight("h")).isEqualTo(1);
            assertThat(log.lines("weightResolver"))
                    .hasSize(1)
                    .first()
                    .asString()
                    .contains("group 'g': -5");
        }
    }

    @Test
    void throwingResolverGivesWeightOneAndIsReported() {
        try (Log log = new Log()) {
            assertThat(GroupPolicy.builder()
                            .weightResolver(PolicyWeightsTest::failing)
                            .build()
                            .resolveWeight("g"))
                    .isEqualTo(1);
            assertThat(GroupPolicy.builder()
                            .weightResolver(PolicyWeightsTest::failingBadly)
                            .build()
                            .resolveWeight("g"))
                    .isEqualTo(1);
            assertThat(log.lines("resolver broke")).hasSize(2);
        }
    }

    @Test
    void faultsOfBothResolversAreReported() {
        try (Log log = new Log()) {
            GroupPolicy policy = GroupPolicy.builder()
                    .weightResolver(PolicyWeightsTest::failing)
                    .concurrencyResolver(PolicyWeightsTest::failing)
                    .build();
            policy.resolveWeight("g");
            policy.resolveConcurrency("g");
            assertThat(log.lines("weightResolver threw")).hasSize(1);
            assertThat(log.lines("concurrencyResolver threw")).hasSize(1);
        }
    }
}
