package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Does the owner of leases learn which groups need more permits, and which fewer? With and without a global limit. */
@ParameterizedClass
@ValueSource(ints = {Integer.MAX_VALUE, 20})
class LeaseDemandTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final int MAX_IN_THIS_JVM = 4;
    private static final long TTL = TimeUnit.SECONDS.toNanos(1);

    private final TestLeases leases = new TestLeases();
    private final StepDispatcher runner;
    private int queueThreshold = UNLIMITED;

    LeaseDemandTest(int globalLimit) {
        runner = new StepDispatcher(
                key -> new GroupLimits(5, MAX_IN_THIS_JVM, queueThreshold),
                new DispatcherConfig(globalLimit, UNLIMITED, TTL, false, true),
                leases);
    }

    @AfterEach
    void noHintFailed() {
        assertThat(leases.faults()).isZero();
    }

    private Admission ask(String key) {
        return runner.dispatcher.submit(key, new SimulatedTask(key, 1000, SimulatedTask.CompletionListening.NONE));
    }

    /** Such as "g 1/5 wants 2": permits in use, of the limit in all JVMs, and how many are of use here. */
    private List<String> demand() {
        List<String> demand = new ArrayList<>();
        for (Group group : runner.dispatcher.groupsInUse()) {
            leases.control().visitDemand(group.key(), (key, limit, used, wanted) -> {
                assertThat(Thread.holdsLock(group)).isFalse();
                demand.add(key + " " + used + "/" + limit + " wants " + wanted);
            });
        }
        return demand;
    }

    @Test
    void taskWithoutALeasedPermitIsDemand() {
        runner.submit("g");
        assertThat(leases.takeHints()).containsExactly("wanted g");
        runner.submit("g");
        assertThat(leases.takeHints()).containsExactly("wanted g");
        assertThat(demand()).containsExactly("g 0/5 wants 2");
    }

    @Test
    void noMoreIsWantedThanMayRunInThisJvm() {
        leases.lease("g", 1);
        for (int i = 0; i < 8; i++) {
            runner.submit("g");
        }
        assertThat(leases.takeHints()).endsWith("wanted g", "wanted g");
        assertThat(demand()).containsExactly("g 1/5 wants " + MAX_IN_THIS_JVM);
    }

    @Test
    void nothingIsWantedIfThePermitsInHandSuffice() {
        leases.lease("g", 2);
        runner.submit("g");
        runner.submit("g");
        assertThat(leases.takeHints()).isEmpty();
        assertThat(demand()).containsExactly("g 2/5 wants 2");
    }

    @Test
    void nothingIsWantedIfTheLocalLimitIsInTheWay() {
        leases.lease("g", 5);
        for (int i = 0; i < 6; i++) {
            runner.submit("g");
        }
        assertThat(leases.takeHints()).isEmpty();
        assertThat(demand()).containsExactly("g 4/5 wants 4");
    }

    @Test
    void pausedGroupWantsNothingUntilItIsResumed() {
        leases.lease("g", 0);
        GroupLimits limits = new GroupLimits(5, 4, UNLIMITED);
        runner.submit("g");
        runner.dispatcher.changeLimits("g", before -> new GroupLimits(5, 4, UNLIMITED, 1, true));
        leases.takeHints();
        runner.submit("g");
        assertThat(leases.takeHints()).isEmpty();
        assertThat(demand()).containsExactly("g 0/5 wants 0");
        runner.dispatcher.changeLimits("g", before -> limits);
        assertThat(leases.takeHints()).containsExactly("wanted g");
    }

    @Test
    void rejectedTaskIsDemand() {
        queueThreshold = 0;
        leases.lease("g", 1);
        runner.submit("g");
        leases.takeHints();
        assertThat(ask("g")).isEqualTo(Admission.GROUP_QUEUE_FULL);
        assertThat(leases.takeHints()).containsExactly("wanted g");
        leases.lease("g", 4);
        for (int i = 0; i < 3; i++) {
            runner.submit("g");
        }
        assertThat(ask("g")).isEqualTo(Admission.GROUP_QUEUE_FULL);
        assertThat(leases.takeHints()).as("the limit of this JVM is in the way").isEmpty();
    }

    @Test
    void callingThreadThatWaitsIsDemand() {
        leases.lease("g", 0);
        runner.dispatcher.submit("g", new PermitRequest());
        assertThat(leases.takeHints()).containsExactly("wanted g");
        assertThat(demand()).containsExactly("g 0/5 wants 1");
    }

    @Test
    void permitsThatAreReturnedWhileTooManyAreInUseAreHints() {
        leases.lease("g", 3);
        for (int i = 0; i < 3; i++) {
            runner.submit("g");
        }
        leases.takeHints();
        runner.finishOldest();
        assertThat(leases.takeHints()).as("a permit of several").isEmpty();
        assertThat(leases.lease("g", 1)).isEqualTo(2);
        runner.finishOldest();
        assertThat(leases.takeHints()).containsExactly("released g");
        runner.finishOldest();
        assertThat(leases.takeHints()).as("the last one").containsExactly("unused g");
    }

    @Test
    void permitThatGoesToTheNextTaskIsNoHint() {
        leases.lease("g", 1);
        runner.submit("g");
        runner.submit("g");
        leases.takeHints();
        runner.finishOldest();
        assertThat(leases.takeHints()).isEmpty();
    }

    @Test
    void startThatFailsReturnsItsPermit() {
        leases.lease("g", 1);
        runner.submit("g");
        SimulatedTask next = runner.submit("g");
        leases.takeHints();
        runner.failNextStart(() -> leases.lease("g", 0));
        runner.finishOldest();
        assertThat(next.isCompleted()).isTrue();
        assertThat(leases.takeHints()).contains("released g");
        assertThat(runner.dispatcher.group("g").active()).isZero();
    }

    @Test
    void tasksThatWaitedForTheLeaseAreDemandWhenItIsRenewed() {
        leases.lease("g", 1);
        leases.expireAt("g", runner.timer.nanoTime());
        leases.control().lapsed();
        runner.submit("g");
        runner.submit("g");
        assertThat(leases.takeHints()).as("a permit is free").isEmpty();
        leases.renew("g");
        assertThat(runner.running()).isEqualTo(1);
        assertThat(leases.takeHints()).contains("wanted g");
    }

    @Test
    void tasksThatWaitedForTheGlobalLimitAreDemandWhenTheGroupIsNext() {
        runner.dispatcher.setGlobalLimit(1);
        leases.lease("g", 1);
        leases.lease("other", 1);
        runner.submit("other");
        runner.submit("g");
        runner.submit("g");
        assertThat(leases.takeHints()).as("a permit is free").isEmpty();
        runner.finishOldest();
        assertThat(leases.takeHints()).contains("wanted g");
    }

    /** The tasks wait for the global limit, and have a free permit. Then one of them takes it, on a global permit that was lent. */
    @Test
    void tasksThatAreLeftWithoutAPermitByABorrowedStartAreDemand() {
        SimulatedTask holder = holderOfTheOnlyGlobalPermit();
        SimulatedTask awaited = runner.submit("g");
        runner.submit("g");
        leases.takeHints();
        BlockedWait wait = Objects.requireNonNull(BlockedWait.begin(List.of(holder), false));
        wait.add(awaited);
        assertThat(runner.runs(awaited)).isTrue();
        assertThat(leases.takeHints()).contains("wanted g");
        assertThat(demand()).contains("g 1/5 wants 2");
        runner.finish(awaited);
        wait.end(0);
    }

    /** As above, if a thread acquires a permit of the group together with the global permit that it has. */
    @Test
    void tasksThatAreLeftWithoutAPermitByAGrantWithAGlobalPermitAreDemand() {
        SimulatedTask holder = holderOfTheOnlyGlobalPermit();
        runner.submit("g");
        leases.takeHints();
        PermitRequest request = new PermitRequest();
        request.noteGlobalHolder(holder);
        runner.dispatcher.submit("g", request);
        assertThat(request.isGranted()).isTrue();
        assertThat(leases.takeHints()).contains("wanted g");
        assertThat(demand()).contains("g 1/5 wants 2");
        request.release(0);
    }

    /** A permit that is taken by force is one more in use, so as many more are needed for the tasks that are queued. */
    @Test
    void permitThatIsTakenByForceIsDemandIfTasksAreQueued() {
        leases.lease("g", 1);
        SimulatedTask holder = runner.submit("g");
        SimulatedTask awaited = runner.submit("g");
        runner.submit("g");
        BlockedWait wait = Objects.requireNonNull(BlockedWait.begin(List.of(holder), false));
        wait.add(awaited);
        assertThat(runner.runs(awaited)).isTrue();
        assertThat(demand()).containsExactly("g 1/5 wants 2");
        leases.takeHints();
        wait.end(0);
        assertThat(leases.takeHints()).containsExactly("wanted g");
        assertThat(demand()).containsExactly("g 2/5 wants 3");
    }

    private SimulatedTask holderOfTheOnlyGlobalPermit() {
        runner.dispatcher.setGlobalLimit(1);
        leases.lease("g", 1);
        leases.lease("other", 1);
        return runner.submit("other");
    }

    @Test
    void changedLimitIsAHint() {
        leases.lease("g", 1);
        runner.submit("g");
        leases.takeHints();
        runner.dispatcher.changeLimits("g", before -> new GroupLimits(7, 4, UNLIMITED));
        assertThat(leases.takeHints()).containsExactly("limitChanged g");
        assertThat(demand()).containsExactly("g 1/7 wants 1");
        runner.dispatcher.changeLimits("g", before -> new GroupLimits(7, 2, UNLIMITED));
        assertThat(leases.takeHints()).as("the limit of this JVM alone").isEmpty();
    }

    @Test
    void retiredGroupIsAHint() {
        leases.lease("g", 1);
        runner.submit("g");
        runner.finishOldest();
        leases.takeHints();
        runner.timer.advance(2 * TTL);
        assertThat(leases.takeHints()).containsExactly("retired g");
        assertThat(demand()).isEmpty();
        assertThat(leases.control().visitDemand("g", (key, limit, used, wanted) -> {}))
                .isFalse();
    }

    @Test
    void closedDispatcherRetiresItsGroups() {
        leases.lease("g", 1);
        runner.submit("g");
        runner.dispatcher.close();
        leases.takeHints();
        runner.finishOldest();
        assertThat(leases.takeHints()).contains("retired g");
    }
}
