package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.letOthersRun;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.CurrentStats;
import io.github.kobe.TestKit.PeakSince;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Can the global limit be set, raised and lowered while tasks run? */
@Timeout(120)
class GlobalLimitLiveTest {

    private static final int NO_LIMIT = Integer.MAX_VALUE;

    private static List<BlockingTask> blockers(int number) {
        List<BlockingTask> blockers = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            blockers.add(BlockingTask.interruptible());
        }
        return blockers;
    }

    private static long started(List<BlockingTask> blockers) {
        return blockers.stream().filter(BlockingTask::hasStarted).count();
    }

    // ---- step by step --------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(ints = {NO_LIMIT, 10})
    void afterLoweringNoTaskStartsUntilEnoughHaveCompleted(int before) {
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(before))) {
            List<BlockingTask> running = blockers(4);
            for (int i = 0; i < 4; i++) {
                executor.submit("old" + i, "t", running.get(i));
                await(running.get(i).started);
            }
            executor.setGlobalMaxInFlight(2);
            assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(4, 4, 0, 4, 2));
            List<BlockingTask> waiting = blockers(3);
            executor.submit("old0", "t", waiting.get(0)); // its group is at its own limit as well
            executor.submit("new1", "t", waiting.get(1));
            executor.submit("new2", "t", waiting.get(2));
            for (int ended = 0; ended < 2; ended++) {
                letOthersRun();
                assertThat(started(waiting))
                        .as("after %s have completed", ended)
                        .isZero();
                int left = 3 - ended;
                running.get(3 - ended).release();
                eventually(
                        () -> assertThat(CurrentStats.of(executor).globalUsed()).isEqualTo(left));
            }
            letOthersRun();
            assertThat(started(waiting)).as("at the limit").isZero();
            running.get(0).release();
            eventually(() -> assertThat(started(waiting)).isEqualTo(1));
            letOthersRun();
            assertThat(started(waiting)).isEqualTo(1);
            assertThat(CurrentStats.of(executor).globalUsed()).isEqualTo(2);
            assertThat(running).noneMatch(BlockingTask::wasInterrupted);
            running.get(1).release();
            waiting.forEach(BlockingTask::release);
            eventually(() -> assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(6, 0, 0, 0, 2)));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, NO_LIMIT})
    void raisingStartsQueuedTasksWithoutAnotherSubmit(int raisedTo) {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask.in(executor, "a");
            executor.setGlobalMaxInFlight(1);
            List<BlockingTask> waiting = blockers(4);
            for (int i = 0; i < 4; i++) {
                executor.submit("g" + i, "t", waiting.get(i));
            }
            letOthersRun();
            assertThat(started(waiting)).isZero();
            executor.setGlobalMaxInFlight(raisedTo);
            int expected = Math.min(4, raisedTo - 1);
            eventually(() -> assertThat(started(waiting)).isEqualTo(expected));
            letOthersRun();
            assertThat(started(waiting)).isEqualTo(expected);
            assertThat(executor.stats().globalInFlightMax()).isEqualTo(raisedTo);
        }
    }

    @Test
    void newGlobalLimitTakesOverTasksQueuedInGroups() {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask a = BlockingTask.in(executor, "a");
            BlockingTask b = BlockingTask.in(executor, "b");
            List<TaskHandle<String>> waiting = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                waiting.add(executor.submit("a", "t", () -> "ran"));
                waiting.add(executor.submit("b", "t", () -> "ran"));
            }
            executor.setGlobalMaxInFlight(1);
            assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(2, 2, 10, 2, 1));
            a.release();
            letOthersRun();
            assertThat(waiting).as("b still holds the only permit").noneMatch(TaskHandle::isDone);
            b.release();
            assertThat(waiting).allSatisfy(h -> assertThat(resultOf(h).value()).isEqualTo("ran"));
            assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(2, 0, 0, 0, 1));
        }
    }

    @Test
    void globalQueueThresholdAppliesOnceALimitIsSet() {
        try (GroupExecutor executor =
                executor(b -> b.rejectionPolicy(RejectionPolicy.DISCARD).globalQueueThreshold(2))) {
            BlockingTask.in(executor, "a");
            executor.submit("a", "waits", () -> "ran");
            executor.setGlobalMaxInFlight(1);
            assertThat(executor.submit("b", "waits", () -> "ran").isDone()).isFalse();
            TaskHandle<String> rejected = executor.submit("c", "t", () -> "ran");
            assertThat(TestKit.withoutEstimate(resultOf(rejected).rejection()))
                    .isEqualTo(new Rejection(RejectionReason.GLOBAL_QUEUE_FULL, 1, 2, 1, 2, Duration.ZERO));
        }
    }

    @Test
    void permitsHeldBeforeTheLimitWasSetCount() throws Exception {
        try (GroupExecutor executor = executor(b -> b)) {
            Permit permit = executor.acquire("a");
            executor.setGlobalMaxInFlight(1);
            assertThat(tryAcquire(executor, "b").isGranted()).isFalse();
            permit.close();
            assertThat(tryAcquire(executor, "b").isGranted()).isTrue();
        }
    }

    // ---- under load ----------------------------------------------------------------------------------------------

    /** A constant load of tasks, in groups that are created and retired, which counts the running tasks. */
    private static final class Load {
        private static final int SUBMITTERS = 3;

        private final PeakSince peak = new PeakSince();
        private final AtomicInteger ended = new AtomicInteger();
        private final AtomicBoolean stop = new AtomicBoolean();
        private final GroupExecutor executor;
        private final List<Caller<List<TaskHandle<Integer>>>> submitters = new ArrayList<>();
        private final boolean cancels;

        Load(GroupExecutor executor, boolean cancels) {
            this.executor = executor;
            this.cancels = cancels;
        }

        void start(long seed) {
            CountDownLatch underWay = new CountDownLatch(SUBMITTERS);
            for (int s = 0; s < SUBMITTERS; s++) {
                SplittableRandom random = new SplittableRandom(seed * SUBMITTERS + s);
                submitters.add(Caller.of(() -> submit(random, underWay)));
            }
            await(underWay);
        }

        private List<TaskHandle<Integer>> submit(SplittableRandom random, CountDownLatch underWay) throws Exception {
            List<TaskHandle<Integer>> handles = new ArrayList<>();
            while (!stop.get()) {
                List<TaskHandle<Integer>> batch = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    batch.add(executor.submit("g" + random.nextInt(8), "t", this::work));
                }
                if (cancels) {
                    batch.get(random.nextInt(20)).cancel(random.nextBoolean());
                }
                underWay.countDown();
                for (TaskHandle<Integer> handle : batch) {
                    resultOf(handle); // so that the queue does not grow without limit
                }
                handles.addAll(batch);
            }
            return handles;
        }

        private int work() {
            peak.during(TestKit::yieldToOthers);
            return ended.incrementAndGet();
        }

        /** Returns the peak of running tasks from now until that many more have completed. */
        int peakOverTheNext(int tasks) {
            peak.reset();
            int before = ended.get();
            eventually(() -> assertThat(ended.get()).isGreaterThan(before + tasks));
            return peak.most();
        }

        /** Returns how many tasks were submitted. */
        int finish() throws Exception {
            stop.set(true);
            int tasks = 0;
            for (Caller<List<TaskHandle<Integer>>> submitter : submitters) {
                List<TaskHandle<Integer>> handles = submitter.result();
                tasks += handles.size();
                assertThat(handles).allSatisfy(h -> {
                    TaskStatus status = resultOf(h).status();
                    assertThat(status == TaskStatus.SUCCESS || (cancels && status == TaskStatus.CANCELLED))
                            .as("%s", status)
                            .isTrue();
                });
            }
            return tasks;
        }
    }

    /**
     * While more permits are in use than the limit, their number never grows. A task's code begins after it has got its permit and ends
     * before the permit is released.
     */
    private static void assertKept(Load load, int limit) {
        int usedAfterwards = load.executor.stats().globalInFlightUsed();
        assertThat(load.peakOverTheNext(5)).as("limit %s", limit).isLessThanOrEqualTo(Math.max(limit, usedAfterwards));
        eventually(() -> assertThat(load.executor.stats().globalInFlightUsed()).isLessThanOrEqualTo(limit));
        assertThat(load.peakOverTheNext(30)).as("limit %s", limit).isBetween(1, limit);
    }

    @RepeatedTest(25)
    void limitSetUnderLoadIsNeverExceeded(RepetitionInfo repetition) throws Exception {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        Duration ttl = random.nextBoolean() ? Duration.ZERO : Duration.ofMinutes(1);
        try (GroupExecutor executor =
                executor(b -> b.defaultMaxConcurrencyPerGroup(3).idleGroupTtl(ttl))) {
            Load load = new Load(executor, false);
            load.start(repetition.getCurrentRepetition());
            for (int round = 0; round < 8; round++) {
                int limit = 1 + random.nextInt(6);
                executor.setGlobalMaxInFlight(limit);
                assertKept(load, limit);
            }
            int tasks = load.finish();
            assertThat(executor.stats().counts().succeeded()).isEqualTo(tasks);
            assertNothingLeaked(executor);
        }
    }

    @RepeatedTest(25)
    void limitHoldsDuringCancelsAndOtherLimitChanges(RepetitionInfo repetition) throws Throwable {
        SplittableRandom random = new SplittableRandom(100 + repetition.getCurrentRepetition());
        try (GroupExecutor executor =
                executor(b -> b.defaultMaxConcurrencyPerGroup(3).idleGroupTtl(Duration.ZERO))) {
            Load load = new Load(executor, true);
            load.start(repetition.getCurrentRepetition());
            SplittableRandom others = random.split();
            TestKit.whileRepeating(() -> disturb(executor, others), () -> {
                for (int round = 0; round < 8; round++) {
                    int limit = 1 + random.nextInt(6);
                    executor.setGlobalMaxInFlight(limit);
                    assertKept(load, limit);
                }
            });
            int tasks = load.finish();
            TaskCounts counts = executor.stats().counts();
            assertThat(counts.succeeded() + counts.cancelled()).isEqualTo(tasks);
            assertNothingLeaked(executor);
        }
    }

    private static void disturb(GroupExecutor executor, SplittableRandom random) {
        String group = "g" + random.nextInt(8);
        switch (random.nextInt(4)) {
            case 0 -> {
                executor.pauseGroup(group);
                TestKit.yieldToOthers();
                executor.resumeGroup(group);
            }
            case 1 -> executor.evictGroup(group);
            case 2 -> executor.setMaxConcurrency(group, 1 + random.nextInt(4));
            default -> executor.setWeight(group, 1 + random.nextInt(3));
        }
    }

    /** Several threads set the first limit at once, under load. */
    @RepeatedTest(25)
    void concurrentChangesOfTheLimitAreConsistent(RepetitionInfo repetition) throws Exception {
        try (GroupExecutor executor =
                executor(b -> b.defaultMaxConcurrencyPerGroup(2).idleGroupTtl(Duration.ZERO))) {
            Load load = new Load(executor, true);
            load.start(repetition.getCurrentRepetition());
            List<Caller<Boolean>> setters = new ArrayList<>();
            for (int s = 1; s <= 3; s++) {
                int limit = s;
                setters.add(Caller.of(() -> {
                    executor.setGlobalMaxInFlight(limit);
                    return true;
                }));
            }
            for (Caller<Boolean> setter : setters) {
                assertThat(setter.result()).isTrue();
            }
            assertThat(executor.stats().globalInFlightMax()).isBetween(1, 3);
            assertKept(load, executor.stats().globalInFlightMax());
            load.finish();
            assertNothingLeaked(executor);
        }
    }

    /** On a thread of its own, which holds no other permit. */
    private static PermitResult tryAcquire(GroupExecutor executor, String key) throws Exception {
        return Caller.of(() -> executor.tryAcquire(key, Duration.ZERO)).result();
    }

    /** Asserts that all permits are released and that exactly as many as the limit can be in use at once. */
    private static void assertNothingLeaked(GroupExecutor executor) throws Exception {
        eventually(() -> assertThat(CurrentStats.of(executor).globalUsed()).isZero());
        assertThat(CurrentStats.of(executor).active()).isZero();
        assertThat(CurrentStats.of(executor).queued()).isZero();
        List<Permit> permits = new ArrayList<>();
        int limit = executor.stats().globalInFlightMax();
        for (int i = 0; i < limit; i++) {
            permits.add(tryAcquire(executor, "fresh" + i).permit());
        }
        assertThat(tryAcquire(executor, "one more").isGranted()).isFalse();
        permits.forEach(Permit::close);
    }

    @Test
    void noTaskIsRejectedBelowTheLimit() throws Exception {
        for (int round = 0; round < 60; round++) {
            try (GroupExecutor executor =
                    executor(b -> b.defaultMaxConcurrencyPerGroup(100).globalQueueThreshold(0))) {
                Load load = new Load(executor, false);
                load.start(round);
                executor.setGlobalMaxInFlight(1000);
                load.peakOverTheNext(20);
                load.finish(); // a rejection would throw
                assertThat(executor.stats().counts().rejected()).isZero();
            }
        }
    }
}
