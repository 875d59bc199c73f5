package io.github.kobe.pool;

import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.internal.time.FakeTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A pool under one random schedule, on one thread, with simulated workers and a timer that the schedule advances: the same seed gives the same
 * run. While a task runs anything else may happen, as it would on other threads: submissions, cancellations, timeouts and the end of their
 * grace, steps of other workers, resizes, a shutdown and a restart.
 */
final class PoolSimulation {

    /** What is broken on purpose; each variant must be noticed. */
    enum Sabotage {
        NONE,
        /** Some wake-ups are lost. */
        DEAF_WORKERS,
        /** Some workers never start. */
        LOST_START,
        /** One worker more than the model knows of. */
        ONE_TOO_MANY,
        /** No time passes, so no worker leaves. */
        DEAD_TIMER,
        /** The interrupt flag is set after the worker has started a task. */
        LATE_INTERRUPT
    }

    private static final int STEPS = 120;
    private static final int DEEPEST = 4;
    private static final Duration KEEP_ALIVE = Duration.ofMillis(100);
    private static final Duration GRACE = Duration.ofMillis(10);

    private final SplittableRandom random;
    private final Sabotage sabotage;
    private final FakeTimer timer = new FakeTimer();
    private final Set<Worker> runnable = new LinkedHashSet<>();
    private final List<TaskHandle<?>> handles = new ArrayList<>();
    private final WorkerPool pool;
    private final int maxZombies;
    private int min = 1;
    private int max;
    private int allowed;
    private int calls;
    private int depth;
    private int submitted;

    PoolSimulation(long seed, Sabotage sabotage) {
        this.random = new SplittableRandom(seed);
        this.sabotage = sabotage;
        this.max = 1 + random.nextInt(4);
        this.maxZombies = random.nextInt(3);
        PoolSettings settings = WorkerPool.builder()
                .minWorkers(1)
                .maxWorkers(sabotage == Sabotage.ONE_TOO_MANY ? max + 1 : max)
                .keepAlive(KEEP_ALIVE)
                .grace(GRACE)
                .maxZombies(maxZombies)
                .settings();
        timer.advance(1_000_000_000); // zero has a special meaning
        pool = new WorkerPool(settings, s -> new SimulatedThreads(), timer);
    }

    private final class SimulatedThreads implements WorkerThreads {
        @Override
        public void start(Worker worker) {
            if (sabotage == Sabotage.NONE && random.nextInt(60) == 0) {
                throw new IllegalStateException("no thread available");
            }
            if (sabotage != Sabotage.LOST_START || ++calls % 4 != 0) {
                runnable.add(worker);
            }
        }

        @Override
        public void wake(Worker worker) {
            if (sabotage != Sabotage.DEAF_WORKERS || ++calls % 4 != 0) {
                runnable.add(worker);
            }
        }
    }

    void run() {
        int steps = 1 + random.nextInt(STEPS);
        for (int i = 0; i < steps; i++) {
            anything();
        }
        depth = DEEPEST; // from here on one thing at a time
        quiesce();
        settleDown();
        shutDown();
        Thread.interrupted();
    }

    private void anything() {
        switch (random.nextInt(16)) {
            case 0, 1, 2, 3, 4 -> submit();
            case 5, 6, 7, 8, 9 -> runWorker();
            case 10 -> pass(Duration.ofMillis(random.nextInt(8)));
            case 11 -> pass(random.nextBoolean() ? GRACE : KEEP_ALIVE);
            case 12 -> cancel();
            case 13, 14 -> resize();
            default -> restartSometimes();
        }
        check();
    }

    // ---- operations -------------------------------------------------------------------------------------------------

    private void submit() {
        TaskOptions.Builder options = TaskOptions.builder().priority(random.nextInt(3));
        if (random.nextInt(3) == 0) {
            options.timeout(Duration.ofMillis(1 + random.nextInt(5)));
        }
        if (random.nextInt(5) == 0) {
            options.retry(RetryPolicy.attempts(2));
        }
        submitted++;
        handles.add(
                random.nextInt(4) == 0
                        ? pool.submit("g" + random.nextInt(2), context -> work(), options.build())
                        : pool.submit(context -> work(), options.build()));
    }

    /** A task; while it runs, other steps happen. */
    private Object work() {
        if (sabotage == Sabotage.LATE_INTERRUPT && ++calls % 5 == 0) {
            Thread.currentThread().interrupt();
        }
        require(!Thread.currentThread().isInterrupted(), "a task started with its interrupt flag set");
        for (int i = random.nextInt(4); i > 0 && depth < DEEPEST; i--) {
            depth++;
            anything();
            depth--;
        }
        if (random.nextInt(5) == 0) {
            throw new IllegalStateException("planned");
        }
        return depth;
    }

    private void runWorker() {
        if (runnable.isEmpty()) {
            return;
        }
        Worker worker = new ArrayList<>(runnable).get(random.nextInt(runnable.size()));
        runWorker(worker);
    }

    private void runWorker(Worker worker) {
        runnable.remove(worker); // it is on its own thread now
        Worker outer = WorkerSet.CURRENT.get();
        WorkerSet.CURRENT.set(worker);
        try {
            if (worker.runNext()) {
                runnable.add(worker);
            }
        } finally {
            WorkerSet.CURRENT.set(outer);
        }
    }

    private void pass(Duration time) {
        if (sabotage != Sabotage.DEAD_TIMER) {
            timer.advance(time.toNanos());
        }
    }

    private void cancel() {
        if (!handles.isEmpty()) {
            handles.get(random.nextInt(handles.size())).cancel(random.nextBoolean());
        }
    }

    private void resize() {
        if (sabotage == Sabotage.ONE_TOO_MANY) {
            return;
        }
        if (random.nextInt(3) == 0) {
            min = 1 + random.nextInt(max);
            pool.setMinWorkers(min);
        } else {
            max = min + random.nextInt(4);
            allowed = Math.max(allowed, max + maxZombies);
            pool.setMaxWorkers(max);
        }
    }

    private void restartSometimes() {
        if (depth == 0 && random.nextInt(3) == 0) {
            pool.shutdownNow();
            require(handles.stream().allMatch(TaskHandle::isDone), "a handle is not done after a shutdown");
            while (!runnable.isEmpty()) {
                runWorker(runnable.iterator().next());
            }
            require(pool.stats().workers() == 0, "workers are left after a shutdown");
            pool.restart();
            require(pool.stats().counts().submitted() == 0, "counts since the restart did not begin at zero");
            allowed = 0;
        }
    }

    // ---- invariants -------------------------------------------------------------------------------------------------

    private void check() {
        WorkerPoolStats stats = pool.stats();
        int cap = max + stats.zombies();
        allowed = stats.workers() <= cap ? cap : Math.max(allowed, cap);
        require(stats.zombies() <= maxZombies, "more workers were replaced than allowed");
        require(stats.workers() <= allowed, "more workers than allowed: " + stats.workers() + " of " + allowed);
        require(stats.activeWorkers() <= stats.workers(), "more active than there are");
    }

    /** Runs all workers until they are idle: then no task is queued. */
    private void quiesce() {
        for (int steps = 0; !runnable.isEmpty(); steps++) {
            require(steps < 10_000, "workers never become idle");
            runWorker();
            check();
        }
        pass(Duration.ofMillis(1)); // retries without delay go through the timer
        if (!runnable.isEmpty()) {
            quiesce();
        }
        require(pool.stats().queuedTasks() == 0, "tasks are queued and no worker takes them");
        require(handles.stream().allMatch(TaskHandle::isDone), "a handle is not done although all workers are idle");
    }

    private void settleDown() {
        pass(KEEP_ALIVE.multipliedBy(3));
        while (!runnable.isEmpty()) {
            runWorker();
        }
        WorkerPoolStats stats = pool.stats();
        require(stats.zombies() == 0, "a zombie whose task has returned is still counted");
        require(stats.workers() <= min, "idle workers beyond min did not leave: " + stats.workers() + " of " + min);
        require(stats.activeWorkers() == 0, "no worker has a task, but some are active");
    }

    private void shutDown() {
        pool.shutdownNow();
        while (!runnable.isEmpty()) {
            runWorker();
        }
        WorkerPoolStats stats = pool.stats();
        require(stats.workers() == 0, "workers are left after the shutdown");
        var counts = stats.lifetimeCounts();
        require(counts.submitted() == submitted, "submits were not counted: " + counts + " of " + submitted);
        require(
                counts.succeeded() + counts.failed() + counts.cancelled() + counts.rejected() == submitted,
                "outcomes were not counted: " + counts);
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new Broken(message);
        }
    }

    /** An error that no task's result swallows: it is thrown again at the end of the step. */
    static final class Broken extends AssertionError {
        private static final long serialVersionUID = 1;

        Broken(String what) {
            super(what);
            if (first == null) {
                first = this;
            }
        }
    }

    private static Broken first; // each simulation runs alone

    static void play(long seed, Sabotage sabotage) {
        first = null;
        try {
            new PoolSimulation(seed, sabotage).run();
        } finally {
            Thread.interrupted();
        }
        if (first != null) {
            throw first;
        }
    }
}
