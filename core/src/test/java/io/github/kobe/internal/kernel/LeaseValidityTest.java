package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Does no task start, and no caller get a permit, while the lease is not valid? With and without a global limit. */
@Timeout(60)
@ParameterizedClass
@ValueSource(ints = {Integer.MAX_VALUE, 2})
class LeaseValidityTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final long TTL = TimeUnit.SECONDS.toNanos(1);

    private final TestLeases leases = new TestLeases();
    private final StepDispatcher runner;

    LeaseValidityTest(int globalLimit) {
        runner = new StepDispatcher(
                key -> new GroupLimits(2, UNLIMITED, UNLIMITED),
                new DispatcherConfig(globalLimit, UNLIMITED, TTL, false, false),
                leases);
    }

    @BeforeEach
    void holdAllPermits() {
        leases.lease("g", 2);
        leases.lease("other", 2);
    }

    private void expire() {
        leases.expireAt("g", runner.timer.nanoTime());
    }

    private void renew() {
        leases.renew("g");
    }

    private boolean isQueued(SimulatedTask task) {
        return task.isQueuedForFirstStart() && !runner.runs(task);
    }

    @Test
    void taskIsQueuedUntilTheLeaseIsRenewed() {
        expire();
        SimulatedTask task = runner.submit("g");
        assertThat(isQueued(task)).isTrue();
        renew();
        assertThat(runner.runs(task)).isTrue();
    }

    @Test
    void leaseExpiresByTheClockOfTheStart() {
        leases.expireAt("g", TTL / 8);
        runner.timer.advance(TTL / 8 - 1);
        assertThat(runner.runs(runner.submit("g"))).isTrue();
        runner.timer.advance(1);
        assertThat(isQueued(runner.submit("g"))).isTrue();
    }

    @Test
    void completedTaskStartsNoOther() {
        runner.submit("g");
        runner.submit("g");
        SimulatedTask next = runner.submit("g");
        expire();
        runner.finishOldest();
        runner.finishOldest();
        assertThat(isQueued(next)).isTrue();
        assertThat(runner.dispatcher.group("g").active()).isZero();
        renew();
        assertThat(runner.runs(next)).isTrue();
    }

    @Test
    void raisedLimitsStartNothing() {
        leases.lease("g", 0);
        SimulatedTask task = runner.submit("g");
        expire();
        leases.lease("g", 2);
        runner.dispatcher.changeLimits("g", before -> new GroupLimits(5, 5, UNLIMITED));
        runner.dispatcher.setGlobalLimit(20);
        assertThat(isQueued(task)).isTrue();
        renew();
        assertThat(runner.runs(task)).isTrue();
    }

    @Test
    void callerGetsItsPermitWhenTheLeaseIsRenewed() {
        expire();
        PermitRequest request = new PermitRequest();
        assertThat(runner.dispatcher.submit("g", request)).isEqualTo(Admission.ADMITTED);
        assertThat(request.isGranted()).isFalse();
        renew();
        assertThat(request.isGranted()).isTrue();
        request.release(0);
    }

    @Test
    void queuedTasksStartInOrderAfterTheRenewal() {
        expire();
        List<SimulatedTask> tasks = List.of(runner.submit("g"), runner.submit("g"), runner.submit("g"));
        renew();
        assertThat(runner.finishOldest()).isSameAs(tasks.get(0));
        assertThat(runner.finishOldest()).isSameAs(tasks.get(1));
        assertThat(runner.finishOldest()).isSameAs(tasks.get(2));
    }

    @Test
    void groupWithAValidLeaseIsNotHeldUp() {
        runner.submit("g");
        SimulatedTask running = runner.submit("g");
        runner.submit("g");
        expire();
        SimulatedTask other = runner.submit("other");
        runner.finish(running);
        assertThat(runner.runs(other)).isTrue();
    }

    @Test
    void leaseThatIsNotRenewedStaysInvalidForOthersRenewals() {
        expire();
        leases.expireAt("other", runner.timer.nanoTime());
        SimulatedTask task = runner.submit("g");
        SimulatedTask other = runner.submit("other");
        leases.renew("other");
        assertThat(runner.runs(other)).isTrue();
        assertThat(isQueued(task)).isTrue();
        renew();
        assertThat(runner.runs(task)).isTrue();
    }

    @Test
    void renewalLooksAtNoGroupIfNoLeaseWasFoundInvalid() {
        runner.submit("g");
        int looks = leases.looks();
        renew();
        assertThat(leases.looks()).isEqualTo(looks);
    }

    @Test
    void renewalBetweenTwoLooksOfASubmitIsNotMissed() {
        for (int look = 1; !renewsInLook(look, () -> runner.submit("g")); look++) {
            assertThat(runner.running()).as("renewed in look %s", look).isEqualTo(1);
            runner.finishOldest();
        }
    }

    @Test
    void renewalBetweenTwoLooksOfAReleaseIsNotMissed() {
        leases.lease("g", 1);
        runner.submit("g");
        runner.submit("g");
        for (int look = 1; !renewsInLook(look, runner::finishOldest); look++) {
            assertThat(runner.running()).as("renewed in look %s", look).isEqualTo(1);
            runner.submit("g");
        }
    }

    /**
     * Runs {@code step} with an expired lease that is renewed in the look with this number.
     *
     * @return true if the step had not so many looks; then the lease is expired, and there was none that a renewal could pass
     */
    private boolean renewsInLook(int number, Runnable step) {
        boolean[] renewed = new boolean[1];
        expire();
        leases.afterLook(number, () -> {
            renewed[0] = true;
            renew();
        });
        step.run();
        return !renewed[0];
    }

    @Test
    void blockedTaskLendsItsPermitWhenTheLeaseIsRenewed() {
        leases.lease("g", 1);
        SimulatedTask waiting = runner.submit("g");
        SimulatedTask awaited = runner.submit("g");
        expire();
        BlockedWait wait = BlockedWait.begin(List.of(waiting), true);
        assertThat(wait).isNotNull();
        wait.add(awaited);
        assertThat(isQueued(awaited)).isTrue();
        renew();
        assertThat(runner.runs(awaited))
                .as("on the permit of the task that waits for it")
                .isTrue();
        assertThat(runner.dispatcher.group("g").active()).isEqualTo(1);
        runner.finish(awaited);
        wait.end(0);
        runner.finish(waiting);
    }

    @Test
    void nestedCallSharesThePermitOfItsThreadWhateverTheLeaseIs() {
        PermitRequest outer = new PermitRequest();
        runner.dispatcher.submit("g", outer);
        outer.holdByCurrentThread();
        expire();
        PermitRequest inner = new PermitRequest();
        assertThat(runner.dispatcher.tryShare("g", inner)).isTrue();
        inner.release(0);
        outer.release(0);
    }

    @Test
    void retryThatKeptItsPermitIsQueued() {
        AttemptState keeping = new AttemptState(0, AttemptLimits.NONE, AttemptLimits.NONE, true);
        SimulatedTask.Options options =
                new SimulatedTask.Options(0, AttemptLimits.NONE, AttemptLimits.NONE, 1, TTL / 8, true);
        ReferenceModel model = new ReferenceModel();
        SimulatedTask task = new SimulatedTask("g", 1, SimulatedTask.CompletionListening.NONE, options, keeping, model);
        runner.dispatcher.submit("g", task);
        runner.failAttempt(task);
        assertThat(runner.dispatcher.group("g").active())
                .as("it keeps its permit")
                .isEqualTo(1);
        expire();
        runner.timer.advance(TTL / 8);
        assertThat(runner.runs(task)).isFalse();
        assertThat(runner.dispatcher.group("g").active()).isZero();
        assertThat(runner.dispatcher.group("g").queued()).isEqualTo(1);
        renew();
        assertThat(runner.runs(task)).isTrue();
        runner.finish(task);
        assertThat(task.isCompleted()).isTrue();
    }

    @Test
    void queuedTaskCanBeCancelledAndExpires() {
        expire();
        SimulatedTask task = runner.submit("g");
        assertThat(task.cancel(false, "by the test")).isTrue();
        renew();
        assertThat(runner.running()).isZero();
        runner.timer.advance(2 * TTL);
        assertThat(runner.dispatcher.group("g")).as("retired").isNull();
    }
}
