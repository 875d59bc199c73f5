package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.letOthersRun;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.CurrentStats;
import io.github.kobe.TestKit.Peak;
import io.github.kobe.TestKit.PeakSince;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Does a limit that is changed while tasks run apply at once and until it is reset? */
@Timeout(60)
class LiveLimitsTest {

    private static final int NO_LIMIT = Integer.MAX_VALUE;

    /** The two settings that limit how many tasks of a group run at once. */
    private enum LimitSetting {
        CONCURRENCY,
        IN_FLIGHT;

        void set(GroupControl control, int n) {
            if (this == CONCURRENCY) {
                control.setMaxConcurrency("g", n);
            } else {
                control.setMaxInFlight("g", n);
            }
        }

        /** A policy under which this limit is the smaller of the two. */
        GroupExecutor executor(int limit, int globalLimit) {
            return TestKit.executor(b -> b.globalMaxInFlight(globalLimit)
                    .defaultMaxConcurrencyPerGroup(this == CONCURRENCY ? limit : 1000)
                    .defaultMaxInFlightPerGroup(this == IN_FLIGHT ? limit : 1000));
        }
    }

    private static List<BlockingTask> submitBlockingTasks(GroupExecutor executor, int number) {
        List<BlockingTask> blockers = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            BlockingTask blocker = BlockingTask.interruptible();
            blockers.add(blocker);
            executor.submit("g", "t" + i, blocker);
        }
        return blockers;
    }

    private static void awaitStarted(List<BlockingTask> blockers) {
        blockers.forEach(blocker -> await(blocker.started));
    }

    private static long started(List<BlockingTask> blockers) {
        return blockers.stream().filter(BlockingTask::hasStarted).count();
    }

    private static GroupStats stats(GroupExecutor executor) {
        return executor.groupStats("g").orElseThrow();
    }

    private static boolean isRejected(GroupExecutor executor) {
        TaskHandle<String> handle = executor.submit("g", "probe", () -> "ran");
        return handle.isDone() && handle.join().status() == TaskStatus.REJECTED;
    }

    // ---- raising and lowering ------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(LimitSetting.class)
    void raisedLimitStartsQueuedTasksWithoutAnotherSubmit(LimitSetting setting) {
        for (int globalLimit : List.of(NO_LIMIT, 100)) {
            try (GroupExecutor executor = setting.executor(1, globalLimit)) {
                List<BlockingTask> blockers = submitBlockingTasks(executor, 10);
                await(blockers.get(0).started);
                setting.set(executor, 4);
                awaitStarted(blockers.subList(0, 4));
                letOthersRun();
                assertThat(started(blockers)).isEqualTo(4);
                assertThat(stats(executor).limit()).isEqualTo(4);
                setting.set(executor, NO_LIMIT);
                awaitStarted(blockers);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(LimitSetting.class)
    void noTaskStartsUntilALoweredLimitIsPaidOff(LimitSetting setting) {
        for (int globalLimit : List.of(NO_LIMIT, 100)) {
            try (GroupExecutor executor = setting.executor(4, globalLimit)) {
                List<BlockingTask> blockers = submitBlockingTasks(executor, 8);
                awaitStarted(blockers.subList(0, 4));
                setting.set(executor, 2);
                for (int ended = 0; ended < 2; ended++) {
                    assertThat(stats(executor).activeCount()).isEqualTo(4 - ended);
                    endOne(executor, blockers.get(ended), 4 - ended - 1);
                    letOthersRun();
                    assertThat(started(blockers))
                            .as("after %s completed", ended + 1)
                            .isEqualTo(4);
                }
                blockers.get(2).release();
                await(blockers.get(4).started);
                letOthersRun();
                assertThat(started(blockers)).isEqualTo(5);
                assertThat(blockers.subList(0, 4)).noneMatch(BlockingTask::wasInterrupted);
            }
        }
    }

    private static void endOne(GroupExecutor executor, BlockingTask blocker, int left) {
        blocker.release();
        eventually(() -> assertThat(stats(executor).activeCount()).isEqualTo(left));
    }

    @Test
    void smallerOfTheTwoLimitsApplies() {
        try (GroupExecutor executor = executor(b -> b)) {
            List<BlockingTask> blockers = submitBlockingTasks(executor, 5);
            executor.setMaxInFlight("g", 2);
            executor.setMaxConcurrency("g", 4);
            awaitStarted(blockers.subList(0, 2));
            letOthersRun();
            assertThat(started(blockers)).isEqualTo(2);
            assertThat(stats(executor).maxConcurrency()).isEqualTo(4);
            assertThat(stats(executor).limit()).isEqualTo(2);
        }
    }

    @Test
    void loweringAndRaisingAgainChangesNothing() {
        try (GroupExecutor executor = executor(b -> b.defaultMaxConcurrencyPerGroup(3))) {
            List<BlockingTask> blockers = submitBlockingTasks(executor, 6);
            awaitStarted(blockers.subList(0, 3));
            executor.setMaxConcurrency("g", 1);
            executor.setMaxConcurrency("g", 3);
            blockers.get(0).release();
            await(blockers.get(3).started);
            letOthersRun();
            assertThat(started(blockers)).isEqualTo(4);
        }
    }

    @Test
    void otherGroupsKeepTheirLimits() {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask.in(executor, "other");
            executor.setMaxConcurrency("g", 5);
            assertThat(executor.groupStats("other").orElseThrow().limit()).isEqualTo(1);
        }
    }

    /**
     * With the limit at {@code n}, once at most {@code n} permits are in use, there are never more until the limit is raised.
     * A task's code runs only while its permit is in use, so running tasks are never more than permits in use.
     */
    @ParameterizedTest
    @ValueSource(ints = {NO_LIMIT, 6})
    void currentLimitIsNeverExceededUnderLoad(int globalLimit) throws Exception {
        int most = 8;
        PeakSince peak = new PeakSince();
        AtomicInteger ended = new AtomicInteger();
        AtomicBoolean stop = new AtomicBoolean();
        Semaphore inLine = new Semaphore(40);
        try (GroupExecutor executor =
                executor(b -> b.defaultMaxConcurrencyPerGroup(most).globalMaxInFlight(globalLimit))) {
            List<Caller<List<TaskHandle<Integer>>>> submitters = new ArrayList<>();
            for (int s = 0; s < 3; s++) {
                submitters.add(Caller.of(() -> {
                    List<TaskHandle<Integer>> handles = new ArrayList<>();
                    while (!stop.get()) {
                        inLine.acquire();
                        handles.add(executor.submit("g", "t", () -> {
                            peak.during(TestKit::yieldToOthers);
                            inLine.release();
                            return ended.incrementAndGet();
                        }));
                    }
                    return handles;
                }));
            }
            eventually(() -> assertThat(executor.groupStats("g")).isPresent());
            SplittableRandom random = new SplittableRandom(7);
            for (int round = 0; round < 150; round++) {
                int n = 1 + random.nextInt(most);
                executor.setMaxConcurrency("g", n);
                eventually(() -> assertThat(stats(executor).activeCount()).isLessThanOrEqualTo(n));
                peak.reset();
                int before = ended.get();
                eventually(() -> assertThat(ended.get()).isGreaterThan(before + 20));
                assertThat(peak.most()).as("with the limit at %s", n).isBetween(1, Math.min(n, globalLimit));
            }
            stop.set(true);
            inLine.release(100);
            for (Caller<List<TaskHandle<Integer>>> submitter : submitters) {
                assertThat(submitter.result())
                        .allSatisfy(h -> assertThat(resultOf(h).isSuccess()).isTrue());
            }
            assertThat(stats(executor).activeCount()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {NO_LIMIT, 5})
    void concurrentChangesOfLimitsLoseNoTask(int globalLimit) throws Throwable {
        int most = 6;
        Peak peak = new Peak();
        AtomicInteger ran = new AtomicInteger();
        try (GroupExecutor executor = executor(b -> b.defaultMaxConcurrencyPerGroup(most)
                .globalMaxInFlight(globalLimit)
                .idleGroupTtl(Duration.ZERO))) {
            SplittableRandom random = new SplittableRandom(3);
            List<TaskHandle<Integer>> handles = new ArrayList<>();
            TestKit.whileRepeating(
                    () -> {
                        executor.setMaxConcurrency("g", 1 + random.nextInt(most));
                        executor.setMaxInFlight("g", 1 + random.nextInt(2 * most));
                        executor.setQueueThreshold("g", 100_000 + random.nextInt(9));
                        if (random.nextInt(10) == 0) {
                            executor.evictGroup("g");
                            executor.resetGroup("g");
                        }
                    },
                    () -> {
                        for (int i = 0; i < 6000; i++) {
                            handles.add(executor.submit("g", "t", () -> peak.during(ran::incrementAndGet)));
                            if (i % 100 == 0) {
                                executor.setMaxConcurrency("g", 1 + i % most);
                            }
                        }
                    });
            assertThat(handles)
                    .allSatisfy(h -> assertThat(resultOf(h).isSuccess()).isTrue());
            assertThat(ran).hasValue(6000);
            assertThat(peak.most()).isBetween(1, Math.min(most, globalLimit));
            eventually(
                    () -> assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(0, 0, 0, 0, globalLimit)));
        }
    }

    // ---- the queue -----------------------------------------------------------------------------------------------

    @Test
    void queueThresholdAppliesToTheNextSubmit() {
        try (GroupExecutor executor =
                executor(b -> b.rejectionPolicy(RejectionPolicy.DISCARD).defaultQueueThresholdPerGroup(2))) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            TaskHandle<String> first = executor.submit("g", "first", () -> "ran");
            TaskHandle<String> second = executor.submit("g", "second", () -> "ran");
            assertThat(isRejected(executor)).isTrue();
            executor.setQueueThreshold("g", 3);
            assertThat(stats(executor).queueCapacity()).isEqualTo(3);
            assertThat(isRejected(executor)).isFalse();
            assertThat(isRejected(executor)).isTrue();
            executor.setQueueThreshold("g", 0);
            assertThat(isRejected(executor)).isTrue();
            assertThat(first.isDone() || second.isDone())
                    .as("queued tasks stay queued")
                    .isFalse();
            blocker.release();
            assertThat(resultOf(first).value()).isEqualTo("ran");
            assertThat(resultOf(second).value()).isEqualTo("ran");
            executor.setQueueThreshold("g", NO_LIMIT);
            BlockingTask.in(executor, "g");
            for (int i = 0; i < 100; i++) {
                assertThat(isRejected(executor)).isFalse();
            }
        }
    }

    // ---- weight --------------------------------------------------------------------------------------------------

    @Test
    void weightAppliesToQueuedTasks() {
        Queue<String> order = new ConcurrentLinkedQueue<>();
        List<TaskHandle<Boolean>> handles = new ArrayList<>();
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(1).defaultMaxConcurrencyPerGroup(50))) {
            BlockingTask blocker = BlockingTask.in(executor, "first");
            for (String group : List.of("g", "h")) {
                for (int i = 0; i < 12; i++) {
                    handles.add(executor.submit(group, "t", () -> order.add(group)));
                }
            }
            assertThat(stats(executor).weight()).isEqualTo(1);
            executor.setWeight("g", 3);
            assertThat(stats(executor).weight()).isEqualTo(3);
            blocker.release();
            handles.forEach(TestKit::resultOf);
        }
        assertThat(String.join("", order)).isEqualTo("gggh".repeat(4) + "h".repeat(8));
    }

    // ---- how long a setting lasts --------------------------------------------------------------------------------

    private static final GroupPolicy.Builder POLICY = GroupPolicy.builder()
            .perGroupMaxConcurrency(Map.of("g", 2))
            .perGroupMaxInFlight(Map.of("g", 20))
            .perGroupQueueThreshold(Map.of("g", 200))
            .perGroupWeight(Map.of("g", 2));

    private static void setAll(GroupControl control) {
        control.setMaxConcurrency("g", 7);
        control.setMaxInFlight("g", 5);
        control.setQueueThreshold("g", 50);
        control.setWeight("g", 4);
    }

    private static void assertSettings(GroupExecutor executor, String expected) {
        GroupStats stats = stats(executor);
        assertThat(stats.maxConcurrency() + " " + stats.limit() + " " + stats.queueCapacity() + " " + stats.weight())
                .isEqualTo(expected);
    }

    @Test
    void settingCanBeMadeBeforeTheGroupIsUsed() {
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(POLICY.build())) {
            setAll(executor);
            assertThat(executor.groupStats("g"))
                    .as("the setting does not create the group")
                    .isEmpty();
            BlockingTask.in(executor, "g");
            assertSettings(executor, "7 5 50 4");
        }
    }

    @Test
    void otherSettingsComeFromThePolicy() {
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(POLICY.build())) {
            executor.setWeight("g", 9);
            BlockingTask.in(executor, "g");
            assertSettings(executor, "2 2 200 9");
            executor.setMaxConcurrency("g", 30);
            assertSettings(executor, "30 20 200 9");
        }
    }

    @Test
    void settingOutlastsRetirement() {
        try (GroupExecutor executor = executor(b -> b.idleGroupTtl(Duration.ZERO))) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            setAll(executor);
            assertSettings(executor, "7 5 50 4");
            blocker.release();
            eventually(() -> assertThat(executor.activeGroupKeys()).isEmpty());
            BlockingTask.in(executor, "g");
            assertSettings(executor, "7 5 50 4");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void settingOutlastsEvictGroupAndShutdownGroup(boolean busy) {
        List<Consumer<GroupExecutor>> forgetting = List.of(e -> e.evictGroup("g"), e -> e.shutdownGroup("g"));
        for (Consumer<GroupExecutor> forget : forgetting) {
            try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(POLICY.build())) {
                setAll(executor);
                BlockingTask blocker = BlockingTask.in(executor, "g");
                if (!busy) {
                    blocker.release();
                    eventually(() -> assertThat(stats(executor).activeCount()).isZero());
                }
                forget.accept(executor);
                BlockingTask.in(executor, "g");
                assertSettings(executor, "7 5 50 4");
            }
        }
    }

    @Test
    void resetRestoresThePolicyAtOnce() {
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(POLICY.build())) {
            executor.setMaxConcurrency("g", 1);
            executor.pauseGroup("g");
            List<BlockingTask> blockers = submitBlockingTasks(executor, 3);
            executor.resetGroup("g");
            awaitStarted(blockers.subList(0, 2)); // without another submit
            assertSettings(executor, "2 2 200 2");
            assertThat(stats(executor).paused()).isFalse();
            letOthersRun();
            assertThat(started(blockers)).isEqualTo(2);
        }
    }

    @Test
    void resetCallsTheResolversAgain() {
        AtomicInteger said = new AtomicInteger(2);
        try (GroupExecutor executor =
                executor(b -> b.concurrencyResolver(key -> said.get()).weightResolver(key -> said.get() * 10))) {
            executor.setMaxConcurrency("g", 1);
            List<BlockingTask> blockers = submitBlockingTasks(executor, 5);
            await(blockers.get(0).started);
            said.set(3);
            executor.resetGroup("g");
            awaitStarted(blockers.subList(0, 3));
            assertThat(stats(executor).maxConcurrency()).isEqualTo(3);
            assertThat(stats(executor).weight()).isEqualTo(30);
        }
    }

    @Test
    void resetRemovesSettingsOfUnknownGroups() {
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(POLICY.build())) {
            setAll(executor);
            executor.pauseGroup("g");
            executor.resetGroup("g");
            assertThat(executor.activeGroupKeys()).isEmpty();
            BlockingTask.in(executor, "g");
            assertSettings(executor, "2 2 200 2");
        }
    }

    // ---- the interface -------------------------------------------------------------------------------------------

    @Test
    void groupControlIsEnoughForAConsole() {
        try (GroupExecutor executor = executor(b -> b)) {
            GroupControl console = executor;
            console.setGlobalMaxInFlight(3);
            console.pauseGroup("g");
            TaskHandle<String> handle = executor.submit("g", "t", () -> "ran");
            letOthersRun();
            assertThat(handle.isDone()).isFalse();
            console.resumeGroup("g");
            assertThat(resultOf(handle).value()).isEqualTo("ran");
            assertThat(executor.stats().globalInFlightMax()).isEqualTo(3);
        }
    }

    @Test
    void valueOutOfRangeThrowsWithItsNameAndChangesNothing() {
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(9))) {
            BlockingTask.in(executor, "g");
            String before = executor.toString();
            assertThrowsWithName(
                    "maxConcurrency must be at least 1, but is 0", () -> executor.setMaxConcurrency("g", 0));
            assertThrowsWithName("maxInFlight must be at least 1, but is -5", () -> executor.setMaxInFlight("g", -5));
            assertThrowsWithName(
                    "queueThreshold must be at least 0, but is -1", () -> executor.setQueueThreshold("g", -1));
            assertThrowsWithName("weight must be at least 1, but is 0", () -> executor.setWeight("g", 0));
            assertThrowsWithName(
                    "globalMaxInFlight must be at least 1, but is 0", () -> executor.setGlobalMaxInFlight(0));
            assertThat(executor).hasToString(before);
            assertSettings(executor, "1 1 " + NO_LIMIT + " 1");
        }
    }

    private static void assertThrowsWithName(String message, Runnable setting) {
        assertThatIllegalArgumentException().isThrownBy(setting::run).withMessage(message);
    }

    @Test
    void nullKeyThrows() {
        try (GroupExecutor executor = executor(b -> b)) {
            List<Consumer<GroupControl>> calls = List.of(
                    c -> c.setMaxConcurrency(null, 1),
                    c -> c.setMaxInFlight(null, 1),
                    c -> c.setQueueThreshold(null, 1),
                    c -> c.setWeight(null, 1),
                    c -> c.resetGroup(null));
            for (Consumer<GroupControl> call : calls) {
                assertThatNullPointerException()
                        .isThrownBy(() -> call.accept(executor))
                        .withMessage("groupKey");
            }
        }
    }

    @Test
    void settingsDoNothingAfterShutdown() {
        GroupExecutor executor = executor(b -> b);
        BlockingTask stubborn = BlockingTask.uninterruptible();
        executor.submit("g", "stubborn", stubborn);
        await(stubborn.started);
        TaskHandle<String> queued = executor.submit("g", "queued", () -> "ran");
        executor.shutdown();
        setAll(executor);
        executor.setGlobalMaxInFlight(2);
        executor.pauseGroup("g");
        executor.resumeGroup("g");
        executor.resetGroup("g");
        assertThat(resultOf(queued).status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(executor.groupStats("g").orElseThrow().queuedCount()).isZero();
        stubborn.release();
        assertThat(executor.shutdown(TestKit.PATIENCE)).isTrue();
    }
}
