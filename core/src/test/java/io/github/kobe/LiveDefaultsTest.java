package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.letOthersRun;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.Log;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Do defaults that are changed while tasks run apply to all groups without a setting of their own, and to no other? */
@Timeout(60)
class LiveDefaultsTest {

    private final List<BlockingTask> tasks = new ArrayList<>();
    private GroupExecutor executor = executor(b -> b);

    private static GroupExecutor executor(UnaryOperator<GroupPolicy.Builder> settings) {
        return TestKit.executor(b -> settings.apply(b.rejectionPolicy(RejectionPolicy.DISCARD)));
    }

    private void use(UnaryOperator<GroupPolicy.Builder> settings) {
        executor.close();
        executor = executor(settings);
    }

    @AfterEach
    void close() {
        executor.close();
    }

    private List<BlockingTask> submit(String group, int number) {
        List<BlockingTask> submitted = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            BlockingTask task = BlockingTask.interruptible();
            submitted.add(task);
            executor.submit(group, "t" + i, task);
        }
        tasks.addAll(submitted);
        return submitted;
    }

    private static void awaitStarted(List<BlockingTask> started) {
        started.forEach(task -> await(task.started));
    }

    private static long started(List<BlockingTask> submitted) {
        letOthersRun();
        return submitted.stream().filter(BlockingTask::hasStarted).count();
    }

    private int limit(String group) {
        return executor.groupStats(group).orElseThrow().maxConcurrency();
    }

    private boolean isRejected(String group) {
        TaskHandle<String> handle = executor.submit(group, "probe", () -> "ran");
        return handle.isDone() && resultOf(handle).status() == TaskStatus.REJECTED;
    }

    // ---- the default concurrency limit -----------------------------------------------------------------------------

    @Test
    void raisedDefaultStartsQueuedTasksOfKnownGroups() {
        List<BlockingTask> a = submit("a", 5);
        List<BlockingTask> b = submit("b", 5);
        executor.setDefaultMaxConcurrency(3);
        awaitStarted(a.subList(0, 3));
        awaitStarted(b.subList(0, 3));
        assertThat(started(a) + started(b)).isEqualTo(6);
        assertThat(executor.defaultMaxConcurrency()).isEqualTo(3);
    }

    @Test
    void loweredDefaultStopsNoTaskAndIsPaidOff() {
        use(b -> b.defaultMaxConcurrencyPerGroup(3));
        List<BlockingTask> running = submit("a", 3);
        awaitStarted(running);
        List<BlockingTask> queued = submit("a", 1);
        executor.setDefaultMaxConcurrency(1);
        for (BlockingTask task : running) {
            assertThat(task.wasInterrupted()).isFalse();
            assertThat(started(queued)).isZero();
            task.release();
            await(task.ended);
        }
        awaitStarted(queued);
        assertThat(limit("a")).isEqualTo(1);
    }

    @Test
    void laterGroupsGetTheDefault() {
        executor.setDefaultMaxConcurrency(4);
        submit("a", 1);
        assertThat(limit("a")).isEqualTo(4);
    }

    @Test
    void groupsWithASettingOfTheirOwnKeepIt() {
        use(b -> b.perGroupMaxConcurrency(Map.of("own", 2))
                .concurrencyResolver(key -> {
                    if (key.equals("resolved")) {
                        return 3;
                    }
                    throw new UnsupportedOperationException("unknown");
                })
                .defaultMaxConcurrencyPerGroup(4));
        try (Log log = new Log()) {
            executor.setMaxConcurrency("live", 5);
            List.of("own", "resolved", "live", "default").forEach(group -> submit(group, 1));
            executor.setDefaultMaxConcurrency(9);
            assertThat(List.of(limit("own"), limit("resolved"), limit("live"), limit("default")))
                    .containsExactly(2, 3, 5, 9);
            executor.resetGroup("live");
            assertThat(limit("live")).isEqualTo(9);
            assertThat(log.lines("unknown")).hasSize(1);
        }
    }

    @Test
    void pausedGroupStaysPaused() {
        executor.pauseGroup("a");
        List<BlockingTask> queued = submit("a", 1);
        executor.setDefaultMaxConcurrency(4);
        assertThat(started(queued)).isZero();
        executor.resumeGroup("a");
        awaitStarted(queued);
        assertThat(limit("a")).isEqualTo(4);
    }

    @Test
    void defaultThatChangesWhileALimitIsResolvedHolds() {
        AtomicReference<GroupExecutor> changed = new AtomicReference<>();
        use(b -> b.concurrencyResolver(key -> {
            changed.get().setDefaultMaxConcurrency(6);
            throw new UnsupportedOperationException("unknown");
        }));
        changed.set(executor);
        try (Log log = new Log()) {
            submit("a", 1);
            assertThat(limit("a")).isEqualTo(6);
            assertThat(log.lines("unknown")).hasSize(1);
        }
    }

    // ---- queue thresholds
    // --------------------------------------------------------------------------------------------

    @Test
    void changedDefaultThresholdAppliesToKnownAndLaterGroups() {
        submit("a", 3); // two are queued
        executor.setDefaultQueueThreshold(2);
        assertThat(executor.groupStats("a").orElseThrow().queuedCount()).isEqualTo(2);
        assertThat(isRejected("a")).isTrue();
        executor.setDefaultQueueThreshold(3);
        assertThat(isRejected("a")).isFalse();
        assertThat(isRejected("a")).isTrue();
        executor.setDefaultQueueThreshold(0);
        assertThat(executor.groupStats("a").orElseThrow().queuedCount())
                .as("they stay queued")
                .isEqualTo(3);
        submit("b", 1);
        assertThat(isRejected("b")).isTrue();
        assertThat(executor.defaultQueueThreshold()).isZero();
    }

    @Test
    void groupsWithAThresholdOfTheirOwnKeepIt() {
        use(b -> b.perGroupQueueThreshold(Map.of("own", 2)).queueThresholdResolver(key -> 3));
        executor.setQueueThreshold("live", 4);
        List.of("own", "resolved", "live").forEach(group -> submit(group, 1));
        executor.setDefaultQueueThreshold(9);
        assertThat(List.of("own", "resolved", "live"))
                .extracting(group -> executor.groupStats(group).orElseThrow().queueCapacity())
                .containsExactly(2, 3, 4);
    }

    @Test
    void changedGlobalThresholdAppliesAtOnce() {
        use(b -> b.globalMaxInFlight(1).globalQueueThreshold(1));
        submit("a", 2); // one is queued
        assertThat(rejectionText("b"))
                .startsWith("global queue full (1 active, 1 queued, global limit 1, queue threshold 1");
        executor.setGlobalQueueThreshold(2);
        assertThat(isRejected("b")).isFalse();
        executor.setGlobalQueueThreshold(0);
        assertThat(executor.stats().totalQueuedCount()).as("they stay queued").isEqualTo(2);
        assertThat(rejectionText("c"))
                .startsWith("global queue full (1 active, 2 queued, global limit 1, queue threshold 0");
        assertThat(executor.globalQueueThreshold()).isZero();
    }

    private String rejectionText(String group) {
        return String.valueOf(resultOf(executor.submit(group, "t", () -> "ran")).rejection());
    }

    @Test
    void globalThresholdThatIsSetBeforeTheGlobalLimitHolds() {
        executor.setGlobalQueueThreshold(0);
        submit("a", 1);
        submit("a", 1);
        assertThat(executor.groupStats("a").orElseThrow().queuedCount())
                .as("without a global limit it has no effect")
                .isEqualTo(1);
        executor.setGlobalMaxInFlight(1);
        assertThat(isRejected("b")).isTrue();
    }

    @Test
    void raisedThresholdsAdmitBlockedSubmitters() throws Exception {
        use(b -> b.rejectionPolicy(RejectionPolicy.BLOCK)
                .maxBlockTime(Duration.ofHours(1))
                .globalMaxInFlight(2)
                .globalQueueThreshold(1)
                .defaultQueueThresholdPerGroup(0));
        awaitStarted(submit("a", 1));
        Caller<TaskHandle<String>> behindGroup = Caller.of(() -> executor.submit("a", "t", () -> "ran"));
        behindGroup.awaitWaiting();
        executor.setDefaultQueueThreshold(1);
        TaskHandle<String> first = behindGroup.result();
        awaitStarted(submit("b", 1));
        Caller<TaskHandle<String>> behindAll = Caller.of(() -> executor.submit("c", "t", () -> "ran"));
        behindAll.awaitWaiting();
        executor.setGlobalQueueThreshold(2);
        TaskHandle<String> second = behindAll.result();
        tasks.forEach(BlockingTask::release);
        assertThat(List.of(resultOf(first).value(), resultOf(second).value())).containsOnly("ran");
    }

    // ---- both
    // ----------------------------------------------------------------------------------------------------------

    @Test
    void valuesOutOfRangeAreRefusedAndChangeNothing() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> executor.setDefaultMaxConcurrency(0))
                .withMessage("defaultMaxConcurrency must be at least 1, but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> executor.setDefaultQueueThreshold(-1))
                .withMessage("defaultQueueThreshold must be at least 0, but is -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> executor.setGlobalQueueThreshold(-1))
                .withMessage("globalQueueThreshold must be at least 0, but is -1");
        assertThat(executor.defaultMaxConcurrency()).isEqualTo(1);
        assertThat(executor.defaultQueueThreshold()).isEqualTo(Integer.MAX_VALUE);
        assertThat(executor.globalQueueThreshold()).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void concurrentChangesLeaveAllGroupsWithTheLastDefault() throws Throwable {
        TestKit.whileRepeating(() -> executor.setDefaultMaxConcurrency(7), () -> {
            for (int i = 0; i < 200; i++) {
                resultOf(executor.submit("g" + i, "t", () -> "ran"));
                executor.setDefaultMaxConcurrency(8);
            }
        });
        int last = executor.defaultMaxConcurrency();
        assertThat(executor.activeGroupKeys())
                .hasSize(200)
                .allSatisfy(key -> assertThat(limit(key)).isEqualTo(last));
    }
}
