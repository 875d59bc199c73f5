package io.github.kobe;

import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Log;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Are all resolvers asked and checked in the same way, and are their faults counted by the executor? */
@Timeout(60)
class ResolversTest {

    private enum Resolver {
        CONCURRENCY(1),
        IN_FLIGHT(1),
        QUEUE_THRESHOLD(0),
        WEIGHT(1);

        final int min;

        Resolver(int min) {
            this.min = min;
        }

        GroupExecutor executor(ToIntFunction<String> function) {
            return TestKit.executor(b -> {
                GroupPolicy.Builder builder = b.defaultMaxConcurrencyPerGroup(40)
                        .defaultMaxInFlightPerGroup(30)
                        .defaultQueueThresholdPerGroup(50);
                return switch (this) {
                    case CONCURRENCY -> builder.concurrencyResolver(function);
                    case IN_FLIGHT -> builder.maxInFlightResolver(function);
                    case QUEUE_THRESHOLD -> builder.queueThresholdResolver(function);
                    case WEIGHT -> builder.weightResolver(function);
                };
            });
        }

        int of(GroupStats stats) {
            return switch (this) {
                case CONCURRENCY -> stats.maxConcurrency();
                case IN_FLIGHT -> stats.limit();
                case QUEUE_THRESHOLD -> stats.queueCapacity();
                case WEIGHT -> stats.weight();
            };
        }

        int defaultValue() {
            return switch (this) {
                case CONCURRENCY -> 40;
                case IN_FLIGHT -> 30;
                case QUEUE_THRESHOLD -> 50;
                case WEIGHT -> 1;
            };
        }
    }

    private static GroupStats statsAfterFirstUse(GroupExecutor executor) {
        assertThat(resultOf(executor.submit("g", "t", () -> "ran")).value()).isEqualTo("ran");
        return executor.groupStats("g").orElseThrow();
    }

    @ParameterizedTest
    @EnumSource(Resolver.class)
    void answerAppliesToTheGroup(Resolver resolver) {
        try (GroupExecutor executor = resolver.executor(key -> 20 + key.length())) {
            assertThat(resolver.of(statsAfterFirstUse(executor))).isEqualTo(21);
            assertThat(executor.toString()).doesNotContain("faults");
        }
    }

    @ParameterizedTest
    @EnumSource(Resolver.class)
    void answerBelowTheMinimumCountsAsTheMinimumAndIsAFault(Resolver resolver) {
        try (Log log = new Log();
                GroupExecutor executor = resolver.executor(key -> -3)) {
            assertThat(resolver.of(statsAfterFirstUse(executor))).isEqualTo(resolver.min);
            assertThat(executor.toString()).endsWith(" | 1 faults in callbacks]");
            assertThat(log.lines("group 'g': -3")).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Resolver.class)
    void resolverThatThrowsGivesTheDefaultAndIsAFault(Resolver resolver) {
        try (Log log = new Log();
                GroupExecutor executor = resolver.executor(key -> {
                    throw new UnsupportedOperationException("broken");
                })) {
            assertThat(resolver.of(statsAfterFirstUse(executor))).isEqualTo(resolver.defaultValue());
            assertThat(executor.toString()).endsWith(" | 1 faults in callbacks]");
            executor.evictGroup("g");
            statsAfterFirstUse(executor);
            assertThat(executor.toString()).endsWith(" | 2 faults in callbacks]");
            assertThat(log.lines("broken")).hasSize(1);
        }
    }

    @Test
    void executorsWithOnePolicyCountTheirOwnFaults() {
        GroupPolicy policy = GroupPolicy.builder()
                .concurrencyResolver(key -> {
                    throw new UnsupportedOperationException("broken");
                })
                .build();
        try (Log log = new Log();
                GroupExecutor one = GroupExecutor.newVirtualThreadExecutor(policy);
                GroupExecutor other = GroupExecutor.newVirtualThreadExecutor(policy)) {
            policy.resolveConcurrency("g");
            statsAfterFirstUse(one);
            assertThat(one.toString()).contains("1 faults in callbacks");
            assertThat(other.toString()).doesNotContain("faults");
            assertThat(log.lines("broken"))
                    .as("one of the policy, one of the executor")
                    .hasSize(2);
        }
    }

    @Test
    void resolvedThresholdRejects() {
        try (GroupExecutor executor = TestKit.executor(b ->
                b.queueThresholdResolver(key -> key.equals("g") ? 1 : 0).rejectionPolicy(RejectionPolicy.DISCARD))) {
            BlockingTask running = BlockingTask.in(executor, "g");
            TaskHandle<String> queued = executor.submit("g", "queued", () -> "ran");
            TaskHandle<String> rejected = executor.submit("g", "rejected", () -> "ran");
            assertThat(rejected.join().status()).isEqualTo(TaskStatus.REJECTED);
            assertThat(queued.isDone()).isFalse();
            running.release();
        }
    }
}
