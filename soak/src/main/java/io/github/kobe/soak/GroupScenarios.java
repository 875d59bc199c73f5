package io.github.kobe.soak;

import io.github.kobe.FairnessPolicy;
import io.github.kobe.GroupExecutor;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.TaskStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Scenarios with a known outcome on a group executor that is idle after a wave of load. */
final class GroupScenarios {

    private static final int BACKLOG = 40;

    private final GroupFixture fixture;
    private final GroupExecutor executor;
    private final RandomSource random;
    private final List<TaskHandle<?>> handles = new ArrayList<>();

    GroupScenarios(GroupFixture fixture, RandomSource random) {
        this.fixture = fixture;
        this.executor = fixture.executor;
        this.random = random;
    }

    void runAll() {
        for (String group : GroupFixture.DISRUPTED) {
            executor.setQueueThreshold(group, Integer.MAX_VALUE);
        }
        useEveryPermit();
        runBesideStuckGroup();
        startInPriorityOrder();
        if (fixture.hasGlobalLimit) {
            alternateBetweenGroups();
        }
    }

    private void setLimit(String group, int limit) {
        fixture.groupLimit(group).changeLimit(limit, () -> executor.setMaxConcurrency(group, limit));
    }

    private void setGlobalLimit(int limit) {
        if (fixture.hasGlobalLimit) {
            fixture.globalLimit.changeLimit(limit, () -> executor.setGlobalMaxInFlight(limit));
        }
    }

    private void submit(String group, TaskOptions options, Runnable code) {
        long opId = fixture.recorder.countOperation("scenario task");
        handles.add(executor.submit(
                group,
                "scenario-" + opId,
                () -> {
                    fixture.enterLimits(group, opId);
                    try {
                        code.run();
                        return opId;
                    } finally {
                        fixture.exitLimits(group);
                    }
                },
                options));
        fixture.submitted.increment();
    }

    /** Waits until all tasks of the scenario are completed and all permits are released. Every task must have succeeded. */
    private void finish(String scenario) {
        fixture.watchdog.await(
                Check.BECOMES_IDLE,
                "scenario '" + scenario + "' to complete in " + fixture.name,
                () -> handles.stream().allMatch(TaskHandle::isDone)
                        && executor.stats().globalInFlightUsed() == 0,
                executor::toString);
        for (TaskHandle<?> handle : handles) {
            boolean succeeded = handle.isDone() && handle.join().status() == TaskStatus.SUCCESS;
            fixture.recorder.check(
                    Check.FAITHFUL_OUTCOME,
                    succeeded,
                    0,
                    () -> "scenario '" + scenario + "' in " + fixture.name + ": " + handle);
        }
        handles.clear();
    }

    /** As many tasks run at once as the limits allow, and queued tasks have no threads. */
    private void useEveryPermit() {
        int globalLimit = fixture.hasGlobalLimit ? random.between(1, 10) : Integer.MAX_VALUE;
        setGlobalLimit(globalLimit);
        int sumOfLimits = 0;
        AtomicInteger started = new AtomicInteger();
        CountDownLatch release = new CountDownLatch(1);
        long firstThreadId = Footprint.newThreadId();
        for (String group : GroupFixture.DISRUPTED) {
            int limit = random.between(1, 4);
            setLimit(group, limit);
            sumOfLimits += limit;
            for (int i = 0; i < limit + BACKLOG; i++) {
                submit(group, TaskOptions.defaults(), () -> {
                    started.incrementAndGet();
                    FaceWorkload.awaitRelease(release);
                });
            }
        }
        int expected = Math.min(globalLimit, sumOfLimits);
        fixture.watchdog.await(
                Check.ALL_PERMITS_USABLE,
                expected + " running tasks in " + fixture.name,
                () -> started.get() >= expected,
                () -> started + " are running: " + executor);
        checkThreadCount(fixture.recorder, fixture.name, expected, Footprint.newThreadId() - firstThreadId - 1);
        release.countDown();
        finish("use every permit");
    }

    /** Each of several groups has {@link #BACKLOG} queued tasks. A few other threads may be created at the same time. */
    static void checkThreadCount(CheckRecorder recorder, String name, int running, long threads) {
        recorder.check(
                Check.QUEUE_HOLDS_NO_THREAD,
                threads < running + 2 * BACKLOG,
                0,
                () -> name + " created " + threads + " threads for " + running
                        + " running tasks; all other tasks are queued");
    }

    /** One group is stuck and has queued tasks. The other groups complete all their tasks meanwhile. */
    private void runBesideStuckGroup() {
        setGlobalLimit(2);
        String stuck = GroupFixture.DISRUPTED.getFirst();
        setLimit(stuck, 1);
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger completed = new AtomicInteger();
        for (int i = 0; i < BACKLOG; i++) {
            submit(stuck, TaskOptions.defaults(), () -> FaceWorkload.awaitRelease(release));
        }
        int submitted = 0;
        for (String group : GroupFixture.DISRUPTED.subList(1, 4)) {
            for (int i = 0; i < 10; i++) {
                submit(group, TaskOptions.defaults(), completed::incrementAndGet);
                submitted++;
            }
        }
        int expected = submitted;
        fixture.watchdog.await(
                Check.STUCK_GROUP_BLOCKS_NO_OTHER,
                "the tasks beside a stuck group to complete in " + fixture.name,
                () -> completed.get() == expected,
                () -> completed + " of " + expected + " completed: " + executor);
        release.countDown();
        finish("beside a stuck group");
    }

    /** All tasks are queued in a paused group with one permit, and start when it is resumed. */
    private void startInPriorityOrder() {
        setGlobalLimit(3);
        String group = GroupFixture.DISRUPTED.getLast();
        setLimit(group, 1);
        List<OrderChecker.Queued> started = new ArrayList<>(); // guarded by itself
        executor.pauseGroup(group);
        for (int i = 0; i < BACKLOG; i++) {
            OrderChecker.Queued queued = new OrderChecker.Queued(random.below(4), i);
            submit(group, TaskOptions.builder().priority(queued.priority()).build(), () -> {
                synchronized (started) {
                    started.add(queued);
                }
            });
        }
        executor.resumeGroup(group);
        finish("priority order");
        synchronized (started) {
            OrderChecker.checkPriorities(fixture.recorder, fixture.name, started);
        }
    }

    /** The global limit is one. A task holds the only permit until the tasks of all groups are queued. */
    private void alternateBetweenGroups() {
        setGlobalLimit(1);
        CountDownLatch release = new CountDownLatch(1);
        submit(GroupFixture.STABLE, TaskOptions.defaults(), () -> FaceWorkload.awaitRelease(release));
        Map<String, Integer> weights = new LinkedHashMap<>();
        List<String> started = new ArrayList<>(); // guarded by itself
        for (String group : GroupFixture.DISRUPTED) {
            int weight = random.between(1, 3);
            weights.put(group, weight);
            executor.setWeight(group, weight);
            setLimit(group, 1);
        }
        for (int i = 0; i < BACKLOG; i++) {
            for (String group : weights.keySet()) {
                submit(group, TaskOptions.defaults(), () -> {
                    synchronized (started) {
                        started.add(group);
                    }
                });
            }
        }
        release.countDown();
        finish("round robin between groups");
        synchronized (started) {
            if (fixture.fairness == FairnessPolicy.TASKS) {
                OrderChecker.checkRoundRobin(fixture.recorder, fixture.name, started, weights);
            }
        }
    }
}
