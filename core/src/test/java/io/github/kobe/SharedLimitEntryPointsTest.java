package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.scope.ThreadScope;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Does every way into an executor wait for shared limits, take its cost of them, and give it back? */
@Timeout(60)
class SharedLimitEntryPointsTest {

    /** A way to run code in a group. Returns when the code has run. */
    private enum Way {
        SUBMIT(true) {
            @Override
            void run(GroupExecutor executor, String key, int cost, Runnable code) throws Exception {
                executor.submit(key, code, task(cost)).get();
            }
        },
        SUBMIT_FUNCTION(true) {
            @Override
            void run(GroupExecutor executor, String key, int cost, Runnable code) throws Exception {
                TaskFunction<String> function = context -> {
                    code.run();
                    return "done";
                };
                executor.submit(key, "task", function, task(cost)).get();
            }
        },
        EXECUTE_ALL(true) {
            @Override
            void run(GroupExecutor executor, String key, int cost, Runnable code) throws Exception {
                List<GroupResult<String>> results = executor.executeAll(List.of(groupTask(key, cost, code)));
                assertThat(results.getFirst().isSuccess()).isTrue();
            }
        },
        COMPLETIONS(true) {
            @Override
            void run(GroupExecutor executor, String key, int cost, Runnable code) {
                try (Stream<GroupResult<String>> results =
                        executor.completions(Stream.of(groupTask(key, cost, code)), 1)) {
                    assertThat(results).allMatch(GroupResult::isSuccess).hasSize(1);
                }
            }
        },
        CALL(true) {
            @Override
            void run(GroupExecutor executor, String key, int cost, Runnable code) throws Exception {
                executor.call(key, code, permit(cost));
            }
        },
        ACQUIRE(true) {
            @Override
            void run(GroupExecutor executor, String key, int cost, Runnable code) throws Exception {
                try (Permit permit = executor.acquire(key, permit(cost))) {
                    code.run();
                    assertThat(permit).isNotNull();
                }
            }
        },
        TRY_ACQUIRE(true) {
            @Override
            void run(GroupExecutor executor, String key, int cost, Runnable code) throws Exception {
                PermitOptions patient = PermitOptions.builder()
                        .cost(cost)
                        .maxWait(Duration.ofMinutes(1))
                        .build();
                try (PermitResult permit = executor.tryAcquire(key, patient)) {
                    assertThat(permit.isGranted()).isTrue();
                    code.run();
                }
            }
        },
        ACQUIRE_ASYNC(true) {
            @Override
            void run(GroupExecutor executor, String key, int cost, Runnable code) throws Exception {
                CompletableFuture<Permit> future = executor.acquireAsync(key, permit(cost));
                try (Permit permit = future.get()) {
                    code.run();
                    assertThat(permit).isNotNull();
                }
            }
        },
        VIEW(false) {
            @Override
            void run(GroupExecutor executor, String key, int cost, Runnable code) throws Exception {
                ExecutorService view = executor.asExecutorService(key);
                view.submit(code).get();
            }
        },
        VIEW_INVOKE_ALL(false) {
            @Override
            void run(GroupExecutor executor, String key, int cost, Runnable code) throws Exception {
                executor.asExecutorService(key)
                        .invokeAll(List.of(() -> {
                            code.run();
                            return "done";
                        }))
                        .getFirst()
                        .get();
            }
        },
        SCOPE(false) {
            @Override
            void run(GroupExecutor executor, String key, int cost, Runnable code) throws Exception {
                try (ThreadScope scope = ThreadScope.open().withGroups(executor)) {
                    scope.await(scope.submitTo(key, "task", code));
                }
            }
        };

        private final boolean hasCost;

        Way(boolean hasCost) {
            this.hasCost = hasCost;
        }

        abstract void run(GroupExecutor executor, String key, int cost, Runnable code) throws Exception;

        private static TaskOptions task(int cost) {
            return TaskOptions.builder().cost(cost).build();
        }

        private static PermitOptions permit(int cost) {
            return PermitOptions.builder().cost(cost).build();
        }

        private static GroupTask<String> groupTask(String key, int cost, Runnable code) {
            return new GroupTask<>(
                    key,
                    "task",
                    () -> {
                        code.run();
                        return "done";
                    },
                    task(cost));
        }
    }

    private static GroupExecutor executor() {
        return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(3)
                .sharedLimit(
                        SharedLimit.by("tenant", key -> key.split("/", 2)[0]).max(3))
                .sharedLimit(
                        SharedLimit.by("endpoint", key -> key.split("/", 2)[1]).max(3))
                .build());
    }

    private static SharedLimitStats stats(GroupExecutor executor, String name, String value) {
        return executor.sharedLimitStats(name, value).orElseThrow();
    }

    /** Permits of another group leave room for {@code cost - 1}. */
    private static void waitsForTheLimit(Way way, int cost) throws Exception {
        try (GroupExecutor executor = executor()) {
            AtomicInteger activeInside = new AtomicInteger();
            CompletableFuture<Void> returned = new CompletableFuture<>();
            Permit inTheWay = executor.acquire(
                            "a/other", PermitOptions.builder().cost(4 - cost).build())
                    .detach();
            Thread.ofVirtual().start(() -> {
                try {
                    way.run(
                            executor,
                            "a/x",
                            cost,
                            () -> activeInside.set(
                                    stats(executor, "endpoint", "x").activeCount()));
                    returned.complete(null);
                } catch (Throwable e) {
                    returned.completeExceptionally(e);
                }
            });
            TestKit.eventually(() -> {
                assertThat(executor.groupsWaitingFor("tenant", "a")).containsExactly("a/x");
                assertThat(stats(executor, "tenant", "a").waitingGroupCount()).isEqualTo(1);
            });
            assertThat(stats(executor, "endpoint", "x").activeCount()).isZero();
            assertThat(activeInside).hasValue(0);

            inTheWay.close();
            returned.get();
            assertThat(activeInside).hasValue(cost);
            TestKit.eventually(() -> assertThat(executor.sharedLimits()).allMatch(limit -> limit.activeCount() == 0));
            assertThat(executor.groupsWaitingFor("tenant", "a")).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void everyWayWaitsForASharedLimit(Way way) throws Exception {
        waitsForTheLimit(way, 1);
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void everyWayThatHasACostTakesItOfEachSharedLimit(Way way) throws Exception {
        if (way.hasCost) {
            waitsForTheLimit(way, 2);
            waitsForTheLimit(way, 3);
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void everyWayWaitsWhileASharedLimitIsPaused(Way way) throws Exception {
        try (GroupExecutor executor = executor()) {
            executor.pauseSharedLimit("endpoint", "x");
            CompletableFuture<Void> returned = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> {
                try {
                    way.run(executor, "a/x", 1, () -> {});
                    returned.complete(null);
                } catch (Throwable e) {
                    returned.completeExceptionally(e);
                }
            });
            TestKit.eventually(
                    () -> assertThat(executor.groupsWaitingFor("endpoint", "x")).containsExactly("a/x"));
            assertThat(returned).isNotDone();
            executor.resumeSharedLimit("endpoint", "x");
            returned.get();
        }
    }

    @Test
    void aGroupKnowsItsSharedLimitsInTheOrderOfThePolicy() throws Exception {
        try (GroupExecutor executor = executor()) {
            assertThat(executor.sharedLimitNames()).containsExactly("tenant", "endpoint");
            assertThat(executor.sharedLimits("a/x")).isEmpty();
            try (Permit permit = executor.acquire("a/x")) {
                assertThat(executor.sharedLimits("a/x"))
                        .containsExactly(
                                new SharedLimitStats("tenant", "a", 1, 1, 3, false, 0),
                                new SharedLimitStats("endpoint", "x", 1, 1, 3, false, 0));
                assertThat(permit).isNotNull();
            }
        }
    }

    /** A request that does not wait is queued for a moment, and its group stays in the ready queue of the limit. */
    @Test
    void aGroupWhoseRequestsHaveGivenUpDoesNotWait() throws Exception {
        try (GroupExecutor executor = executor();
                Permit permit = executor.acquire(
                                "a/other", PermitOptions.builder().cost(3).build())
                        .detach()) {
            PermitOptions impatient =
                    PermitOptions.builder().maxWait(Duration.ZERO).build();
            assertThat(executor.tryAcquire("a/x", impatient).isGranted()).isFalse();
            TaskHandle<?> cancelled = executor.submit("a/y", () -> {});
            assertThat(stats(executor, "tenant", "a").waitingGroupCount()).isEqualTo(1);
            cancelled.cancel(true);
            cancelled.await();
            assertThat(stats(executor, "tenant", "a").waitingGroupCount()).isZero();
            assertThat(executor.groupsWaitingFor("tenant", "a")).isEmpty();
            assertThat(permit).isNotNull();
        }
    }

    @Test
    void settingsByHandAreListedUntilTheyAreReset() {
        try (GroupExecutor executor = executor()) {
            assertThat(executor.liveSharedLimits()).isEmpty();
            executor.setSharedLimit("tenant", "late", 4);
            executor.pauseSharedLimit("tenant", "late");
            executor.pauseSharedLimit("endpoint", "x");
            assertThat(executor.liveSharedLimits())
                    .extracting(LiveSharedLimit::toString)
                    .containsExactlyInAnyOrder("tenant 'late': max 4, paused", "endpoint 'x': paused");
            assertThat(executor.liveSharedLimits())
                    .extracting(LiveSharedLimit::getMax)
                    .containsExactlyInAnyOrder(4, null);
            executor.resumeSharedLimit("endpoint", "x");
            executor.resetSharedLimit("tenant", "late");
            assertThat(executor.liveSharedLimits()).isEmpty();
        }
    }

    @Test
    void aRefreshAsksTheResolverAgainAndKeepsWhatWasSetByHand() throws Exception {
        AtomicInteger max = new AtomicInteger(1);
        GroupPolicy policy = GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(3)
                .sharedLimit(SharedLimit.by("tenant", key -> key).maxResolver(tenant -> max.get()))
                .build();
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            executor.pauseSharedLimit("tenant", "paused");
            executor.setSharedLimit("tenant", "by hand", 5);
            TaskHandle<?> stays = executor.submit("paused", () -> {});
            executor.acquire("by hand").close();
            try (Permit permit = executor.acquire("a").detach()) {
                TaskHandle<?> queued = executor.submit("a", () -> {});
                assertThat(queued.isDone()).isFalse();
                max.set(2);
                executor.refreshSharedLimit("tenant");
                queued.await();
                assertThat(permit).isNotNull();
            }
            assertThat(stats(executor, "tenant", "a").max()).isEqualTo(2);
            assertThat(stats(executor, "tenant", "by hand").max()).isEqualTo(5);
            assertThat(stats(executor, "tenant", "paused").paused()).isTrue();
            assertThat(stays.isDone()).isFalse();
            assertThatThrownBy(() -> executor.refreshSharedLimit("region"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("there is no shared limit 'region'");
        }
    }

    @Test
    void nothingWaitsForALimitThatNoGroupBelongsTo() {
        try (GroupExecutor executor = executor()) {
            assertThat(executor.groupsWaitingFor("tenant", "nobody")).isEmpty();
            assertThat(executor.groupsWaitingFor("no such limit", "nobody")).isEmpty();
        }
    }

    @Test
    void aListenerHearsWhichSharedLimitRejectedATask() throws Exception {
        CompletableFuture<Rejection> heard = new CompletableFuture<>();
        GroupPolicy policy = GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(3)
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .sharedLimit(
                        SharedLimit.by("tenant", key -> key.split("/", 2)[0]).max(1))
                .taskLifecycleListener(new TaskLifecycleListener() {
                    @Override
                    public void onRejected(TaskIdentity task, Rejection rejection) {
                        heard.complete(rejection);
                    }
                })
                .build();
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            try (Permit permit = executor.acquire("a/other").detach()) {
                TaskOptions impatient =
                        TaskOptions.builder().maxQueueTime(Duration.ofMillis(1)).build();
                executor.submit("a/x", () -> {}, impatient).await();
                assertThat(heard.get().limitedBy()).isEqualTo(LimitKind.SHARED);
                assertThat(heard.get().sharedLimit()).isEqualTo("tenant 'a'");
                assertThat(heard.get().reason()).isEqualTo(RejectionReason.EXPIRED);
                assertThat(permit).isNotNull();
            }
        }
    }
}
