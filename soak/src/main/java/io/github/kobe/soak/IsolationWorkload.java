package io.github.kobe.soak;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.isolation.IsolationStats;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** {@link io.github.kobe.isolation.IsolationExecutor}. */
final class IsolationWorkload implements FaceWorkload {

    private static final int KEYS = 12;
    private static final int PASSING_KEYS = 500;

    private final IsolationRig rig;
    private final Queue<TrackedTask> withFallback = new ConcurrentLinkedQueue<>();
    private final AtomicInteger executed = new AtomicInteger();
    private volatile boolean over;

    IsolationWorkload(IsolationRig rig) {
        this.rig = rig;
    }

    @Override
    public String name() {
        return "isolation";
    }

    @Override
    public List<Operation> operations() {
        return List.of(
                Operation.of("isolation submit", 30, this::submit),
                Operation.of("isolation submit with fallback", 10, this::submitWithFallback),
                Operation.of("isolation submit, cancel", 8, this::submitAndCancel),
                Operation.of("isolation execute", 5, this::execute));
    }

    /** The first are quick, the last slow; many come once. */
    private TrackedTask any(RandomSource random, long op) {
        int key = random.below(KEYS);
        TaskBehavior plot = key < KEYS / 2
                ? random.oneOf(TaskBehavior.RETURN, TaskBehavior.YIELD, TaskBehavior.THROW)
                : TaskBehavior.random(random);
        return rig.probe(op, random.oneIn(5) ? "passing-" + random.below(PASSING_KEYS) : "tenant-" + key, plot);
    }

    private void submit(RandomSource random, long op) throws Exception {
        rig.submit(any(random, op), false);
    }

    private void submitWithFallback(RandomSource random, long op) throws Exception {
        TrackedTask probe = any(random, op);
        rig.submit(probe, true);
        withFallback.add(probe);
    }

    private void submitAndCancel(RandomSource random, long op) throws Exception {
        any(random, op).submitAndCancel(probe -> rig.submit(probe, false), random);
    }

    private void execute(RandomSource random, long op) {
        rig.maybeHandedIn.add(3);
        boolean bad = random.oneIn(5);
        try {
            rig.executor.execute("tenant-" + random.below(KEYS), () -> {
                rig.watch.enter(op);
                try {
                    executed.incrementAndGet();
                    InjectedException.throwIf(bad, "an executed task");
                } finally {
                    rig.watch.exit();
                }
            });
        } catch (RejectedTaskException e) {
            TrackedTask.checkNumbers(rig.recorder, op, e);
        }
    }

    // ---- turmoil -------------------------------------------------------------------------------------------------

    @Override
    public List<Operation> adminOperations() {
        return List.of(
                Operation.of("isolation change of budget", 3, this::changeBudget),
                Operation.of("isolation change of white list", 2, (random, op) -> rig.whiteList = !rig.whiteList),
                Operation.of("isolation look", 10, (random, op) -> settle()));
    }

    private void changeBudget(RandomSource random, long op) {
        rig.wishFor(random.between(1, 12));
    }

    /** The budget is asked for now and then; only what is in force counts. */
    private void settle() {
        if (rig.isWishInForce()) {
            rig.watch.checkPermitsInUse(() -> rig.executor.stats().running());
        }
    }

    // ---- rest ----------------------------------------------------------------------------------------------------

    @Override
    public int outstandingTasks() {
        return rig.troupe.size();
    }

    @Override
    public void verifyCompleted() {
        rig.troupe.verifyCompleted(50, probe -> probe.verify(rig.recorder, false));
        if (withFallback.size() > 5000) {
            judgeFallbacks();
        }
    }

    @Override
    public void unblock() {
        settle();
    }

    @Override
    public boolean isIdle() {
        IsolationStats stats = rig.executor.stats();
        return rig.troupe.allCompleted() && rig.watch.running() == 0 && stats.running() == 0 && stats.queued() == 0;
    }

    /** Those whose fallback may yet come are left for later. */
    private void judgeFallbacks() {
        int size = withFallback.size();
        for (int i = 0; i < size; i++) {
            TrackedTask probe = withFallback.poll();
            if (probe == null) {
                return;
            }
            TaskHandle<?> handle = probe.handle;
            if (handle == null || !handle.isDone() || !isTold(probe, handle)) {
                withFallback.add(probe);
            } else {
                checkFallback(rig.recorder, probe, statusOf(handle));
            }
        }
    }

    /** Of one that is done; an interruption of this thread changes nothing. */
    private static TaskStatus statusOf(TaskHandle<?> handle) {
        return handle.toCompletableFuture().join().status();
    }

    private static boolean isTold(TrackedTask probe, TaskHandle<?> handle) {
        return statusOf(handle) != TaskStatus.REJECTED || probe.fallbackCalls.get() > 0;
    }

    static void checkFallback(Recorder recorder, TrackedTask probe, TaskStatus status) {
        int expected = status == TaskStatus.REJECTED ? 1 : 0;
        recorder.check(
                Check.FALLBACK_ONCE,
                probe.fallbackCalls.get() == expected,
                probe.opId,
                () -> "ended " + status + ", fallback called " + probe.fallbackCalls + " times: " + probe);
    }

    @Override
    public void checkIdle() {
        Thread.interrupted();
        rig.patience.await(
                Check.FALLBACK_ONCE,
                "the last fallback",
                () -> {
                    judgeFallbacks();
                    return withFallback.isEmpty();
                },
                () -> withFallback.size() + " fallbacks were not called, such as that of " + withFallback.peek());
        rig.troupe.verifyAll(probe -> probe.verify(rig.recorder, false));
        IsolationStats stats = rig.executor.stats();
        rig.recorder.check(Check.NO_PERMIT_WHEN_IDLE, stats.running() == 0, 0, () -> "isolation at rest: " + stats);
        ConservationCheck.checkOutcomes(rig.recorder, "isolation", stats.counts());
        if (!over) {
            ConservationCheck.checkSubmitted(
                    rig.recorder, "isolation", stats.counts(), rig.surelyHandedIn.sum(), rig.maybeHandedIn.sum());
        }
    }

    /** A tenant that is stuck on half the budget holds up nobody else. Then all are forgotten. */
    @Override
    public void runScenarios(RandomSource random) {
        stuckTenant();
        rig.patience.await(
                Check.IDLE_GROUPS_RETIRED,
                "an empty isolation executor",
                () -> rig.executor.stats().keys().isEmpty(),
                () -> "it still knows " + rig.executor.stats().keys().keySet());
    }

    private void stuckTenant() {
        int budget = 8;
        rig.wishFor(budget);
        boolean inForce = rig.patience.await(
                Check.BECOMES_IDLE,
                "a new budget",
                () -> {
                    nudge();
                    return rig.isWishInForce() && rig.executor.stats().maxConcurrency() == budget;
                },
                rig.executor::toString);
        if (!inForce) {
            return;
        }
        CountDownLatch release = new CountDownLatch(1);
        List<TaskHandle<?>> stuck = new ArrayList<>();
        for (int i = 0; i < budget / 2; i++) {
            stuck.add(submitDrill("stuck", () -> await(release)));
        }
        boolean others = runOneByOne(30);
        rig.recorder.check(
                Check.STUCK_GROUP_BLOCKS_NO_OTHER, others, 0, () -> "tenants wait for a stuck one: " + rig.executor);
        release.countDown();
        rig.patience.await(
                Check.BECOMES_IDLE,
                "the end of a stuck tenant",
                () -> stuck.stream().allMatch(TaskHandle::isDone)
                        && rig.executor.stats().running() == 0,
                rig.executor::toString);
    }

    private boolean runOneByOne(int tasks) {
        boolean all = true;
        for (int i = 0; i < tasks && all; i++) {
            TaskHandle<?> handle = submitDrill("other-" + i % 5, () -> {});
            all = rig.patience.await(
                    Check.STUCK_GROUP_BLOCKS_NO_OTHER,
                    "a task beside a stuck tenant",
                    handle::isDone,
                    rig.executor::toString);
        }
        return all;
    }

    /** The executor asks for its settings while there are tasks. */
    private void nudge() {
        submitDrill("nudge", () -> {});
        LockSupport.parkNanos(1_000_000);
    }

    private TaskHandle<?> submitDrill(String key, Runnable work) {
        rig.recorder.countOperation("drill task");
        rig.surelyHandedIn.increment();
        rig.maybeHandedIn.add(2);
        return rig.executor.submit(key, () -> {
            work.run();
            return key;
        });
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void shutDown(RandomSource random) {
        over = true;
        rig.troupe.beginBulkCancel();
        switch (random.below(3)) {
            case 0 -> rig.executor.shutdown();
            case 1 -> rig.executor.close();
            default -> rig.executor.shutdown(random.micros(0, 5000));
        }
    }

    @Override
    public boolean isShutdown() {
        return over;
    }

    @Override
    public String diagnostics() {
        return "isolation: " + rig.executor + ", inside " + rig.watch.running() + ", unfinished:"
                + rig.troupe.describeIncomplete();
    }
}
