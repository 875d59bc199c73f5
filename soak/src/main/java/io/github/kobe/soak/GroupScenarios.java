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

/** Small plays on a group executor that has been through a lot, and is at rest. */
final class GroupScenarios {

    private static final int BACKLOG = 40;

    private final GroupFixture rig;
    private final GroupExecutor executor;
    private final RandomSource random;
    private final List<TaskHandle<?>> handles = new ArrayList<>();

    GroupScenarios(GroupFixture rig, RandomSource random) {
        this.rig = rig;
        this.executor = rig.executor;
        this.random = random;
    }

    void all() {
        for (String group : GroupFixture.ROUGH) {
            executor.setQueueThreshold(group, Integer.MAX_VALUE);
        }
        fillEveryPlace();
        stuckGroup();
        priorities();
        if (rig.gated) {
            turns();
        }
    }

    private void limit(String group, int n) {
        rig.watch(group).changeLimit(n, () -> executor.setMaxConcurrency(group, n));
    }

    private void globalLimit(int n) {
        if (rig.gated) {
            rig.global.changeLimit(n, () -> executor.setGlobalMaxInFlight(n));
        }
    }

    private void submit(String group, TaskOptions options, Runnable work) {
        long op = rig.recorder.countOperation("drill task");
        handles.add(executor.submit(
                group,
                "drill-" + op,
                () -> {
                    rig.global.enter(op);
                    rig.watch(group).enter(op);
                    try {
                        work.run();
                        return op;
                    } finally {
                        rig.watch(group).exit();
                        rig.global.exit();
                    }
                },
                options));
        rig.surelyHandedIn.increment();
    }

    /** All have succeeded, and the places are free again. */
    private void finish(String what) {
        rig.patience.await(
                Check.BECOMES_IDLE,
                "the end of " + what + " in " + rig.name,
                () -> handles.stream().allMatch(TaskHandle::isDone)
                        && executor.stats().globalInFlightUsed() == 0,
                executor::toString);
        for (TaskHandle<?> handle : handles) {
            boolean fine = handle.isDone() && handle.join().status() == TaskStatus.SUCCESS;
            rig.recorder.check(Check.FAITHFUL_OUTCOME, fine, 0, () -> what + " in " + rig.name + ": " + handle);
        }
        handles.clear();
    }

    /** As many run at once as all limits allow, and no backlog has threads. */
    private void fillEveryPlace() {
        int cap = rig.gated ? random.between(1, 10) : Integer.MAX_VALUE;
        globalLimit(cap);
        int sum = 0;
        AtomicInteger arrived = new AtomicInteger();
        CountDownLatch release = new CountDownLatch(1);
        long firstThread = Footprint.newThreadId();
        for (String group : GroupFixture.ROUGH) {
            int places = random.between(1, 4);
            limit(group, places);
            sum += places;
            for (int i = 0; i < places + BACKLOG; i++) {
                submit(group, TaskOptions.defaults(), () -> {
                    arrived.incrementAndGet();
                    await(release);
                });
            }
        }
        int expected = Math.min(cap, sum);
        rig.patience.await(
                Check.ALL_PERMITS_USABLE,
                expected + " at once in " + rig.name,
                () -> arrived.get() >= expected,
                () -> arrived + " are running: " + executor);
        checkThreads(rig.recorder, rig.name, expected, Footprint.newThreadId() - firstThread - 1);
        release.countDown();
        finish("filling every place");
    }

    /** A backlog of {@link #BACKLOG} tasks for each of several groups, and a few threads for other things. */
    static void checkThreads(Recorder recorder, String name, int running, long threads) {
        recorder.check(
                Check.QUEUE_HOLDS_NO_THREAD,
                threads < running + 2 * BACKLOG,
                0,
                () -> name + " made " + threads + " threads, with " + running
                        + " tasks running and the others in line");
    }

    /** One group is stuck with a backlog; the others do all their work meanwhile. */
    private void stuckGroup() {
        globalLimit(2);
        String stuck = GroupFixture.ROUGH.getFirst();
        limit(stuck, 1);
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger others = new AtomicInteger();
        for (int i = 0; i < BACKLOG; i++) {
            submit(stuck, TaskOptions.defaults(), () -> await(release));
        }
        int expected = 0;
        for (String group : GroupFixture.ROUGH.subList(1, 4)) {
            for (int i = 0; i < 10; i++) {
                submit(group, TaskOptions.defaults(), others::incrementAndGet);
                expected++;
            }
        }
        int all = expected;
        rig.patience.await(
                Check.STUCK_GROUP_BLOCKS_NO_OTHER,
                "work beside a stuck group in " + rig.name,
                () -> others.get() == all,
                () -> others + " of " + all + " done: " + executor);
        release.countDown();
        finish("a stuck group");
    }

    private void priorities() {
        globalLimit(3);
        String group = GroupFixture.ROUGH.getLast();
        limit(group, 1);
        List<OrderChecker.Queued> started = new ArrayList<>(); // by one at a time
        executor.pauseGroup(group);
        for (int i = 0; i < BACKLOG; i++) {
            OrderChecker.Queued rank = new OrderChecker.Queued(random.below(4), i);
            submit(group, TaskOptions.builder().priority(rank.priority()).build(), () -> {
                synchronized (started) {
                    started.add(rank);
                }
            });
        }
        executor.resumeGroup(group);
        finish("priorities");
        synchronized (started) {
            OrderChecker.checkPriorities(rig.recorder, rig.name, started);
        }
    }

    /** With one global place; behind a task that holds it until all are in line. */
    private void turns() {
        globalLimit(1);
        CountDownLatch release = new CountDownLatch(1);
        submit(GroupFixture.CALM, TaskOptions.defaults(), () -> await(release));
        Map<String, Integer> weights = new LinkedHashMap<>();
        List<String> started = new ArrayList<>();
        for (String group : GroupFixture.ROUGH) {
            int weight = random.between(1, 3);
            weights.put(group, weight);
            executor.setWeight(group, weight);
            limit(group, 1);
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
        finish("taking turns");
        synchronized (started) {
            if (rig.fairness == FairnessPolicy.TASKS) {
                OrderChecker.checkRoundRobin(rig.recorder, rig.name, started, weights);
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
