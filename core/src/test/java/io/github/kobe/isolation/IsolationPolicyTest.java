package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Are settings checked and kept? */
class IsolationPolicyTest {

    private static void rejects(UnaryOperator<IsolationPolicy.Builder> setting, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> setting.apply(IsolationPolicy.builder()))
                .withMessage(message);
    }

    @Test
    void valuesOutOfRangeAreNamed() {
        rejects(b -> b.maxConcurrency(0), "maxConcurrency must be at least 1, but is 0");
        rejects(b -> b.queueCapacity(-1), "queueCapacity must be at least 0, but is -1");
        rejects(b -> b.maxTrackedKeys(-1), "maxTrackedKeys must be at least 0, but is -1");
        rejects(b -> b.maxShare(0), "maxShare must be above 0 and at most 1, but is 0.0");
        rejects(b -> b.maxShare(1.1), "maxShare must be above 0 and at most 1, but is 1.1");
        rejects(b -> b.maxShare(Double.NaN), "maxShare must be above 0 and at most 1, but is NaN");
        rejects(b -> b.whiteListShare(0), "whiteListShare must be above 0 and at most 1, but is 0.0");
        rejects(b -> b.newKeyShare(1.1), "newKeyShare must be above 0 and at most 1, but is 1.1");
        rejects(
                b -> b.slowThreshold(Duration.ZERO),
                "slowThreshold must be positive and at most 292 years, but is PT0S");
        rejects(
                b -> b.targetWait(Duration.ofSeconds(-1)),
                "targetWait must be positive and at most 292 years, but is PT-1S");
        rejects(b -> b.taskExpiry(Duration.ZERO), "taskExpiry must be positive and at most 292 years, but is PT0S");
        rejects(b -> b.taskTimeout(Duration.ZERO), "taskTimeout must be positive and at most 292 years, but is PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IsolationPolicy.builder().statsWindow(Duration.ofSeconds(Long.MAX_VALUE)))
                .withMessageStartingWith("statsWindow must be positive and at most 292 years");
    }

    @Test
    void firstValueOfASupplierIsCheckedToo() {
        IsolationPolicy policy =
                IsolationPolicy.builder().maxConcurrency(() -> -3).build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IsolationExecutor.create(policy))
                .withMessage("maxConcurrency must be at least 1, but is -3");
    }

    @Test
    void defaultsAreThoseOfTheDesign() {
        IsolationPolicy policy = IsolationPolicy.builder().build();
        assertThat(policy.name()).isNull();
        assertThat(policy.maxConcurrency()).isEqualTo(64);
        assertThat(policy.slowThreshold()).isEqualTo(Duration.ofMillis(1000));
        assertThat(policy.targetWait()).isEqualTo(Duration.ofMillis(300));
        assertThat(policy.maxShare()).isEqualTo(0.3);
        assertThat(policy.whiteListShare()).isEqualTo(0.3);
        assertThat(policy.newKeyShare()).isEqualTo(0.3);
        assertThat(policy.taskExpiry()).isNull();
        assertThat(policy.taskTimeout()).isNull();
        assertThat(policy.whiteList()).isEmpty();
        assertThat(policy.queueCapacity()).isEqualTo(100_000);
        assertThat(policy.maxTrackedKeys()).isEqualTo(100_000);
        assertThat(policy.statsWindow()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void whiteListIsCopied() {
        Set<String> keys = new HashSet<>(Set.of("a"));
        IsolationPolicy policy = IsolationPolicy.builder().whiteList(keys).build();
        keys.add("b");
        assertThat(policy.whiteList()).containsExactly("a");
    }

    @Test
    void nullsAreNamed() {
        IsolationPolicy.Builder builder = IsolationPolicy.builder();
        assertThatThrownBy(() -> builder.name(null)).hasMessage("name");
        assertThatThrownBy(() -> builder.slowThreshold(null)).hasMessage("slowThreshold");
        assertThatThrownBy(() -> builder.listener(null)).hasMessage("listener");
        assertThatThrownBy(() -> IsolationExecutor.create(null)).hasMessage("policy");
        try (IsolationExecutor executor = IsolationExecutor.create(builder.build())) {
            assertThatThrownBy(() -> executor.submit(null, () -> 1)).hasMessage("key");
            assertThatThrownBy(() -> executor.submit("a", (Callable<?>) null)).hasMessage("task");
            assertThatThrownBy(() -> executor.submit("a", () -> 1, (Fallback) null))
                    .hasMessage("fallback");
            assertThatThrownBy(() -> executor.execute("a", null)).hasMessage("task");
        }
    }

    @Test
    void textHasTheLimitAndWhatDiffersFromTheDefaults() {
        assertThat(IsolationPolicy.builder().build()).hasToString("IsolationPolicy[max concurrency 64]");
        assertThat(IsolationPolicy.builder()
                        .name("api")
                        .maxConcurrency(5)
                        .whiteList(Set.of("vip"))
                        .slowThreshold(Duration.ofSeconds(2))
                        .targetWait(Duration.ofMillis(100))
                        .maxShare(0.5)
                        .taskExpiry(Duration.ofSeconds(3))
                        .taskTimeout(Duration.ofSeconds(30))
                        .queueCapacity(7)
                        .closeTimeout(Duration.ofSeconds(1))
                        .build())
                .hasToString("IsolationPolicy[name api, max concurrency 5, white list [vip], slow threshold 2 s,"
                        + " target wait 100 ms, max share 0.5, task expiry 3 s, task timeout 30 s, queue capacity 7,"
                        + " close timeout 1 s]");
        assertThat(IsolationPolicy.builder().maxConcurrency(() -> 5).build())
                .hasToString("IsolationPolicy[max concurrency live]");
        assertThat(IsolationPolicy.builder().whiteList(() -> Set.of("vip")).build())
                .hasToString("IsolationPolicy[max concurrency 64, white list live]");
        assertThat(IsolationPolicy.builder()
                        .whiteList(Set.of("a", "b", "c", "d", "e", "f", "g"))
                        .build()
                        .toString())
                .matches("IsolationPolicy\\[max concurrency 64, white list \\[(\\w, ){5}2 more keys]]");
    }
}
