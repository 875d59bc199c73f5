package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Is the last of a group handed over when it retires, so that no count is lost? */
@Timeout(120)
class GroupRetiredTest {

    private static final TaskCounts ONE_OK = new TaskCounts(1, 1, 0, 0, 0, 0, Map.of());

    /** A group may retire before its first task is admitted, if the submitter is not running for this long. It is then handed over without counts. */
    private static final Duration LONGER_THAN_A_PAUSE = Duration.ofMillis(100);

    private final List<GroupStats> retired = new CopyOnWriteArrayList<>();

    private GroupExecutor listening(UnaryOperator<GroupPolicy.Builder> settings) {
        GroupExecutor executor = executor(settings);
        executor.onGroupRetired(retired::add);
        return executor;
    }

    private void assertRetired(String... keys) {
        eventually(() -> assertThat(retired).extracting(GroupStats::groupKey).containsExactly(keys));
    }

    @Test
    void idleGroupIsHandedOverOnceWithCountsTimesTagsAndLimits() {
        try (GroupExecutor executor = listening(
                b -> b.idleGroupTtl(LONGER_THAN_A_PAUSE).recordTimes(true).defaultMaxConcurrencyPerGroup(7))) {
            resultOf(executor.submit(
                    "g", "t", () -> "ran", TaskOptions.builder().tag("mail").build()));
            assertRetired("g");
            GroupStats last = retired.get(0);
            assertThat(last.counts()).isEqualTo(ONE_OK);
            assertThat(last.completedByTag()).isEqualTo(Map.of("mail", 1L));
            assertThat(last.runningTime().count()).isEqualTo(1);
            assertThat(last.limit()).isEqualTo(7);
            assertThat(last.activeCount()).isZero();
            resultOf(executor.submit("g", "again", () -> "ran"));
            assertRetired("g", "g");
            assertThat(retired.get(1).counts()).isEqualTo(ONE_OK);
        }
        assertThat(retired).hasSize(2);
    }

    @Test
    void evictedGroupIsHandedOverWhenItIsIdle() {
        try (GroupExecutor executor = listening(b -> b)) {
            resultOf(executor.submit("g", "t", () -> "ran"));
            executor.evictGroup("g");
            assertRetired("g");
            BlockingTask blocker = BlockingTask.in(executor, "busy");
            executor.evictGroup("busy");
            assertThat(executor.activeGroupKeys()).containsExactly("busy");
            blocker.release();
        }
        assertThat(retired).extracting(GroupStats::groupKey).containsExactly("g", "busy");
    }

    @Test
    void groupThatIsShutDownIsHandedOver() {
        try (GroupExecutor executor = listening(b -> b)) {
            resultOf(executor.submit("g", "t", () -> "ran"));
            executor.shutdownGroup("g");
            assertRetired("g");
            assertThat(retired.get(0).counts()).isEqualTo(ONE_OK);
        }
        assertThat(retired).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(ShutdownMode.class)
    void shutdownHandsOverEveryGroupBeforeItReturns(ShutdownMode mode) {
        GroupExecutor executor = listening(b -> b);
        for (int i = 0; i < 100; i++) {
            executor.submit("g" + i % 10, "t", () -> "ran");
        }
        executor.shutdown(TestKit.PATIENCE, mode);
        assertThat(retired)
                .extracting(GroupStats::groupKey)
                .doesNotHaveDuplicates()
                .hasSize(10);
        assertThat(sum(retired)).isEqualTo(executor.stats().counts());
        assertThat(executor.stats().counts().submitted()).isEqualTo(100);
    }

    @Test
    void taskThatIgnoresTheInterruptDoesNotDelayTheHandOverOfAShutdown() {
        GroupExecutor executor = listening(b -> b);
        BlockingTask stubborn = BlockingTask.uninterruptible();
        executor.submit("g", "stubborn", stubborn);
        await(stubborn.started);
        executor.shutdown();
        assertThat(retired).extracting(GroupStats::counts).containsExactly(new TaskCounts(1, 0, 0, 1, 0, 0, Map.of()));
        stubborn.release();
        assertThat(executor.shutdown(TestKit.PATIENCE)).isTrue();
        assertThat(retired).hasSize(1);
    }

    @Test
    void groupIsHandedOverWhenTheTaskThatItsSubmitterRunsHasReturned() throws InterruptedException {
        try (GroupExecutor executor = listening(b -> b.idleGroupTtl(Duration.ZERO)
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.CALLER_RUNS))) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            BlockingTask onCaller = BlockingTask.uninterruptible();
            Thread caller = Thread.ofPlatform().start(() -> executor.submit("g", "on caller", onCaller));
            await(onCaller.started);
            blocker.release();
            eventually(() -> assertThat(executor.activeGroupKeys()).isEmpty());
            resultOf(executor.submit("other", "t", () -> "ran"));
            assertRetired("other");
            onCaller.release();
            caller.join();
            assertRetired("other", "g");
            assertThat(retired.get(1).counts()).isEqualTo(new TaskCounts(2, 2, 0, 0, 0, 0, Map.of()));
        }
    }

    @Test
    void groupIsHandedOverWhenTheRejectionHandlerOfItsTaskHasReturned() {
        CountDownLatch handlerMayReturn = new CountDownLatch(1);
        RejectionHandler handler = new RejectionHandler() {
            @Override
            public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
                await(handlerMayReturn);
                return GroupResult.rejected(groupKey, taskId);
            }
        };
        try (GroupExecutor executor = listening(b ->
                b.idleGroupTtl(Duration.ZERO).defaultQueueThresholdPerGroup(0).rejectionHandler(handler))) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            TaskHandle<String> rejected = executor.submit("g", "rejected", () -> "never");
            blocker.release();
            eventually(() -> assertThat(executor.activeGroupKeys()).isEmpty());
            assertThat(retired).isEmpty();
            handlerMayReturn.countDown();
            resultOf(rejected);
            assertRetired("g");
            assertThat(retired.get(0).counts())
                    .isEqualTo(new TaskCounts(2, 1, 0, 0, 0, 0, Map.of(RejectionReason.GROUP_QUEUE_FULL, 1L)));
        }
    }

    @Test
    void consumerThatThrowsIsReportedAndOthersAreCalled() {
        GroupExecutor executor = executor(b -> b);
        executor.onGroupRetired(group -> {
            throw new IllegalStateException("bad consumer");
        });
        executor.onGroupRetired(retired::add);
        resultOf(executor.submit("a", "t", () -> "ran"));
        resultOf(executor.submit("b", "t", () -> "ran"));
        executor.close();
        assertThat(retired).hasSize(2);
        assertThat(executor.callbackFaults()).isEqualTo(2);
    }

    @Test
    void consumerIsNotCalledAfterItsRegistrationIsClosed() {
        GroupExecutor executor = executor(b -> b);
        List<GroupStats> others = new CopyOnWriteArrayList<>();
        Registration registration = executor.onGroupRetired(others::add);
        executor.onGroupRetired(retired::add);
        resultOf(executor.submit("a", "t", () -> "ran"));
        executor.evictGroup("a");
        assertRetired("a");
        registration.close();
        registration.close();
        resultOf(executor.submit("b", "t", () -> "ran"));
        executor.close();
        assertThat(retired).hasSize(2);
        assertThat(others).extracting(GroupStats::groupKey).containsExactly("a");
    }

    @Test
    void consumerMayShutTheExecutorDown() {
        GroupExecutor executor = executor(b -> b);
        CountDownLatch returned = new CountDownLatch(1);
        executor.onGroupRetired(group -> {
            executor.shutdown();
            returned.countDown();
        });
        resultOf(executor.submit("a", "t", () -> "ran"));
        executor.evictGroup("a");
        await(returned);
    }

    /**
     * Every way to end a task, a rejection and a group, at the same time. At the end every count was handed over. A submitter that is blocked while
     * there is no group may be rejected without one.
     */
    @ParameterizedTest
    @EnumSource(value = RejectionPolicy.class, mode = EnumSource.Mode.EXCLUDE, names = "BLOCK")
    void handedOverCountsAddUp(RejectionPolicy policy) throws InterruptedException {
        for (int round = 0; round < 12; round++) {
            Map<String, TaskCounts> handedOver = new ConcurrentHashMap<>();
            Map<String, Long> tags = new ConcurrentHashMap<>();
            int kind = round % 3;
            GroupExecutor executor = executor(b -> {
                b.idleGroupTtl(kind == 0 ? Duration.ZERO : Duration.ofMillis(1))
                        .defaultQueueThresholdPerGroup(1)
                        .rejectionPolicy(policy);
                return kind == 2 ? b.globalMaxInFlight(2) : b;
            });
            executor.onGroupRetired(group -> {
                handedOver.merge(group.groupKey(), group.counts(), TaskCounts::plus);
                group.completedByTag().forEach((tag, n) -> tags.merge(tag, n, Long::sum));
            });
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 3; t++) {
                threads.add(Thread.ofPlatform().start(() -> submitAndDisturb(executor)));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            if (round % 2 == 0) {
                executor.shutdown(TestKit.PATIENCE);
            } else {
                executor.shutdown();
            }
            assertThat(executor.stats().counts().submitted()).isEqualTo(3 * 400);
            // the thread of a task that was cancelled as it completed takes its count back a moment later
            eventually(() -> assertThat(handedOver.values().stream().reduce(TaskCounts.none(), TaskCounts::plus))
                    .isEqualTo(executor.stats().counts()));
            eventually(() -> assertThat(tags.getOrDefault("tag", 0L)).isEqualTo(3 * 400));
        }
    }

    private static void submitAndDisturb(GroupExecutor executor) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        TaskOptions tagged = TaskOptions.builder().tag("tag").build();
        for (int i = 0; i < 400; i++) {
            String key = "g" + random.nextInt(4);
            TaskHandle<String> handle;
            try {
                handle = executor.submit(key, "t", () -> "ran", tagged);
            } catch (RejectedTaskException thrown) {
                continue;
            }
            switch (random.nextInt(8)) {
                case 0 -> handle.cancel(true);
                case 1 -> executor.evictGroup(key);
                case 2 -> executor.shutdownGroup(key);
                case 3 -> TestKit.yieldToOthers();
                default -> {}
            }
        }
    }

    private static TaskCounts sum(List<GroupStats> groups) {
        return groups.stream().map(GroupStats::counts).reduce(TaskCounts.none(), TaskCounts::plus);
    }
}
