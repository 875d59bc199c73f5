package io.github.kobe;

import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.Peak;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Does an executor never know more groups than it may, and does it make room for new ones if it can? */
@Timeout(60)
class MaxGroupsTest {

    private static final Rejection TOO_MANY = new Rejection(RejectionReason.TOO_MANY_GROUPS, 2, 0, 2, 0, Duration.ZERO);

    private final Queue<String> resolved = new ConcurrentLinkedQueue<>();
    private GroupExecutor executor;

    /** Two groups, both busy, are known. */
    private void twoBusyGroups(UnaryOperator<GroupPolicy.Builder> settings) {
        executor = TestKit.executor(b -> settings.apply(b.maxGroups(2).concurrencyResolver(key -> {
            resolved.add(key);
            return 1;
        })));
        BlockingTask.in(executor, "a");
        BlockingTask.in(executor, "b");
    }

    private void twoBusyGroups(RejectionPolicy policy) {
        twoBusyGroups(b -> b.rejectionPolicy(policy));
    }

    @AfterEach
    void close() {
        executor.close();
    }

    @Test
    void taskOfOneMoreGroupIsRejectedAndCounted() {
        twoBusyGroups(RejectionPolicy.DISCARD);
        GroupResult<String> result = resultOf(executor.submit("c", "t", () -> "ran"));
        assertThat(result.status()).isEqualTo(TaskStatus.REJECTED);
        assertThat(result.rejection()).isEqualTo(TOO_MANY).hasToString("too many groups (2 known, limit 2)");
        assertThat(executor.activeGroupKeys()).containsExactlyInAnyOrder("a", "b");
        TaskCounts counts = executor.stats().counts();
        assertThat(counts.submitted()).isEqualTo(3);
        assertThat(counts.rejectedByReason()).isEqualTo(Map.of(RejectionReason.TOO_MANY_GROUPS, 1L));
        assertThat(resolved).as("no resolver is called").containsExactly("a", "b");
    }

    @Test
    void knownGroupsAreNotAffected() {
        twoBusyGroups(RejectionPolicy.DISCARD);
        assertThat(executor.submit("a", "queued", () -> "ran").isDone()).isFalse();
    }

    @Test
    void idleGroupMakesRoom() {
        executor = TestKit.executor(b -> b.maxGroups(2));
        resultOf(executor.submit("idle", "t", () -> "ran"));
        BlockingTask.in(executor, "busy");
        for (int i = 0; i < 100; i++) {
            assertThat(resultOf(executor.submit("new" + i, "t", () -> "ran")).value())
                    .isEqualTo("ran");
            assertThat(executor.activeGroupKeys()).containsExactlyInAnyOrder("busy", "new" + i);
        }
        assertThat(executor.stats().counts().succeeded()).isEqualTo(101);
    }

    @Test
    void onlyAsManyIdleGroupsAreRetiredAsNecessary() {
        executor = TestKit.executor(b -> b.maxGroups(3));
        List.of("a", "b", "c", "d").forEach(key -> resultOf(executor.submit(key, "t", () -> "ran")));
        assertThat(executor.activeGroupKeys()).hasSize(3).contains("d");
    }

    @Test
    void groupWhoseOnlyTaskWasRejectedMakesRoom() {
        executor = TestKit.executor(
                b -> b.maxGroups(1).defaultQueueThresholdPerGroup(0).rejectionPolicy(RejectionPolicy.DISCARD));
        executor.pauseGroup("paused");
        assertThat(resultOf(executor.submit("paused", "t", () -> "ran")).status())
                .isEqualTo(TaskStatus.REJECTED);
        assertThat(resultOf(executor.submit("other", "t", () -> "ran")).value()).isEqualTo("ran");
    }

    @Test
    void groupThatWasShutDownMakesRoom() {
        twoBusyGroups(RejectionPolicy.DISCARD);
        executor.shutdownGroup("a");
        TestKit.eventually(() -> assertThat(
                        resultOf(executor.submit("c", "t", () -> "ran")).value())
                .isEqualTo("ran"));
    }

    // ---- what a rejection means
    // --------------------------------------------------------------------------------------

    @Test
    void abortThrowsToTheWaiter() {
        twoBusyGroups(RejectionPolicy.ABORT);
        TaskHandle<String> handle = executor.submit("c", "t", () -> "ran");
        RejectedTaskException thrown = catchThrowableOfType(RejectedTaskException.class, handle::await);
        assertThat(thrown.rejection()).isEqualTo(TOO_MANY);
    }

    @Test
    void throwThrowsToTheSubmitter() {
        twoBusyGroups(RejectionPolicy.THROW);
        RejectedTaskException thrown =
                catchThrowableOfType(RejectedTaskException.class, () -> executor.submit("c", "t", () -> "ran"));
        assertThat(thrown.rejection()).isEqualTo(TOO_MANY);
    }

    @Test
    void callerRunsRunsTheTask() {
        twoBusyGroups(RejectionPolicy.CALLER_RUNS);
        assertThat(resultOf(executor.submit("c", "t", Thread::currentThread)).value())
                .isSameAs(Thread.currentThread());
    }

    @Test
    void discardOldestDisplacesNoTask() {
        twoBusyGroups(RejectionPolicy.DISCARD_OLDEST);
        TaskHandle<String> queued = executor.submit("a", "queued", () -> "ran");
        RejectedTaskException thrown =
                catchThrowableOfType(RejectedTaskException.class, executor.submit("c", "t", () -> "ran")::await);
        assertThat(thrown.rejection()).isEqualTo(TOO_MANY);
        assertThat(queued.isDone()).isFalse();
    }

    @Test
    void blockDoesNotWait() throws Exception {
        twoBusyGroups(b -> b.rejectionPolicy(RejectionPolicy.BLOCK).maxBlockTime(Duration.ofHours(1)));
        TaskHandle<String> handle = executor.submit("c", "t", () -> "ran");
        RejectedTaskException thrown = catchThrowableOfType(RejectedTaskException.class, handle::await);
        assertThat(thrown.reason()).isEqualTo(RejectionReason.TOO_MANY_GROUPS);
        thrown = catchThrowableOfType(
                RejectedTaskException.class,
                () -> executor.acquire(
                        "c",
                        PermitOptions.builder().maxWait(Duration.ofMinutes(1)).build()));
        assertThat(thrown.reason()).isEqualTo(RejectionReason.TOO_MANY_GROUPS);
    }

    @Test
    void handlerDecides() {
        twoBusyGroups(b -> b.rejectionHandler(new RejectionHandler() {
            @Override
            public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
                return GroupResult.cancelled(groupKey, taskId, new CancellationException("by the handler"), 0, 0);
            }
        }));
        assertThat(resultOf(executor.submit("c", "t", () -> "ran")).status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    void permitsAndViewsAreRejectedToo() throws Exception {
        twoBusyGroups(RejectionPolicy.ABORT);
        RejectedTaskException thrown = catchThrowableOfType(RejectedTaskException.class, () -> executor.acquire("c"));
        assertThat(thrown.rejection()).isEqualTo(TOO_MANY);
        assertThat(executor.tryAcquire("c", Duration.ZERO).rejection()).isEqualTo(TOO_MANY);
        thrown = catchThrowableOfType(
                RejectedTaskException.class,
                () -> executor.asExecutorService("c").execute(() -> {}));
        assertThat(thrown.reason()).isEqualTo(RejectionReason.TOO_MANY_GROUPS);
        assertThat(executor.stats().counts().rejectedByReason()).isEqualTo(Map.of(RejectionReason.TOO_MANY_GROUPS, 3L));
    }

    // ---- races
    // -------------------------------------------------------------------------------------------------------

    @Test
    void threadsThatCreateTheSameGroupNeedOneSlot() throws Exception {
        CyclicBarrier bothResolve = new CyclicBarrier(2);
        executor = TestKit.executor(b -> b.maxGroups(1).concurrencyResolver(key -> {
            try {
                bothResolve.await(30, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            return 2;
        }));
        Caller<TaskHandle<String>> one = Caller.of(() -> executor.submit("g", "one", () -> "ran"));
        Caller<TaskHandle<String>> two = Caller.of(() -> executor.submit("g", "two", () -> "ran"));
        assertThat(resultOf(one.result()).value()).isEqualTo("ran");
        assertThat(resultOf(two.result()).value()).isEqualTo("ran");
    }

    @Test
    void groupThatIsBeingCreatedTakesASlot() {
        executor = TestKit.executor(b -> b.maxGroups(1)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .concurrencyResolver(key -> {
                    if (key.equals("g")) {
                        GroupResult<String> other = resultOf(executor.submit("other", "t", () -> "ran"));
                        resolved.add(String.valueOf(other.rejection()));
                    }
                    return 1;
                }));
        assertThat(resultOf(executor.submit("g", "t", () -> "ran")).value()).isEqualTo("ran");
        assertThat(resolved).containsExactly("too many groups (1 known, limit 1)");
    }

    /** Each group runs one task at a time, so the number of running tasks is at most that of the known groups. */
    @ParameterizedTest
    @ValueSource(longs = {0, 60_000})
    void neverMoreGroupsThanTheBound(long ttlMillis) throws Exception {
        Peak peak = new Peak();
        executor = TestKit.executor(b ->
                b.maxGroups(3).idleGroupTtl(Duration.ofMillis(ttlMillis)).rejectionPolicy(RejectionPolicy.DISCARD));
        List<Caller<Integer>> callers = new ArrayList<>();
        for (int c = 0; c < 4; c++) {
            SplittableRandom random = new SplittableRandom(c);
            callers.add(Caller.of(() -> {
                List<TaskHandle<String>> handles = new ArrayList<>();
                for (int i = 0; i < 2_000; i++) {
                    handles.add(executor.submit(
                            "g" + random.nextInt(8),
                            "t" + i,
                            () -> peak.during(() -> {
                                TestKit.yieldToOthers();
                                return "ran";
                            })));
                }
                int rejected = 0;
                for (TaskHandle<String> handle : handles) {
                    GroupResult<String> result = resultOf(handle);
                    Rejection rejection = result.rejection();
                    assertThat(rejection == null ? "ran" : rejection.reason().name())
                            .isIn("ran", RejectionReason.TOO_MANY_GROUPS.name());
                    rejected += rejection == null ? 0 : 1;
                }
                return rejected;
            }));
        }
        int rejected = 0;
        for (Caller<Integer> caller : callers) {
            rejected += caller.result();
        }
        assertThat(peak.most()).isBetween(1, 3);
        TaskCounts counts = executor.stats().counts();
        assertThat(counts.submitted()).isEqualTo(8_000);
        assertThat(counts.rejected()).isEqualTo(rejected);
        assertThat(resultOf(executor.submit("fresh", "t", () -> "ran")).value()).isEqualTo("ran");
        assertThat(executor.activeGroupKeys()).hasSizeLessThanOrEqualTo(3);
    }
}
