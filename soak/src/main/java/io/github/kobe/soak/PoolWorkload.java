package io.github.kobe.soak;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.pool.WorkerPoolStats;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** {@link io.github.kobe.pool.WorkerPool}: one, from the first round to the last, restarted again and again. */
final class PoolWorkload implements FaceWorkload {

    private static final List<String> GROUPS = List.of("", "", "", "a", "b", "c");
    private static final int BACKLOG = 40;

    private final PoolRig rig;
    private volatile boolean over;

    PoolWorkload(PoolRig rig) {
        this.rig = rig;
    }

    @Override
    public String name() {
        return "pool";
    }

    @Override
    public List<Operation> load() {
        return List.of(
                Operation.of("pool submit", 30, this::submit),
                Operation.of("pool submit, cancel", 8, this::submitAndCancel),
                Operation.of("pool submit, await", 2, this::submitAndAwait),
                Operation.of("pool view", 1, this::view));
    }

    private TrackedTask any(RandomSource random, long op) {
        return rig.probe(op, random.oneOf(GROUPS), TaskBehavior.random(random), TaskSpec.random(random));
    }

    private void submit(RandomSource random, long op) throws Exception {
        rig.submit(any(random, op));
    }

    private void submitAndCancel(RandomSource random, long op) throws Exception {
        any(random, op).submitAndCancel(rig::submit, random);
    }

    private void submitAndAwait(RandomSource random, long op) throws Exception {
        try {
            rig.submit(any(random, op)).await(random.below(3), TimeUnit.MILLISECONDS);
        } catch (RejectedTaskException e) {
            TrackedTask.checkNumbers(rig.recorder, op, e);
        }
    }

    private void view(RandomSource random, long op) throws Exception {
        ExecutorService view = rig.pool.asExecutorService();
        List<Future<Object>> futures = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                rig.maybeHandedIn.increment();
                futures.add(PermitFreeThread.call(() -> view.submit(() -> (Object) op)));
            }
        } catch (RejectedTaskException e) {
            TrackedTask.checkNumbers(rig.recorder, op, e);
        }
        view.shutdown();
        boolean ends = view.awaitTermination(rig.patience.timeout().toSeconds(), TimeUnit.SECONDS);
        boolean done = ends && futures.stream().allMatch(Future::isDone);
        rig.recorder.check(Check.HANDLE_DONE, done, op, () -> "a view of the pool does not come to its end: " + view);
    }

    // ---- turmoil -------------------------------------------------------------------------------------------------

    @Override
    public List<Operation> turmoil() {
        return List.of(
                Operation.of("pool setMaxWorkers", 10, this::resize),
                Operation.of("pool setMinWorkers", 5, this::resizeLeast),
                Operation.of(
                        "pool setWeight",
                        3,
                        (random, op) -> rig.pool.setWeight(random.oneOf("a", "b", "c"), random.between(1, 3))),
                Operation.of("pool look", 10, (random, op) -> settle()),
                Operation.of("pool restart", 1, this::restart));
    }

    private void resize(RandomSource random, long op) {
        int n = random.between(rig.pool.stats().minWorkers(), PoolRig.MOST_WORKERS);
        PoolCrew crew = rig.crew;
        crew.watch.changeLimit(n + crew.zombies, () -> rig.pool.setMaxWorkers(n));
    }

    private void resizeLeast(RandomSource random, long op) {
        rig.pool.setMinWorkers(random.between(1, rig.pool.stats().maxWorkers()));
    }

    private void settle() {
        rig.crew.watch.checkPermitsInUse(() -> Math.min(rig.pool.stats().workers(), rig.crew.watch.limit()));
    }

    private void restart(RandomSource random, long op) {
        rig.downs.incrementAndGet();
        stop(random, op);
        if (random.oneIn(4) && rig.inside() == 0) { // what runs on, of a run before, is counted with its own crew
            rig.pool.restart();
        } else {
            rig.pool.restart(settings -> rig.renew(settings, random));
        }
        rig.troupe.endBulkCancel();
        rig.downs.incrementAndGet();
    }

    private void stop(RandomSource random, long op) {
        switch (random.below(3)) {
            case 0 -> rig.pool.shutdown();
            case 1 -> {
                rig.troupe.beginBulkCancel();
                rig.pool.shutdown(random.micros(0, 5000));
            }
            default -> {
                rig.troupe.beginBulkCancel();
                for (TaskHandle<?> handle : rig.pool.shutdownNow()) {
                    rig.recorder.check(Check.HANDLE_DONE, handle.isDone(), op, () -> "shutdownNow left " + handle);
                }
            }
        }
    }

    // ---- rest ----------------------------------------------------------------------------------------------------

    @Override
    public int open() {
        return rig.troupe.size();
    }

    @Override
    public void tidy() {
        rig.troupe.verifyCompleted(50, probe -> probe.verify(rig.recorder, false));
    }

    @Override
    public void appease() {
        settle();
    }

    @Override
    public boolean isAtRest() {
        WorkerPoolStats stats = rig.pool.stats();
        return rig.troupe.allCompleted()
                && rig.inside() == 0
                && stats.activeWorkers() == 0
                && stats.queuedTasks() == 0
                && stats.zombies() == 0;
    }

    @Override
    public void checkAtRest() {
        rig.troupe.verifyAll(probe -> probe.verify(rig.recorder, false));
        WorkerPoolStats stats = rig.pool.stats();
        rig.recorder.check(
                Check.NO_PERMIT_WHEN_IDLE,
                stats.activeWorkers() == 0 && stats.zombies() == 0,
                0,
                () -> "pool at rest: " + stats);
        ConservationCheck.checkOutcomes(rig.recorder, "pool", stats.lifetimeCounts());
        ConservationCheck.checkSubmitted(
                rig.recorder, "pool", stats.lifetimeCounts(), rig.surelyHandedIn.sum(), rig.maybeHandedIn.sum());
    }

    @Override
    public void drill(RandomSource random) {
        restartFor(1, random);
        if (!rig.ageing) {
            priorities(random);
        }
        int workers = random.between(2, PoolRig.MOST_WORKERS);
        restartFor(workers, random);
        everyWorker(workers);
    }

    private void restartFor(int workers, RandomSource random) {
        rig.downs.incrementAndGet();
        rig.pool.shutdown();
        rig.pool.restart(settings -> rig.renew(settings, random)
                .minWorkers(1)
                .maxWorkers(workers)
                .sizing(io.github.kobe.pool.Sizing.MAX, 1)
                .queueCapacity(Integer.MAX_VALUE));
        rig.downs.incrementAndGet();
        rig.crew.watch.changeLimit(workers + rig.crew.zombies, () -> {});
    }

    private void everyWorker(int workers) {
        AtomicInteger arrived = new AtomicInteger();
        CountDownLatch release = new CountDownLatch(1);
        List<TaskHandle<?>> handles = new ArrayList<>();
        for (int i = 0; i < workers + BACKLOG; i++) {
            handles.add(drillTask(0, () -> {
                arrived.incrementAndGet();
                await(release);
            }));
        }
        rig.patience.await(
                Check.ALL_PERMITS_USABLE,
                workers + " at once in the pool",
                () -> arrived.get() >= workers,
                () -> arrived + " are running: " + rig.pool);
        int now = arrived.get();
        rig.recorder.check(Check.WORKER_LIMIT, now == workers, 0, () -> now + " at once on " + workers + " workers");
        release.countDown();
        finish(handles);
    }

    private void priorities(RandomSource random) {
        CountDownLatch release = new CountDownLatch(1);
        List<OrderChecker.Queued> started = new ArrayList<>();
        List<TaskHandle<?>> handles = new ArrayList<>();
        handles.add(drillTask(0, () -> await(release)));
        for (int i = 0; i < BACKLOG; i++) {
            OrderChecker.Queued rank = new OrderChecker.Queued(random.below(4), i);
            handles.add(drillTask(rank.priority(), () -> {
                synchronized (started) {
                    started.add(rank);
                }
            }));
        }
        release.countDown();
        finish(handles);
        synchronized (started) {
            OrderChecker.checkPriorities(rig.recorder, "pool", started);
        }
    }

    private TaskHandle<?> drillTask(int priority, Runnable work) {
        rig.recorder.countOperation("drill task");
        rig.surelyHandedIn.increment();
        return rig.pool.submit(work, TaskOptions.builder().priority(priority).build());
    }

    private void finish(List<TaskHandle<?>> handles) {
        rig.patience.await(
                Check.BECOMES_IDLE,
                "the end of a drill in the pool",
                () -> handles.stream().allMatch(TaskHandle::isDone)
                        && rig.pool.stats().activeWorkers() == 0,
                rig.pool::toString);
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
        restart(random, 0);
    }

    /** After the last round. */
    void close() {
        over = true;
        rig.downs.incrementAndGet();
        rig.pool.close();
        rig.patience.await(
                Check.NO_THREAD_LEFT,
                "the end of all workers",
                rig.threads::isEmpty,
                () -> rig.threads.size() + " are left: " + rig.threads);
    }

    @Override
    public boolean isOver() {
        return over;
    }

    @Override
    public String state() {
        return "pool: " + rig.pool + ", inside " + rig.inside() + ", downs " + rig.downs + ", threads "
                + rig.threads.size() + ", unfinished:" + rig.troupe.describeIncomplete();
    }
}
