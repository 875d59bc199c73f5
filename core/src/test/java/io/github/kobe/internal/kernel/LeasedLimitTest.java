package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Do as many tasks run as permits of a shared limit are held, with and without a global limit? */
@ParameterizedClass
@ValueSource(ints = {Integer.MAX_VALUE, 20})
class LeasedLimitTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final long TTL = TimeUnit.SECONDS.toNanos(1);

    private final TestLeases leases = new TestLeases();
    private final StepDispatcher runner;

    LeasedLimitTest(int globalLimit) {
        runner = new StepDispatcher(
                key -> new GroupLimits(3, UNLIMITED, UNLIMITED),
                new DispatcherConfig(globalLimit, UNLIMITED, TTL, false, false),
                leases);
    }

    private void submit(int tasks) {
        for (int i = 0; i < tasks; i++) {
            runner.submit("g");
        }
    }

    private Group group() {
        Group group = runner.dispatcher.group("g");
        assertThat(group).isNotNull();
        return group;
    }

    @Test
    void groupWithoutAnAnswerStartsNothing() {
        submit(2);
        assertThat(runner.running()).isZero();
        assertThat(group().queued()).isEqualTo(2);
    }

    @Test
    void raisedNumberStartsQueuedTasks() {
        submit(3);
        leases.lease("g", 1);
        assertThat(runner.running()).isEqualTo(1);
        leases.lease("g", 2);
        assertThat(runner.running()).isEqualTo(2);
    }

    @Test
    void numberAboveTheConfiguredLimitDoesNotRaiseIt() {
        leases.lease("g", 10);
        submit(5);
        assertThat(runner.running()).isEqualTo(3);
        assertThat(group().limits().limit()).isEqualTo(3);
    }

    @Test
    void loweredNumberIsPaidOffAsTasksComplete() {
        leases.lease("g", 3);
        submit(6);
        assertThat(leases.lease("g", 1)).as("in use").isEqualTo(3);
        runner.finishOldest();
        runner.finishOldest();
        assertThat(runner.running())
                .as("nothing starts until the number is paid off")
                .isEqualTo(1);
        runner.finishOldest();
        assertThat(runner.running()).isEqualTo(1);
    }

    @Test
    void numberOfZeroStopsStartsAndIsNotAPause() {
        leases.lease("g", 2);
        submit(3);
        assertThat(leases.lease("g", 0)).isEqualTo(2);
        runner.finishOldest();
        runner.finishOldest();
        assertThat(runner.running()).isZero();
        assertThat(group().limits().paused()).isFalse();
        assertThat(group().queued()).isEqualTo(1);
        leases.lease("g", 1);
        assertThat(runner.running()).isEqualTo(1);
    }

    @Test
    void numberThatIsSetBeforeTheGroupOpensHolds() {
        assertThat(leases.lease("g", 2)).as("in use").isZero();
        submit(3);
        assertThat(runner.running()).isEqualTo(2);
    }

    @Test
    void numberOutlastsARetiredGroup() {
        leases.lease("g", 2);
        submit(1);
        runner.finishOldest();
        runner.timer.advance(2 * TTL);
        assertThat(runner.dispatcher.group("g")).isNull();
        submit(3);
        assertThat(runner.running()).isEqualTo(2);
    }

    @Test
    void otherSettingsDoNotReplaceTheNumber() {
        leases.lease("g", 1);
        submit(3);
        runner.dispatcher.changeLimits("g", before -> new GroupLimits(2, 2, UNLIMITED));
        assertThat(runner.running()).isEqualTo(1);
        runner.dispatcher.evict("g");
        submit(1);
        assertThat(runner.running()).isEqualTo(1);
        assertThat(group().limits().leased()).isEqualTo(1);
    }

    @Test
    void pausedGroupStartsNothingWhateverIsLeased() {
        leases.lease("g", 3);
        submit(1);
        runner.dispatcher.changeLimits("g", before -> new GroupLimits(3, 3, UNLIMITED, 1, true));
        submit(1);
        leases.lease("g", 2);
        assertThat(runner.running()).isEqualTo(1);
        runner.dispatcher.changeLimits("g", before -> new GroupLimits(3, 3, UNLIMITED));
        assertThat(runner.running()).isEqualTo(2);
    }

    @Test
    void otherGroupsAreNotAffected() {
        leases.lease("other", 1);
        submit(2);
        SimulatedTask other = runner.submit("other");
        assertThat(runner.runs(other)).isTrue();
        assertThat(runner.running()).isEqualTo(1);
    }
}
