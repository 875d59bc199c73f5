package io.github.kobe.soak;

import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.pool.Sizing;
import io.github.kobe.pool.WorkerPool;
import io.github.kobe.pool.WorkerPoolBuilder;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** The worker pool with the watches that belong to it. */
final class PoolRig implements ExecutionMonitor {

    static final int MOST_WORKERS = 8;
    static final int MOST_ZOMBIES = 3;

    final Recorder recorder;
    final Watchdog patience;
    final TaskTracker troupe = new TaskTracker();
    final WorkerPool pool;
    final LongAdder surelyHandedIn = new LongAdder();
    final LongAdder maybeHandedIn = new LongAdder();
    final Set<Thread> threads = PoolCrew.newThreads();

    /** Raised when it is about to be shut down, and when it was restarted: odd while it may be down. */
    final AtomicInteger downs = new AtomicInteger();

    private final AtomicInteger inside = new AtomicInteger();
    volatile PoolCrew crew;
    volatile boolean ageing;
    private int runs;

    PoolRig(RandomSource random, Recorder recorder, Watchdog patience) {
        this.recorder = recorder;
        this.patience = patience;
        this.crew = newCrew(4, 2, false);
        this.pool = WorkerPool.builder()
                .name("soak")
                .minWorkers(1)
                .maxWorkers(4)
                .maxZombies(2)
                .keepAlive(Duration.ofMillis(5))
                .grace(Duration.ofMillis(2))
                .queueCapacity(random.oneOf(20, 1000))
                .rejectionPolicy(random.oneOf(RejectionPolicy.values()))
                .maxBlockTime(Duration.ofMillis(5))
                .threads(crew)
                .build();
    }

    private PoolCrew newCrew(int most, int zombies, boolean virtual) {
        return new PoolCrew(recorder, ++runs, most, zombies, virtual, threads);
    }

    /** Other settings for the next run. It is down. */
    WorkerPoolBuilder renew(WorkerPoolBuilder settings, RandomSource random) {
        int most = random.between(1, MOST_WORKERS);
        int zombies = random.oneIn(2) ? 0 : random.between(1, MOST_ZOMBIES);
        crew = newCrew(most, zombies, random.oneIn(3));
        settings.minWorkers(random.between(1, most))
                .maxWorkers(most)
                .maxZombies(zombies)
                .keepAlive(random.micros(0, 10_000))
                .grace(random.micros(0, 3000))
                .queueCapacity(random.oneOf(0, 20, 1000, Integer.MAX_VALUE))
                .rejectionPolicy(random.oneOf(RejectionPolicy.values()))
                .maxBlockTime(random.micros(0, 5000))
                .sizing(random.oneIn(4) ? Sizing.UTILIZATION : Sizing.MAX, 0.8)
                .threads(crew);
        if (random.oneIn(2)) {
            settings.recovery(fault -> InjectedException.throwIf(fault instanceof Error, "a recovery"));
        }
        if (!ageing && random.oneIn(20)) {
            ageing = true; // a builder cannot take it back
            settings.priorityAgeing(Duration.ofMillis(1));
        }
        return settings;
    }

    // ---- tasks ---------------------------------------------------------------------------------------------------

    TrackedTask probe(long op, String group, TaskBehavior plot, TaskSpec terms) {
        TrackedTask probe = new TrackedTask(troupe, op, "pool", group, plot, terms);
        troupe.add(probe);
        return probe;
    }

    /** Hands it in, with a group if it has one. */
    TaskHandle<Object> submit(TrackedTask probe) throws Exception {
        Callable<Object> body = new TaskBody(probe, this, recorder);
        int before = downs.get();
        try {
            TaskHandle<Object> handle = PermitFreeThread.call(() -> {
                if (!probe.group.isEmpty()) {
                    return pool.submit(probe.group, context -> body.call(), probe.spec.options());
                }
                return probe.spec == TaskSpec.DEFAULT ? pool.submit(body) : pool.submit(body, probe.spec.options());
            });
            probe.handle = handle;
            surelyHandedIn.increment();
            return handle;
        } catch (IllegalStateException refused) {
            probe.submitFailed = true;
            maybeHandedIn.increment();
            recorder.check(
                    Check.NO_STRAY_EXCEPTION,
                    before % 2 == 1 || downs.get() != before,
                    probe.opId,
                    () -> "a running pool refused: " + refused);
            throw new Down();
        }
    }

    /** It was between a shutdown and a restart. */
    static final class Down extends Exception {
        private static final long serialVersionUID = 1;

        Down() {
            super("down", null, false, false);
        }
    }

    // ---- what bodies tell ----------------------------------------------------------------------------------------

    @Override
    public void enter(TrackedTask probe) {
        inside.incrementAndGet();
        PoolCrew mine = PoolCrew.ofThread();
        if (recorder.check(
                        Check.WORKER_LIMIT,
                        mine != null,
                        probe.opId,
                        () -> "runs on no worker: " + Thread.currentThread())
                && mine != null) {
            mine.watch.enter(probe.opId);
        }
    }

    @Override
    public void exit(TrackedTask probe) {
        PoolCrew mine = PoolCrew.ofThread();
        if (mine != null) {
            mine.watch.exit();
        }
        inside.decrementAndGet();
    }

    @Override
    public void runningAfterOutcome(TrackedTask probe) {
        int workers = pool.stats().workers();
        boolean down = downs.get() % 2 == 1 || PoolCrew.ofThread() != crew;
        recorder.check(
                Check.PERMIT_WHILE_RUNNING, workers > 0 || down, probe.opId, () -> "no worker, but it runs: " + probe);
    }

    @Override
    public boolean usesFreshThreads() {
        return false;
    }

    int inside() {
        return inside.get();
    }
}
