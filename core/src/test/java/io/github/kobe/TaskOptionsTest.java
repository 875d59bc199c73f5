package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which options does a task have, and are they immutable? */
class TaskOptionsTest {

    private final Consumer<Throwable> recovery = new ArrayList<Throwable>()::add;

    private TaskOptions.Builder everything() {
        return TaskOptions.builder()
                .priority(7)
                .timeout(Duration.ofMillis(100))
                .maxQueueTime(Duration.ofSeconds(2))
                .retry(RetryPolicy.attempts(3))
                .recovery(recovery)
                .tag("mail");
    }

    @Test
    void defaultsSetNothing() {
        TaskOptions options = TaskOptions.defaults();
        assertThat(options.priority()).isZero();
        assertThat(options.timeout()).isNull();
        assertThat(options.maxQueueTime()).isNull();
        assertThat(options.retry()).isSameAs(RetryPolicy.noRetry());
        assertThat(options.recovery()).isNull();
        assertThat(options.tag()).isEmpty();
        assertThat(TaskOptions.builder().build()).isEqualTo(options);
    }

    @Test
    void accessorsReturnWhatWasSet() {
        TaskOptions options = everything().build();
        assertThat(options.priority()).isEqualTo(7);
        assertThat(options.timeout()).isEqualTo(Duration.ofMillis(100));
        assertThat(options.maxQueueTime()).isEqualTo(Duration.ofSeconds(2));
        assertThat(options.retry()).isEqualTo(RetryPolicy.attempts(3));
        assertThat(options.recovery()).isSameAs(recovery);
        assertThat(options.tag()).isEqualTo("mail");
    }

    static Stream<Arguments> settingsOutOfRange() {
        return Stream.of(
                row("timeout", "PT0S", b -> b.timeout(Duration.ZERO)),
                row("timeout", "PT-1S", b -> b.timeout(Duration.ofSeconds(-1))),
                row("attemptTimeout", "PT0S", b -> b.attemptTimeout(Duration.ZERO)),
                row("maxQueueTime", "PT0S", b -> b.maxQueueTime(Duration.ZERO)),
                row("maxQueueTime", "PT-1S", b -> b.maxQueueTime(Duration.ofSeconds(-1))));
    }

    private static Arguments row(String name, String value, UnaryOperator<TaskOptions.Builder> setting) {
        return Arguments.of(name, value, setting);
    }

    @ParameterizedTest(name = "{0} = {1}")
    @MethodSource("settingsOutOfRange")
    void buildThrowsWithNameAndValueOfASettingOutOfRange(
            String name, String value, UnaryOperator<TaskOptions.Builder> setting) {
        TaskOptions.Builder builder = setting.apply(TaskOptions.builder());
        assertThatIllegalArgumentException()
                .isThrownBy(builder::build)
                .withMessage(name + " must be positive, but is " + value);
    }

    @Test
    void shortestAndLongestTimesAreAccepted() {
        Duration forEver = Duration.ofSeconds(Long.MAX_VALUE);
        TaskOptions options = TaskOptions.builder()
                .timeout(Duration.ofNanos(1))
                .maxQueueTime(forEver)
                .build();
        assertThat(options.timeout()).isEqualTo(Duration.ofNanos(1));
        assertThat(options.maxQueueTime()).isEqualTo(forEver);
    }

    @Test
    void reusedBuilderDoesNotChangeBuiltOptions() {
        TaskOptions.Builder builder = TaskOptions.builder().priority(1);
        TaskOptions first = builder.build();
        builder.priority(2).tag("late");
        assertThat(first.priority()).isEqualTo(1);
        assertThat(first.tag()).isEmpty();
    }

    @Test
    void copyIsEqualAndAChangeAffectsOneSetting() {
        TaskOptions options = everything().build();
        assertThat(options.toBuilder().build()).isEqualTo(options).hasSameHashCodeAs(options);
        TaskOptions changed = options.toBuilder().priority(8).build();
        assertThat(changed.priority()).isEqualTo(8);
        assertThat(changed.toBuilder().priority(7).build()).isEqualTo(options);
    }

    static Stream<UnaryOperator<TaskOptions.Builder>> changes() {
        return Stream.of(
                b -> b.priority(8),
                b -> b.timeout(Duration.ofMillis(101)),
                b -> b.attemptTimeout(Duration.ofMillis(101)),
                b -> b.maxQueueTime(Duration.ofSeconds(3)),
                b -> b.retry(RetryPolicy.attempts(4)),
                b -> b.recovery(fault -> {}),
                b -> b.tag("post"));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void optionsThatDifferInOneSettingAreNotEqual(UnaryOperator<TaskOptions.Builder> change) {
        assertThat(change.apply(everything()).build())
                .isNotEqualTo(everything().build())
                .isNotEqualTo("something else");
    }

    @Test
    void toStringShowsOnlyWhatDiffersFromTheDefaults() {
        assertThat(TaskOptions.defaults()).hasToString("TaskOptions[]");
        assertThat(TaskOptions.builder().priority(-1).build()).hasToString("TaskOptions[priority -1]");
        assertThat(everything().build())
                .hasToString("TaskOptions[priority 7, timeout 100 ms, max queue time 2 s, retry 3 attempts, at once,"
                        + " recovery, tag 'mail']");
    }

    @Test
    void taskWithoutOptionsHasTheDefaults() {
        assertThat(new GroupTask<>("g", "t", () -> "ran").options()).isSameAs(TaskOptions.defaults());
        TaskOptions options = everything().build();
        assertThat(new GroupTask<>("g", "t", () -> "ran", options).options()).isSameAs(options);
    }
}
