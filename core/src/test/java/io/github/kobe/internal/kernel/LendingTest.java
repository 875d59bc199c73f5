package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a wait of a thread with permits keeps, and who is told when it can lend, step by step. */
@Timeout(60)
class LendingTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;

    /** No thread can be started for it, and something happens while that is tried. */
    private static final class FailsToStart extends KernelTask<String> {
        private final Runnable meanwhile;

        FailsToStart(Runnable meanwhile) {
            this.meanwhile = meanwhile;
        }

        @Override
        protected boolean launch(TaskRunner runner) {
            meanwhile.run();
            throw new IllegalStateException("no thread");
        }

        @Override
        protected Object execute() {
            throw new AssertionError("it never starts");
        }

        @Override
        protected String failed(Throwable fault) {
            return "failed";
        }

        @Override
        protected String cancelled(String why) {
            return "cancelled";
        }
    }

    private static BlockedWait waitOf(SimulatedTask holder) {
        return Objects.requireNonNull(BlockedWait.begin(List.of(holder), false));
    }

    @Test
    void aLongWaitDoesNotKeepTheTasksThatHaveCompleted() {
        StepDispatcher steps = new StepDispatcher(1, UNLIMITED, Long.MAX_VALUE);
        BlockedWait wait = waitOf(steps.submit("a"));
        int most = 0;
        for (int i = 0; i < 10_000; i++) {
            SimulatedTask task = steps.submit("b");
            wait.add(task);
            steps.finish(task);
            most = Math.max(most, wait.awaited().size());
        }
        assertThat(most).isLessThanOrEqualTo(100);
        wait.end(0);
    }

    @Test
    void aHolderWhoseWaitEndedEarlyLendsAgainWhenTheFirstLoanIsPaidOff() {
        StepDispatcher steps = new StepDispatcher(1, UNLIMITED, Long.MAX_VALUE);
        SimulatedTask holder = steps.submit("a");
        SimulatedTask first = steps.submit("a");
        BlockedWait early = waitOf(holder);
        early.add(first);
        assertThat(steps.runs(first)).isTrue();
        early.end(0);
        SimulatedTask second = steps.submit("a");
        BlockedWait again = waitOf(holder);
        again.add(second);
        assertThat(steps.runs(second))
                .as("one task more than the limit runs already")
                .isFalse();
        steps.finish(first);
        assertThat(steps.runs(second)).isTrue();
        steps.finish(second);
        again.end(0);
    }

    @Test
    void openTasksAreKept() {
        StepDispatcher steps = new StepDispatcher(1, UNLIMITED, Long.MAX_VALUE);
        SimulatedTask holder = steps.submit("a");
        BlockedWait wait = waitOf(holder);
        List<SimulatedTask> tasks = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            SimulatedTask task = steps.submit("a");
            wait.add(task);
            tasks.add(task);
        }
        for (SimulatedTask task : tasks) {
            assertThat(steps.runs(task)).isTrue();
            steps.finish(task);
        }
        wait.end(0);
        steps.finish(holder);
        assertThat(Objects.requireNonNull(steps.dispatcher.group("a")).active()).isZero();
    }

    /** Otherwise a wait for n tasks that run one after the other would take n² steps. */
    @Test
    void aLoanIsNotPrecededByAWalkOverCompletedTasks() {
        StepDispatcher steps = new StepDispatcher(1, UNLIMITED, Long.MAX_VALUE);
        BlockedWait wait = waitOf(steps.submit("a"));
        List<SimulatedTask> tasks = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            SimulatedTask task = steps.submit("a");
            wait.add(task);
            tasks.add(task);
        }
        tasks.forEach(steps::finish);
        assertThat(wait.awaited().size()).isLessThanOrEqualTo(2);
        wait.end(0);
    }

    /** The wait begins while another thread has the last permit of the group, for a task that then does not start. */
    @Test
    void aWaitForAFullGroupIsToldWhenATaskDidNotStart() {
        StepDispatcher steps = new StepDispatcher(1, 2, Long.MAX_VALUE);
        SimulatedTask holder = steps.submit("a");
        SimulatedTask other = steps.submit("x");
        List<KernelTask<?>> awaited = new ArrayList<>();
        List<BlockedWait> waits = new ArrayList<>();
        steps.dispatcher.submit("b", new FailsToStart(() -> {
            waits.add(waitOf(holder));
            waits.getFirst().add(awaited.getFirst());
        }));
        SimulatedTask task = steps.submit("b");
        awaited.add(task);
        SimulatedTask rival = steps.submit("c");
        steps.finish(other);
        assertThat(waits).hasSize(1);
        assertThat(steps.runs(rival)).as("has the global permit").isTrue();
        assertThat(steps.runs(task)).as("has the permit that was lent").isTrue();
        steps.finish(task);
        waits.getFirst().end(0);
        steps.finish(rival);
        steps.finish(holder);
        assertThat(steps.dispatcher.globalInFlight()).isZero();
    }

    /** A stop counts the tasks that have lent their permits, to know how many tasks must be on a thread. */
    @Test
    void aLoanCountsOnceHoweverManyShareIt() {
        StepDispatcher steps = new StepDispatcher(1, UNLIMITED, Long.MAX_VALUE);
        SimulatedTask holder = steps.submit("a");
        SimulatedTask borrower = steps.submit("a");
        BlockedWait wait = waitOf(holder);
        wait.add(borrower);
        Group group = Objects.requireNonNull(steps.dispatcher.group("a"));
        Lending lending = steps.dispatcher.lending();
        assertThat(lending.lentByTasksOf(group)).isEqualTo(1);
        PermitRequest request = new PermitRequest();
        request.bind(group);
        request.grantShared(Objects.requireNonNull(PermitShare.join(borrower)));
        assertThat(lending.lentByTasksOf(group)).as("while it is shared").isEqualTo(1);
        request.release(0);
        steps.finish(borrower);
        assertThat(lending.lentByTasksOf(group)).isZero();
        wait.end(0);
        steps.finish(holder);
        assertThat(group.active()).isZero();
    }

    /** The thread found no permit to share, because another thread was closing one of those that it has. So the request was queued. */
    @Test
    void aRequestThatIsGrantedOnThePermitOfItsThreadSharesIt() throws InterruptedException {
        for (int globalLimit : new int[] {1, UNLIMITED}) {
            StepDispatcher steps = new StepDispatcher(1, globalLimit, Long.MAX_VALUE);
            SimulatedTask holder = steps.submit("a");
            HeldPermits.Entry held = HeldPermits.add(holder);
            PermitRequest request = new PermitRequest();
            assertThat(steps.dispatcher.submit("a", request)).isEqualTo(Admission.ADMITTED);
            assertThat(request.await(Long.MAX_VALUE)).isEqualTo(PermitRequest.Result.GRANTED);
            Group group = Objects.requireNonNull(steps.dispatcher.group("a"));
            assertThat(group.active()).isEqualTo(1);
            request.release(0);
            assertThat(group.active()).as("the permit of the holder").isEqualTo(1);
            held.remove();
            steps.finish(holder);
            assertThat(group.active()).isZero();
            assertThat(group.hasFreePermits()).isTrue();
            assertThat(steps.dispatcher.globalInFlight()).isLessThanOrEqualTo(0);
        }
    }
}
