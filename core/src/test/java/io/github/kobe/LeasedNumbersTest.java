package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.internal.kernel.TestLeases;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Do statistics and rejections tell the configured limit, and how many of its permits are held here? */
@Timeout(60)
class LeasedNumbersTest {

    private final TestLeases leases = new TestLeases();

    private GroupExecutor executor(UnaryOperator<GroupPolicy.Builder> settings) {
        GroupPolicy.Builder policy = GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(10)
                .defaultMaxInFlightPerGroup(8)
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.THROW);
        return SimGroups.leasing(settings.apply(policy).build(), leases);
    }

    private static Rejection rejectionOf(GroupExecutor executor) {
        return catchThrowableOfType(RejectedTaskException.class, () -> executor.submit("g", () -> "never"))
                .rejection();
    }

    @Test
    void statisticsOfAGroup() {
        leases.lease("g", 3);
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask task = BlockingTask.in(executor, "g");
            GroupStats stats = executor.groupStats("g").orElseThrow();
            assertThat(stats.maxConcurrency()).isEqualTo(10);
            assertThat(stats.limit()).isEqualTo(8);
            assertThat(stats.leasedPermits()).isEqualTo(3);
            assertThat(stats.activeCount()).isEqualTo(1);
            leases.lease("g", 0);
            stats = executor.groupStats("g").orElseThrow();
            assertThat(stats.leasedPermits()).isZero();
            assertThat(stats.activeCount()).as("more than are leased").isEqualTo(1);
            assertThat(stats.paused()).isFalse();
            task.release();
        }
    }

    @Test
    void statisticsOfTheExecutor() {
        leases.limitTotal(20);
        leases.lease("g", 3);
        try (GroupExecutor executor = executor(b -> b)) {
            assertThat(executor.stats().globalLeasedPermits()).isZero();
            leases.leaseInTotal(5);
            assertThat(executor.stats().globalInFlightMax()).isEqualTo(20);
            assertThat(executor.stats().globalLeasedPermits()).isEqualTo(5);
        }
    }

    @Test
    void statisticsWithoutLeases() {
        try (GroupExecutor executor = TestKit.executor(b -> b)) {
            executor.submit("g", () -> "done").join();
            assertThat(executor.groupStats("g").orElseThrow().leasedPermits()).isEqualTo(Integer.MAX_VALUE);
            assertThat(executor.stats().globalLeasedPermits()).isEqualTo(Integer.MAX_VALUE);
        }
    }

    @Test
    void taskThatIsRejectedBecauseTooFewPermitsAreHeld() {
        leases.lease("g", 1);
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask task = BlockingTask.in(executor, "g");
            Rejection rejection = rejectionOf(executor);
            assertThat(rejection.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
            assertThat(rejection.limitedBy()).isEqualTo(LimitKind.LEASE);
            assertThat(rejection.limit()).isEqualTo(8);
            assertThat(rejection.leased()).isEqualTo(1);
            assertThat(rejection.active()).isEqualTo(1);
            task.release();
        }
    }

    @Test
    void taskThatIsRejectedByTheLimitOfThisJvm() {
        leases.lease("g", 10);
        try (GroupExecutor executor = executor(b -> b.defaultMaxInFlightPerGroup(1))) {
            BlockingTask task = BlockingTask.in(executor, "g");
            Rejection rejection = rejectionOf(executor);
            assertThat(rejection.limitedBy()).isEqualTo(LimitKind.GROUP_IN_FLIGHT);
            assertThat(rejection.limit()).isEqualTo(1);
            assertThat(rejection.leased()).isEqualTo(10);
            task.release();
        }
    }

    @Test
    void taskThatIsRejectedBecauseTheGroupIsPaused() {
        leases.lease("g", 1);
        try (GroupExecutor executor = executor(b -> b)) {
            executor.pauseGroup("g");
            Rejection rejection = rejectionOf(executor);
            assertThat(rejection.reason()).isEqualTo(RejectionReason.PAUSED);
            assertThat(rejection.limitedBy()).isEqualTo(LimitKind.PAUSE);
        }
    }

    @Test
    void callerThatExpiresWhileTheLeaseIsNotValid() throws Exception {
        leases.lease("g", 2);
        leases.expireAt("g", Long.MIN_VALUE);
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(50))) {
            Rejection rejection = executor.tryAcquire("g", Duration.ZERO).rejection();
            assertThat(rejection.reason()).isEqualTo(RejectionReason.EXPIRED);
            assertThat(rejection.limitedBy()).isEqualTo(LimitKind.LEASE);
            assertThat(rejection.leased()).isEqualTo(2);
            assertThat(rejection.active()).isZero();
        }
    }

    @Test
    void taskThatIsRejectedByTheTotalLimit() {
        leases.limitTotal(20);
        leases.lease("g", 2);
        try (GroupExecutor executor = executor(b -> b.globalQueueThreshold(0).defaultQueueThresholdPerGroup(5))) {
            leases.leaseInTotal(1);
            BlockingTask task = BlockingTask.in(executor, "g");
            Rejection rejection = rejectionOf(executor);
            assertThat(rejection.reason()).isEqualTo(RejectionReason.GLOBAL_QUEUE_FULL);
            assertThat(rejection.limitedBy()).isEqualTo(LimitKind.GLOBAL);
            assertThat(rejection.limit()).isEqualTo(20);
            assertThat(rejection.leased()).isEqualTo(1);
            task.release();
        }
    }
}
