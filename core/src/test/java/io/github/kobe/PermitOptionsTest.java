package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which options does a request for a permit have, and are they immutable? */
class PermitOptionsTest {

    private static PermitOptions.Builder everything() {
        return PermitOptions.builder()
                .maxWait(Duration.ofMillis(200))
                .priority(7)
                .taskId("checkout")
                .tag("web")
                .announce(true);
    }

    @Test
    void defaultsSetNothing() {
        PermitOptions options = PermitOptions.defaults();
        assertThat(options.maxWait()).isNull();
        assertThat(options.priority()).isZero();
        assertThat(options.taskId()).isEqualTo("permit");
        assertThat(options.tag()).isEmpty();
        assertThat(options.announce()).isFalse();
        assertThat(options).hasToString("PermitOptions[]");
        assertThat(PermitOptions.builder().build()).isEqualTo(options);
    }

    @Test
    void accessorsReturnWhatWasSet() {
        PermitOptions options = everything().build();
        assertThat(options.maxWait()).isEqualTo(Duration.ofMillis(200));
        assertThat(options.priority()).isEqualTo(7);
        assertThat(options.taskId()).isEqualTo("checkout");
        assertThat(options.tag()).isEqualTo("web");
        assertThat(options.announce()).isTrue();
        assertThat(options)
                .hasToString("PermitOptions[max wait 200 ms, priority 7, task 'checkout', tag 'web', announced]");
    }

    @Test
    void negativeMaxWaitThrowsWithNameAndValue() {
        PermitOptions.Builder builder = PermitOptions.builder().maxWait(Duration.ofSeconds(-1));
        assertThatIllegalArgumentException()
                .isThrownBy(builder::build)
                .withMessage("maxWait must not be negative, but is PT-1S");
    }

    @Test
    void shortestAndLongestMaxWaitsAreAccepted() {
        Duration forEver = Duration.ofSeconds(Long.MAX_VALUE);
        assertThat(PermitOptions.builder().maxWait(Duration.ZERO).build().maxWait())
                .isZero();
        assertThat(PermitOptions.builder().maxWait(forEver).build().maxWait()).isEqualTo(forEver);
    }

    @Test
    void reusedBuilderDoesNotChangeBuiltOptions() {
        PermitOptions.Builder builder = PermitOptions.builder().priority(1);
        PermitOptions first = builder.build();
        builder.priority(2).tag("late");
        assertThat(first.priority()).isEqualTo(1);
        assertThat(first.tag()).isEmpty();
    }

    @Test
    void copyIsEqualAndAChangeAffectsOneSetting() {
        PermitOptions options = everything().build();
        assertThat(options.toBuilder().build()).isEqualTo(options).hasSameHashCodeAs(options);
        PermitOptions changed = options.toBuilder().priority(8).build();
        assertThat(changed.priority()).isEqualTo(8);
        assertThat(changed.toBuilder().priority(7).build()).isEqualTo(options);
    }

    static Stream<UnaryOperator<PermitOptions.Builder>> changes() {
        return Stream.of(
                b -> b.maxWait(Duration.ofMillis(201)),
                b -> b.priority(8),
                b -> b.taskId("search"),
                b -> b.tag("api"),
                b -> b.announce(false));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void optionsThatDifferInOneSettingAreNotEqual(UnaryOperator<PermitOptions.Builder> change) {
        assertThat(change.apply(everything()).build())
                .isNotEqualTo(everything().build())
                .isNotEqualTo("something else");
    }
}
