package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What callers see of shared limits and costs. The promises are tested in the kernel. */
@Timeout(60)
class SharedLimitTest {

    private static final PermitOptions NO_WAIT =
            PermitOptions.builder().maxWait(Duration.ZERO).build();

    private static GroupPolicy.Builder tenantsAndEndpoints() {
        return GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(4)
                .sharedLimit(SharedLimit.by("tenant", key -> key.split("/", 2)[0])
                        .max(2)
                        .max("big", 3))
                .sharedLimit(SharedLimit.by("endpoint", key -> key.split("/", 2)[1])
                        .maxResolver(endpoint -> endpoint.length()));
    }

    private static GroupExecutor executor(GroupPolicy.Builder policy) {
        return GroupExecutor.newVirtualThreadExecutor(policy.build());
    }

    @Test
    void permitsOfAllGroupsOfAValueCount() throws Exception {
        try (GroupExecutor executor = executor(tenantsAndEndpoints())) {
            try (Permit one = executor.acquire("a/long").detach();
                    Permit two = executor.acquire("a/other").detach()) {
                PermitResult third = executor.tryAcquire("a/third", NO_WAIT);
                assertThat(third.isGranted()).isFalse();
                assertThat(third.rejection().limitedBy()).isEqualTo(LimitKind.SHARED);
                assertThat(third.rejection().sharedLimit()).isEqualTo("tenant 'a'");
                assertThat(third.rejection().active()).isEqualTo(2);
                assertThat(third.rejection().limit()).isEqualTo(2);
                assertThat(third.rejection())
                        .hasToString(
                                "expired (2 active, 0 queued, shared limit tenant 'a' 2, queue threshold unlimited)");
                try (PermitResult other = executor.tryAcquire("b/long", NO_WAIT)) {
                    assertThat(other.isGranted()).isTrue();
                }
            }
            try (PermitResult again = executor.tryAcquire("a/third", NO_WAIT)) {
                assertThat(again.isGranted()).isTrue();
            }
        }
    }

    @Test
    void statisticsShowEachValue() throws Exception {
        try (GroupExecutor executor = executor(tenantsAndEndpoints())) {
            try (Permit permit = executor.acquire("big/x")) {
                assertThat(executor.sharedLimitStats("tenant", "big"))
                        .contains(new SharedLimitStats("tenant", "big", 1, 1, 3, false, 0));
                assertThat(executor.sharedLimitStats("endpoint", "x"))
                        .contains(new SharedLimitStats("endpoint", "x", 1, 1, 1, false, 0));
                assertThat(executor.sharedLimits()).hasSize(2);
                TaskHandle<?> waiting = executor.submit("small/x", () -> {});
                assertThat(executor.sharedLimitStats("endpoint", "x"))
                        .contains(new SharedLimitStats("endpoint", "x", 2, 1, 1, false, 1));
                assertThat(executor.sharedLimitStats("endpoint", "x").orElseThrow())
                        .hasToString("endpoint 'x': 1/1 active, 1 of 2 groups wait");
                permit.close();
                waiting.await();
            }
            assertThat(executor.sharedLimitStats("tenant", "unknown")).isEmpty();
        }
    }

    @Test
    void nothingIsLeftOfAValueWithoutGroups() throws Exception {
        try (GroupExecutor executor = executor(tenantsAndEndpoints().idleGroupTtl(Duration.ZERO))) {
            for (int i = 0; i < 100; i++) {
                executor.submit(i + "/endpoint", () -> {}).await();
            }
            TestKit.eventually(() -> assertThat(executor.sharedLimits()).isEmpty());
        }
    }

    @Test
    void aSettingHoldsForTasksThatAreQueuedAndForLaterGroups() throws Exception {
        try (GroupExecutor executor = executor(tenantsAndEndpoints())) {
            executor.setSharedLimit("tenant", "late", 1);
            try (Permit permit = executor.acquire("late/endpoint").detach()) {
                TaskHandle<?> queued = executor.submit("late/another", () -> {});
                assertThat(queued.isDone()).isFalse();
                assertThat(executor.sharedLimitStats("tenant", "late")
                                .orElseThrow()
                                .max())
                        .isEqualTo(1);

                executor.setSharedLimit("tenant", "late", 2);
                queued.await();
                assertThat(permit).isNotNull();
            }
            executor.resetSharedLimit("tenant", "late");
            assertThat(executor.sharedLimitStats("tenant", "late").orElseThrow().max())
                    .isEqualTo(2);
        }
    }

    @Test
    void aPausedValueStartsNothing() throws Exception {
        try (GroupExecutor executor = executor(tenantsAndEndpoints())) {
            executor.pauseSharedLimit("tenant", "a");
            TaskHandle<?> queued = executor.submit("a/endpoint", () -> {});
            executor.submit("b/endpoint", () -> {}).await();
            assertThat(queued.isDone()).isFalse();
            assertThat(executor.sharedLimitStats("tenant", "a").orElseThrow().paused())
                    .isTrue();
            assertThat(executor.sharedLimitStats("tenant", "a").orElseThrow().max())
                    .isEqualTo(2);

            executor.resumeSharedLimit("tenant", "a");
            queued.await();
        }
    }

    @Test
    void aRejectionByAPausedValueSaysSoWithTheLimitThatIsPaused() throws Exception {
        GroupPolicy.Builder policy = tenantsAndEndpoints()
                .defaultMaxConcurrencyPerGroup(1)
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.DISCARD);
        try (GroupExecutor executor = executor(policy)) {
            executor.pauseSharedLimit("tenant", "a");
            TaskHandle<?> queued = executor.submit("a/endpoint", () -> {});
            Rejection full = executor.submit("a/endpoint", () -> {}).await().rejection();
            assertThat(full).isNotNull();
            assertThat(full.reason()).isEqualTo(RejectionReason.PAUSED);
            assertThat(full.limitedBy()).isEqualTo(LimitKind.PAUSE);
            assertThat(full.sharedLimit()).isEqualTo("tenant 'a'");
            assertThat(full).hasToString("paused (0 active, 1 queued, shared limit tenant 'a' 2, queue threshold 0)");
            assertThat(executor.stats().counts().rejectedByReason()).containsEntry(RejectionReason.PAUSED, 1L);

            executor.setSharedLimit("tenant", "a", 7);
            Rejection raised =
                    executor.tryAcquire("a/endpoint", Duration.ofMinutes(1)).rejection();
            assertThat(raised.reason()).isEqualTo(RejectionReason.PAUSED);
            assertThat(raised.limit()).isEqualTo(7);

            executor.resumeSharedLimit("tenant", "a");
            queued.await();
        }
    }

    /** As in a paused group. */
    @Test
    void atAPausedValueAWaitExpiresBecauseOfThePause() throws Exception {
        try (GroupExecutor executor = executor(tenantsAndEndpoints())) {
            executor.pauseSharedLimit("endpoint", "four");
            PermitResult permit = executor.tryAcquire("a/four", NO_WAIT);
            assertThat(permit.rejection().reason()).isEqualTo(RejectionReason.EXPIRED);
            assertThat(permit.rejection().limitedBy()).isEqualTo(LimitKind.PAUSE);
            assertThat(permit.rejection().sharedLimit()).isEqualTo("endpoint 'four'");
            assertThat(permit.rejection().limit()).isEqualTo(4);

            GroupResult<?> task = executor.submit(
                            "a/four",
                            () -> {},
                            TaskOptions.builder()
                                    .maxQueueTime(Duration.ofMillis(1))
                                    .build())
                    .await();
            assertThat(task.rejection()).isNotNull();
            assertThat(task.rejection().reason()).isEqualTo(RejectionReason.EXPIRED);
            assertThat(task.rejection().limitedBy()).isEqualTo(LimitKind.PAUSE);
        }
    }

    @Test
    void aPausedValueIsNamedWhateverElseIsInTheWay() throws Exception {
        try (GroupExecutor executor = executor(tenantsAndEndpoints().defaultMaxConcurrencyPerGroup(2))) {
            try (Permit one = executor.acquire("a/four").detach();
                    Permit two = executor.acquire("a/four").detach()) {
                executor.pauseSharedLimit("endpoint", "four");
                Rejection rejection = executor.tryAcquire("a/four", NO_WAIT).rejection();
                assertThat(rejection.sharedLimit()).isEqualTo("endpoint 'four'");
                assertThat(rejection.active()).isEqualTo(2);
                assertThat(rejection.limit()).isEqualTo(4);
                executor.pauseGroup("a/four");
                assertThat(executor.tryAcquire("a/four", NO_WAIT).rejection().sharedLimit())
                        .isEmpty();
                assertThat(List.of(one, two)).hasSize(2);
            }
        }
    }

    @Test
    void aLimitThatThePolicyDoesNotHaveIsRefused() {
        try (GroupExecutor executor = executor(tenantsAndEndpoints())) {
            assertThatThrownBy(() -> executor.setSharedLimit("region", "eu", 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("there is no shared limit 'region'");
            assertThatThrownBy(() -> executor.setSharedLimit("tenant", "a", 0))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> GroupPolicy.builder()
                            .sharedLimit(SharedLimit.by("x", key -> key))
                            .sharedLimit(SharedLimit.by("x", key -> key)))
                    .hasMessage("there is a shared limit 'x' already");
        }
    }

    @Test
    void valuesWithWeightsTakeTurnsAtOtherLimitsWhateverTheNumberOfTheirGroups() throws Exception {
        GroupPolicy.Builder policy = GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(4)
                .sharedLimit(SharedLimit.by("tenant", key -> key.split("/", 2)[0])
                        .weight(1)
                        .weight("big", 2))
                .globalMaxInFlight(1);
        StringBuffer starts = new StringBuffer();
        try (GroupExecutor executor = executor(policy)) {
            List<TaskHandle<?>> handles = new ArrayList<>();
            try (Permit held = executor.acquire("other/0").detach()) {
                for (String key : List.of("a/1", "a/2", "a/3", "b/1", "big/1")) {
                    for (int i = 0; i < 4; i++) {
                        handles.add(
                                executor.submit(key, () -> starts.append(key).append(' ')));
                    }
                }
                assertThat(held).isNotNull();
            }
            for (TaskHandle<?> handle : handles) {
                handle.await();
            }
        }
        assertThat(starts.toString()).startsWith("a/1 b/1 big/1 big/1 a/2 b/1 big/1 big/1 a/3 b/1 a/1 b/1 a/2 ");
    }

    @Test
    void weightsOfValuesAreNotForServiceTime() {
        GroupPolicy.Builder policy = GroupPolicy.builder()
                .fairnessPolicy(FairnessPolicy.SERVICE_TIME)
                .sharedLimit(SharedLimit.by("tenant", key -> key).weight("a", 2));
        assertThatThrownBy(policy::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("fairnessPolicy must be TASKS if a shared limit has weights, but is SERVICE_TIME");
    }

    @Test
    void aClassifierThatThrowsPutsItsGroupsUnderOneValue() throws Exception {
        GroupPolicy.Builder policy = GroupPolicy.builder()
                .sharedLimit(SharedLimit.by("tenant", key -> {
                            throw new IllegalStateException("no tenant");
                        })
                        .max(1));
        try (GroupExecutor executor = executor(policy)) {
            try (Permit permit = executor.acquire("a").detach()) {
                assertThat(executor.tryAcquire("b", NO_WAIT).isGranted()).isFalse();
                assertThat(permit).isNotNull();
            }
            assertThat(executor.callbackFaults()).isPositive();
        }
    }

    @Test
    void aCallInACallSharesThePermitsOfTheLimitsThatBothGroupsHave() throws Exception {
        GroupPolicy.Builder policy = GroupPolicy.builder()
                .sharedLimit(
                        SharedLimit.by("tenant", key -> key.split("/", 2)[0]).max(1));
        try (GroupExecutor executor = executor(policy)) {
            String result = executor.call(
                    "a/outer",
                    () -> executor.call(
                            "a/inner",
                            () -> executor.sharedLimitStats("tenant", "a")
                                            .orElseThrow()
                                            .activeCount() + " active"));
            assertThat(result).isEqualTo("1 active");
            assertThat(executor.sharedLimitStats("tenant", "a").orElseThrow().activeCount())
                    .isZero();
        }
    }

    @Test
    void aTaskThatWaitsForAnotherGroupBehindTheSameLimitLendsItsPermit() throws Exception {
        GroupPolicy.Builder policy = GroupPolicy.builder()
                .sharedLimit(
                        SharedLimit.by("tenant", key -> key.split("/", 2)[0]).max(1));
        try (GroupExecutor executor = executor(policy)) {
            TaskHandle<String> outer = executor.submit(
                    "a/outer",
                    () -> executor.submit("a/inner", () -> "from the inner task")
                            .get());
            assertThat(outer.get()).isEqualTo("from the inner task");
            assertThat(executor.sharedLimitStats("tenant", "a").orElseThrow().activeCount())
                    .isZero();
        }
    }

    @Test
    void aTaskThatCouldNeverFitIsRejectedWithTheNumbers() throws Exception {
        try (GroupExecutor executor = executor(tenantsAndEndpoints().rejectionPolicy(RejectionPolicy.DISCARD))) {
            TaskOptions cost3 = TaskOptions.builder().cost(3).build();
            GroupResult<?> tooCostly =
                    executor.submit("a/endpoint", () -> {}, cost3).await();
            assertThat(tooCostly.status()).isEqualTo(TaskStatus.REJECTED);
            Rejection rejection = tooCostly.rejection();
            assertThat(rejection).isNotNull();
            assertThat(rejection.reason()).isEqualTo(RejectionReason.TOO_COSTLY);
            assertThat(rejection.sharedLimit()).isEqualTo("tenant 'a'");
            assertThat(rejection.cost()).isEqualTo(3);
            assertThat(rejection.limit()).isEqualTo(2);
            assertThat(executor.submit("big/endpoint", () -> "fits", cost3).get())
                    .isEqualTo("fits");

            PermitResult permit = executor.tryAcquire(
                    "b/endpoint", PermitOptions.builder().cost(5).build());
            assertThat(permit.rejection().reason()).isEqualTo(RejectionReason.TOO_COSTLY);
            assertThat(permit.rejection().limitedBy()).isEqualTo(LimitKind.GROUP_CONCURRENCY);
            assertThat(executor.stats().counts().rejectedByReason().get(RejectionReason.TOO_COSTLY))
                    .isEqualTo(2);
        }
    }

    @Test
    void costsWorkWithoutSharedLimits() throws Exception {
        try (GroupExecutor executor = executor(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(3))) {
            AtomicInteger running = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            List<TaskHandle<?>> handles = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                int cost = 1 + i % 3;
                handles.add(executor.submit(
                        "group",
                        () -> {
                            most.accumulateAndGet(running.addAndGet(cost), Math::max);
                            Thread.yield();
                            running.addAndGet(-cost);
                        },
                        TaskOptions.builder().cost(cost).build()));
            }
            for (TaskHandle<?> handle : handles) {
                assertThat(handle.await().isSuccess()).isTrue();
            }
            assertThat(most.get()).isLessThanOrEqualTo(3);
            assertThat(executor.groupStats("group").orElseThrow().activeCount()).isZero();
        }
    }

    /** Many threads, three limits that all bind, and permits and tasks of different cost: nothing is exceeded, nothing is lost. */
    @Test
    void limitsHoldUnderLoad() throws Exception {
        GroupPolicy.Builder policy = GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(3)
                .sharedLimit(
                        SharedLimit.by("tenant", key -> key.substring(0, 1)).max(4))
                .sharedLimit(SharedLimit.by("endpoint", key -> key.substring(1)).max(5))
                .globalMaxInFlight(9);
        AtomicInteger[] tenants = {new AtomicInteger(), new AtomicInteger(), new AtomicInteger()};
        AtomicInteger[] endpoints = {new AtomicInteger(), new AtomicInteger(), new AtomicInteger()};
        AtomicInteger all = new AtomicInteger();
        AtomicInteger violations = new AtomicInteger();
        try (GroupExecutor executor = executor(policy)) {
            CountDownLatch submitted = new CountDownLatch(4);
            List<TaskHandle<?>> handles = java.util.Collections.synchronizedList(new ArrayList<>());
            for (int thread = 0; thread < 4; thread++) {
                int seed = thread;
                Thread.ofVirtual().start(() -> {
                    for (int i = 0; i < 2_000; i++) {
                        int tenant = (i + seed) % 3;
                        int endpoint = (i * 7 + seed) % 3;
                        int cost = i % 10 == 0 ? 2 : 1;
                        handles.add(executor.submit(
                                tenant + "" + endpoint,
                                () -> {
                                    if (tenants[tenant].addAndGet(cost) > 4
                                            || endpoints[endpoint].addAndGet(cost) > 5
                                            || all.addAndGet(cost) > 9) {
                                        violations.incrementAndGet();
                                    }
                                    Thread.yield();
                                    tenants[tenant].addAndGet(-cost);
                                    endpoints[endpoint].addAndGet(-cost);
                                    all.addAndGet(-cost);
                                },
                                TaskOptions.builder().cost(cost).build()));
                    }
                    submitted.countDown();
                });
            }
            submitted.await();
            for (TaskHandle<?> handle : handles) {
                assertThat(handle.await().isSuccess()).isTrue();
            }
            assertThat(handles).hasSize(8_000);
            assertThat(violations).hasValue(0);
            assertThat(executor.sharedLimits()).hasSize(6).allMatch(stats -> stats.activeCount() == 0);
        }
    }
}
