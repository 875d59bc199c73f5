package io.github.kobe;

import static io.github.kobe.TestKit.PATIENCE;
import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.internal.kernel.TestLeases;
import io.github.kobe.pool.WorkerPool;
import io.github.kobe.scope.ThreadScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Does a limit that is shared with other JVMs hold for every way into a group, with the permits that are held here? */
@Timeout(60)
class LeasedExecutorTest {

    private static final int LIMIT = 6;
    private static final int LEASED = 2;
    private static final int TASKS = 8;

    private final TestLeases leases = new TestLeases();
    private final GroupExecutor executor = SimGroups.leasing(
            GroupPolicy.builder().defaultMaxConcurrencyPerGroup(LIMIT).build(), leases);
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final CountDownLatch go = new CountDownLatch(1);

    @AfterEach
    void close() {
        go.countDown();
        executor.close();
    }

    private String work() throws InterruptedException {
        most.accumulateAndGet(running.incrementAndGet(), Math::max);
        try {
            await(go);
            return "done";
        } finally {
            running.decrementAndGet();
        }
    }

    /** A way to do the work of this test in group "g". */
    enum Entry {
        SUBMIT {
            @Override
            void enter(LeasedExecutorTest test) {
                assertThat(resultOf(test.executor.submit("g", test::work)).value())
                        .isEqualTo("done");
            }
        },
        CALL {
            @Override
            void enter(LeasedExecutorTest test) throws Exception {
                test.executor.call("g", test::work);
            }
        },
        ACQUIRE {
            @Override
            void enter(LeasedExecutorTest test) throws Exception {
                try (Permit permit = test.executor.acquire("g")) {
                    assertThat(permit.groupKey()).isEqualTo("g");
                    test.work();
                }
            }
        },
        TRY_ACQUIRE {
            @Override
            void enter(LeasedExecutorTest test) throws Exception {
                try (PermitResult result = test.executor.tryAcquire("g", PATIENCE)) {
                    assertThat(result.isGranted()).isTrue();
                    test.work();
                }
            }
        },
        ACQUIRE_ASYNC {
            @Override
            void enter(LeasedExecutorTest test) throws Exception {
                try (Permit permit = test.executor.acquireAsync("g").get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                    assertThat(permit.groupKey()).isEqualTo("g");
                    test.work();
                }
            }
        },
        EXECUTOR_SERVICE {
            @Override
            void enter(LeasedExecutorTest test) throws Exception {
                ExecutorService view = test.executor.asExecutorService("g");
                Future<String> future = view.submit(test::work);
                assertThat(future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("done");
            }
        },
        EXECUTE_ALL {
            @Override
            void enter(LeasedExecutorTest test) {
                assertThat(test.executor.executeAll(List.of(new GroupTask<>("g", "t", test::work))))
                        .allMatch(result -> result.status() == TaskStatus.SUCCESS);
            }
        },
        SCOPE {
            @Override
            void enter(LeasedExecutorTest test) throws Exception {
                try (ThreadScope scope = ThreadScope.open().withGroups(test.executor)) {
                    assertThat(scope.submitTo("g", test::work).await()).isEqualTo("done");
                }
            }
        },
        POOL {
            @Override
            void enter(LeasedExecutorTest test) throws Exception {
                try (WorkerPool pool = WorkerPool.builder().build()) {
                    assertThat(pool.submit(() -> test.executor.call("g", test::work))
                                    .await()
                                    .value())
                            .isEqualTo("done");
                }
            }
        },
        RETRY {
            @Override
            void enter(LeasedExecutorTest test) {
                AtomicInteger attempts = new AtomicInteger();
                TaskOptions options = TaskOptions.builder()
                        .retry(RetryPolicy.builder().maxAttempts(2).build())
                        .build();
                assertThat(resultOf(test.executor.submit(
                                        "g",
                                        "t",
                                        () -> {
                                            if (attempts.incrementAndGet() == 1) {
                                                throw new IllegalStateException("the first attempt fails");
                                            }
                                            return test.work();
                                        },
                                        options))
                                .value())
                        .isEqualTo("done");
            }
        };

        abstract void enter(LeasedExecutorTest test) throws Exception;
    }

    @ParameterizedTest
    @EnumSource(Entry.class)
    void noMoreRunThanPermitsAreHeld(Entry entry) throws Exception {
        leases.lease("g", LEASED);
        List<CompletableFuture<Void>> callers = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            callers.add(CompletableFuture.runAsync(
                    () -> {
                        try {
                            entry.enter(this);
                        } catch (Exception e) {
                            throw new AssertionError(e);
                        }
                    },
                    caller -> Thread.ofPlatform().daemon().start(caller)));
        }
        eventually(() -> {
            assertThat(running).hasValue(LEASED);
            assertThat(executor.groupStats("g").orElseThrow().queuedCount()).isEqualTo(TASKS - LEASED);
        });
        leases.lease("g", LEASED + 2);
        eventually(() -> assertThat(running).hasValue(LEASED + 2));
        go.countDown();
        for (CompletableFuture<Void> caller : callers) {
            caller.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        assertThat(most.get()).isLessThanOrEqualTo(LEASED + 2);
    }

    @Test
    void taskThatWaitsForATaskOfItsGroupLendsItsPermit() {
        leases.lease("g", 1);
        TaskHandle<String> outer =
                executor.submit("g", () -> executor.submit("g", () -> "inner").get());
        assertThat(resultOf(outer).value()).isEqualTo("inner");
        assertThat(executor.groupStats("g").orElseThrow().leasedPermits()).isEqualTo(1);
    }

    @Test
    void callInACallSharesItsPermit() throws Exception {
        leases.lease("g", 1);
        assertThat(executor.call("g", () -> {
                    leases.lease("g", 0);
                    return executor.call("g", () -> "inner");
                }))
                .isEqualTo("inner");
    }

    @Test
    void runningTasksAreCancelledOnRequestAndKeepTheirPermitsUntilTheyReturn() {
        leases.lease("g", 2);
        leases.lease("other", 1);
        BlockingTask interruptible = BlockingTask.interruptible();
        BlockingTask stubborn = BlockingTask.uninterruptible();
        TaskHandle<String> first = executor.submit("g", "first", interruptible);
        TaskHandle<String> second = executor.submit("g", "second", stubborn);
        await(interruptible.started);
        await(stubborn.started);
        TaskHandle<String> queued = executor.submit("g", () -> "ran");
        BlockingTask other = BlockingTask.in(executor, "other");
        leases.expireAt("g", Long.MIN_VALUE);
        assertThat(leases.control().cancelRunning("g", "lease lost")).isEqualTo(2);
        GroupResult<String> result = resultOf(first);
        assertThat(result.status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(result.error()).hasMessageContaining("lease lost");
        assertThat(resultOf(second).status()).isEqualTo(TaskStatus.CANCELLED);
        eventually(() ->
                assertThat(executor.groupStats("g").orElseThrow().activeCount()).isEqualTo(1));
        stubborn.release();
        eventually(() ->
                assertThat(executor.groupStats("g").orElseThrow().activeCount()).isZero());
        assertThat(queued.isDone()).as("it is queued until the lease is valid").isFalse();
        leases.renew("g");
        assertThat(resultOf(queued).value()).isEqualTo("ran");
        assertThat(leases.control().cancelRunning("unknown", "lease lost")).isZero();
        other.release();
    }

    @Test
    void shutdownWithADeadlineStopsTasksThatWaitForALease() {
        leases.lease("g", 1);
        leases.expireAt("g", Long.MIN_VALUE);
        TaskHandle<String> task = executor.submit("g", () -> "never");
        assertThat(executor.shutdown(Duration.ofMillis(1))).isFalse();
        assertThat(resultOf(task).status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    void resolverIsAskedOnceWhateverIsLeased() {
        AtomicInteger asked = new AtomicInteger();
        GroupPolicy policy = GroupPolicy.builder()
                .concurrencyResolver(key -> {
                    asked.incrementAndGet();
                    return 5;
                })
                .build();
        try (GroupExecutor resolving = SimGroups.leasing(policy, leases)) {
            TaskHandle<String> task = resolving.submit("g", () -> "ran");
            for (int permits = 0; permits < 5; permits++) {
                leases.lease("g", permits);
            }
            assertThat(resultOf(task).value()).isEqualTo("ran");
            assertThat(asked).hasValue(1);
            assertThat(resolving.groupStats("g").orElseThrow().maxConcurrency()).isEqualTo(5);
        }
    }
}
