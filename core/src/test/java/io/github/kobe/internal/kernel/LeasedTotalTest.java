package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Does the limit over all groups of all JVMs hold here with the permits that are held of it? */
class LeasedTotalTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final long TTL = TimeUnit.SECONDS.toNanos(1);

    private final TestLeases leases = new TestLeases();
    private int globalThreshold = UNLIMITED;

    /** Each group may run two tasks. */
    private StepDispatcher runner(int globalLimit) {
        leases.lease("a", 2);
        leases.lease("b", 2);
        return new StepDispatcher(
                key -> new GroupLimits(2, UNLIMITED, UNLIMITED),
                new DispatcherConfig(globalLimit, globalThreshold, TTL, false, false),
                leases);
    }

    private StepDispatcher runnerWithTotal(int totalLimit) {
        leases.limitTotal(totalLimit);
        return runner(UNLIMITED);
    }

    private static void submit(StepDispatcher runner, String... keys) {
        for (String key : keys) {
            runner.submit(key);
        }
    }

    @Test
    void nothingStartsBeforeTheFirstAnswer() {
        StepDispatcher runner = runnerWithTotal(3);
        submit(runner, "a", "b");
        assertThat(runner.running()).isZero();
        assertThat(runner.dispatcher.globalLimit()).isEqualTo(3);
        assertThat(runner.dispatcher.globalLeased()).isZero();
    }

    @Test
    void asManyTasksRunAsPermitsAreHeld() {
        StepDispatcher runner = runnerWithTotal(3);
        submit(runner, "a", "a", "b", "b");
        leases.leaseInTotal(1);
        assertThat(runner.running()).isEqualTo(1);
        leases.leaseInTotal(3);
        assertThat(runner.running()).isEqualTo(3);
        assertThat(runner.dispatcher.globalInFlight()).isEqualTo(3);
    }

    @Test
    void loweredNumberIsPaidOffDownToZero() {
        StepDispatcher runner = runnerWithTotal(3);
        leases.leaseInTotal(3);
        submit(runner, "a", "a", "b", "b");
        assertThat(leases.leaseInTotal(0)).as("in use").isEqualTo(3);
        for (int left = 2; left >= 0; left--) {
            runner.finishOldest();
            assertThat(runner.running()).isEqualTo(left);
        }
        leases.leaseInTotal(1);
        assertThat(runner.running()).isEqualTo(1);
    }

    @Test
    void smallerOfBothLimitsHolds() {
        leases.limitTotal(10);
        StepDispatcher runner = runner(2);
        leases.leaseInTotal(3);
        submit(runner, "a", "a", "b", "b");
        assertThat(runner.running()).isEqualTo(2);
        assertThat(runner.dispatcher.globalLimit()).isEqualTo(2);
        runner.dispatcher.setGlobalLimit(20);
        assertThat(runner.running()).isEqualTo(3);
        assertThat(runner.dispatcher.globalLimit()).isEqualTo(10);
        assertThat(runner.dispatcher.globalLeased()).isEqualTo(3);
    }

    @Test
    void limitThatIsSetLaterTakesOverWhatRuns() {
        StepDispatcher runner = runner(UNLIMITED);
        submit(runner, "a", "b", "b");
        assertThat(runner.dispatcher.globalLeased()).isEqualTo(GroupLimits.NOT_LEASED);
        leases.limitTotal(5);
        assertThat(leases.leaseInTotal(1)).isEqualTo(3);
        submit(runner, "a");
        runner.finishOldest();
        runner.finishOldest();
        assertThat(runner.running()).isEqualTo(1);
        runner.finishOldest();
        assertThat(runner.running()).isEqualTo(1);
    }

    @Test
    void changeWithoutALimitDoesNothing() {
        StepDispatcher runner = runner(UNLIMITED);
        submit(runner, "a");
        assertThat(leases.control().totalLeasedChanged()).isZero();
        assertThat(runner.dispatcher.globalInFlight()).as("no limiter").isEqualTo(-1);
    }

    @Test
    void groupStillNeedsItsOwnPermits() {
        StepDispatcher runner = runnerWithTotal(10);
        leases.leaseInTotal(10);
        leases.lease("a", 1);
        submit(runner, "a", "a", "b");
        assertThat(runner.running()).isEqualTo(2);
    }

    @Test
    void taskThatWaitsForTheTotalAloneIsDemandOfIt() {
        StepDispatcher runner = runnerWithTotal(3);
        leases.leaseInTotal(1);
        submit(runner, "a");
        leases.takeHints();
        submit(runner, "a");
        assertThat(leases.takeHints()).containsExactly("wanted");
        submit(runner, "a");
        assertThat(leases.control().totalWanted())
                .as("the third waits for its group")
                .isEqualTo(2);
        submit(runner, "b", "b", "b");
        assertThat(leases.control().totalWanted()).as("no more than the limit").isEqualTo(3);
    }

    @Test
    void taskThatGotAPermitOfItsGroupIsDemandOfTheTotal() {
        StepDispatcher runner = runnerWithTotal(3);
        leases.leaseInTotal(1);
        leases.lease("a", 1);
        SimulatedTask first = runner.submit("a");
        submit(runner, "a", "b");
        leases.takeHints();
        leases.lease("a", 2);
        assertThat(leases.takeHints()).as("a permit was leased").contains("wanted");
        leases.lease("a", 1);
        leases.takeHints();
        runner.finish(first);
        assertThat(runner.dispatcher.group("b").active())
                .as("has the total permit")
                .isEqualTo(1);
        assertThat(leases.takeHints()).as("a permit was released").contains("wanted");
    }

    @Test
    void nothingIsWantedIfTheLocalLimitIsInTheWay() {
        leases.limitTotal(10);
        StepDispatcher runner = runner(1);
        leases.leaseInTotal(1);
        submit(runner, "a", "a");
        assertThat(leases.takeHints()).doesNotContain("wanted");
        assertThat(leases.control().totalWanted()).isEqualTo(1);
        runner.dispatcher.setGlobalLimit(2);
        assertThat(leases.takeHints()).containsExactly("wanted");
    }

    @Test
    void rejectedTaskIsDemand() {
        globalThreshold = 0;
        StepDispatcher runner = runnerWithTotal(2);
        leases.leaseInTotal(1);
        submit(runner, "a");
        leases.takeHints();
        SimulatedTask task = new SimulatedTask("b", 1, SimulatedTask.CompletionListening.NONE);
        assertThat(runner.dispatcher.submit("b", task)).isEqualTo(Admission.GLOBAL_QUEUE_FULL);
        assertThat(leases.takeHints()).containsExactly("wanted");
    }

    /** One more permit is in use, so one more is needed for the tasks that are queued. */
    @Test
    void permitThatIsTakenByForceIsDemand() {
        StepDispatcher runner = runnerWithTotal(5);
        leases.leaseInTotal(1);
        SimulatedTask holder = runner.submit("a");
        SimulatedTask awaited = runner.submit("b");
        submit(runner, "b");
        BlockedWait wait = Objects.requireNonNull(BlockedWait.begin(List.of(holder), false));
        wait.add(awaited);
        assertThat(runner.runs(awaited)).isTrue();
        assertThat(leases.control().totalWanted()).isEqualTo(2);
        leases.takeHints();
        wait.end(0);
        assertThat(leases.takeHints()).containsExactly("wanted");
        assertThat(leases.control().totalWanted()).isEqualTo(3);
    }

    @Test
    void permitsThatAreReturnedWhileTooManyAreInUseAreHints() {
        StepDispatcher runner = runnerWithTotal(3);
        leases.leaseInTotal(3);
        submit(runner, "a", "a", "b");
        leases.takeHints();
        runner.finishOldest();
        assertThat(leases.takeHints()).as("a permit of several").isEmpty();
        assertThat(leases.leaseInTotal(1)).isEqualTo(2);
        runner.finishOldest();
        assertThat(leases.takeHints()).contains("released");
        runner.finishOldest();
        assertThat(leases.takeHints()).as("the last one").contains("released");
    }

    @Test
    void permitsOfAGroupThatCannotBeUsedWithoutMoreInTotalAreDemand() {
        leases.limitTotal(3);
        StepDispatcher runner = runner(UNLIMITED);
        leases.lease("a", 0);
        leases.leaseInTotal(0);
        submit(runner, "a");
        assertThat(leases.takeHints()).as("only the group is short").containsExactly("wanted a");
        leases.lease("a", 1);
        assertThat(leases.takeHints()).containsExactly("wanted");
        assertThat(leases.control().totalWanted()).isEqualTo(1);
    }
}
