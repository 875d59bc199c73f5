package io.github.kobe.redis.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.redis.proof.ProofFleet.Member;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of the permits and the tasks of a node that is lost, step by step? */
@Timeout(value = 240, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LostNodeTest {

    private static final ProofSettings SETTINGS = ProofSettings.ofTtl(Duration.ofMillis(1600));
    private static final ProofGroup GROUP = ProofGroup.SMALL;
    private static final int LIMIT = GROUP.limit;

    private static void awaitRunning(Member member, int tasks) {
        Awaitility.await("node " + member.number + " runs " + tasks)
                .atMost(ProofFleet.PATIENCE)
                .until(() -> member.running(GROUP) == tasks);
    }

    private static void hold(Member member, int tasks) {
        member.jvm().ask("hold " + GROUP + " " + tasks, "holding");
    }

    private static int overshoot(ProofFleet fleet) {
        return Math.max(0, fleet.referee().takeMax(GROUP.ordinal()) - LIMIT);
    }

    @Test
    void permitsOfAKilledNodeGoToOthersAndTheLimitHolds() {
        try (ProofFleet fleet = ProofFleet.start(SETTINGS, 2)) {
            Member killed = fleet.members().get(0);
            Member other = fleet.members().get(1);
            hold(killed, LIMIT);
            awaitRunning(killed, LIMIT);
            hold(other, LIMIT);
            killed.kill();
            awaitRunning(other, LIMIT);
            assertThat(overshoot(fleet)).isZero();
        }
    }

    @Test
    void stoppedNodeKeepsItsTasksAsDebtAndStartsNothingOnThem() {
        try (ProofFleet fleet = ProofFleet.start(SETTINGS, 2)) {
            Member stopped = fleet.members().get(0);
            Member other = fleet.members().get(1);
            hold(stopped, LIMIT - 1);
            awaitRunning(stopped, LIMIT - 1);
            stopped.jvm().freeze();
            hold(other, LIMIT);
            awaitRunning(other, LIMIT);
            stopped.jvm().thaw();
            stopped.awaitDebt(GROUP, LIMIT - 1);
            assertThat(overshoot(fleet))
                    .as("at most what the stopped node had begun")
                    .isEqualTo(LIMIT - 1);

            long begun = fleet.begun(GROUP);
            hold(stopped, LIMIT);
            fleet.awaitRenewal();
            assertThat(fleet.begun(GROUP)).as("nothing starts on a debt").isEqualTo(begun);
            other.jvm().ask("open", "opened"); // its permits pay off the debt
            stopped.awaitDebt(GROUP, 0);
            awaitRunning(stopped, LIMIT);

            stopped.jvm().ask("open", "opened");
            Awaitility.await().atMost(ProofFleet.PATIENCE).until(() -> fleet.running(GROUP) == 0);
            overshoot(fleet);
            hold(other, LIMIT);
            hold(stopped, LIMIT);
            Awaitility.await().atMost(ProofFleet.PATIENCE).until(() -> fleet.running(GROUP) == LIMIT);
            assertThat(overshoot(fleet)).isZero();
        }
    }

    @Test
    void tasksThatAreInterruptedWithTheLeaseLeaveNoOvershoot() {
        // permits are kept for longer, so that a busy machine has the time to interrupt the tasks
        ProofSettings settings = SETTINGS.interrupting(Duration.ofSeconds(3));
        try (ProofFleet fleet = ProofFleet.start(settings, 2)) {
            Member cutOff = fleet.members().get(0);
            Member other = fleet.members().get(1);
            hold(cutOff, LIMIT);
            awaitRunning(cutOff, LIMIT);
            hold(other, LIMIT);
            cutOff.proxy.drop();
            awaitRunning(other, LIMIT);
            assertThat(overshoot(fleet)).isZero();
        }
    }

    @Test
    void fleetThatIsNotFoundedLearnsFirstAndThenWorks() {
        try (ProofFleet fleet = ProofFleet.start(SETTINGS.notFounding(), 2)) {
            fleet.members().forEach(member -> hold(member, LIMIT));
            Awaitility.await().atMost(ProofFleet.PATIENCE).until(() -> fleet.running(GROUP) == LIMIT);
            assertThat(overshoot(fleet)).isZero();
        }
    }
}
