package io.github.kobe.soak;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.pool.Sizing;
import io.github.kobe.pool.WorkerPool;
import io.github.kobe.pool.WorkerPoolBuilder;
import io.github.kobe.pool.WorkerPoolStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Load on one {@link WorkerPool}, which lasts from the first round to the last and is restarted again and again. */
final class PoolWorkload implements FaceWorkload, ExecutionMonitor {

    private static final List<String> GROUPS = List.of("", "", "", "a", "b", "c");
    private static final int MAX_WORKERS = 8;
    private static final int MAX_ZOMBIES = 3;
    private static final int BACKLOG = 40;

    private final CheckRecorder recorder;
    private final Watchdog watchdog;
    private final TaskTracker tracker = new TaskTracker();
    private final WorkerPool pool;
    private final LongAdder submitted = new LongAdder();
    private final LongAdder possiblySubmitted = new LongAdder();

    /** All live worker threads. */
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    /** Incremented before each shutdown and after each restart. Odd while the pool may be down. */
    private final AtomicInteger downEpoch = new AtomicInteger();

    private final AtomicInteger running = new AtomicInteger();
    private volatile WorkerThreadFactory threadFactory;
    private volatile boolean hasPriorityAgeing;
    private volatile boolean shutdown;
    private int starts;

    PoolWorkload(RandomSource random, CheckRecorder recorder, Watchdog watchdog) {
        this.recorder = recorder;
        this.watchdog = watchdog;
        this.threadFactory = newThreadFactory(4, 2, false);
        this.pool = WorkerPool.builder()
                .name("soak")
                .minWorkers(1)
                .maxWorkers(4)
                .maxZombies(2)
                .keepAlive(Duration.ofMillis(5))
                .grace(Duration.ofMillis(2))
                .queueCapacity(random.oneOf(20, 1000))
                .rejectionPolicy(random.oneOf(FaceWorkload.REJECTION_POLICIES))
                .maxBlockTime(Duration.ofMillis(5))
                .threads(threadFactory)
                .build();
    }

    // ---- threads and settings ------------------------------------------------------------------------------------

    /** Creates the threads of the pool between two restarts, and counts how many of them run a task. */
    private static final class WorkerThreadFactory implements ThreadFactory {

        private static final ThreadLocal<WorkerThreadFactory> CURRENT = new ThreadLocal<>();

        final LimitChecker limit;
        final int maxZombies;
        private final boolean virtual;
        private final Set<Thread> threads;

        WorkerThreadFactory(LimitChecker limit, int maxZombies, boolean virtual, Set<Thread> threads) {
            this.limit = limit;
            this.maxZombies = maxZombies;
            this.virtual = virtual;
            this.threads = threads;
        }

        /** Returns the factory that created the current thread; {@code null} if it is no worker. */
        static @Nullable WorkerThreadFactory ofCurrentThread() {
            return CURRENT.get();
        }

        @Override
        public Thread newThread(Runnable worker) {
            Runnable tracked = () -> {
                CURRENT.set(this);
                try {
                    worker.run();
                } finally {
                    threads.remove(Thread.currentThread());
                }
            };
            Thread thread = virtual
                    ? Thread.ofVirtual().inheritInheritableThreadLocals(false).unstarted(tracked)
                    : Thread.ofPlatform()
                            .daemon()
                            .inheritInheritableThreadLocals(false)
                            .unstarted(tracked);
            threads.add(thread);
            return thread;
        }
    }

    private WorkerThreadFactory newThreadFactory(int maxWorkers, int maxZombies, boolean virtual) {
        LimitChecker limit = new LimitChecker(
                Check.WORKER_LIMIT, recorder, "start " + ++starts + " of the pool", maxWorkers + maxZombies);
        return new WorkerThreadFactory(limit, maxZombies, virtual, threads);
    }

    /** Applies random settings for the next start. Called while the pool is down. */
    private WorkerPoolBuilder randomize(WorkerPoolBuilder settings, RandomSource random) {
        int maxWorkers = random.between(1, MAX_WORKERS);
        int maxZombies = random.oneIn(2) ? 0 : random.between(1, MAX_ZOMBIES);
        threadFactory = newThreadFactory(maxWorkers, maxZombies, random.oneIn(3));
        settings.minWorkers(random.between(1, maxWorkers))
                .maxWorkers(maxWorkers)
                .maxZombies(maxZombies)
                .keepAlive(random.micros(0, 10_000))
                .grace(random.micros(0, 3000))
                .queueCapacity(random.oneOf(0, 20, 1000, Integer.MAX_VALUE))
                .rejectionPolicy(random.oneOf(FaceWorkload.REJECTION_POLICIES))
                .maxBlockTime(random.micros(0, 5000))
                .sizing(random.oneIn(4) ? Sizing.UTILIZATION : Sizing.MAX, 0.8)
                .threads(threadFactory);
        if (random.oneIn(2)) {
            settings.recovery(thrown -> InjectedException.throwIf(thrown instanceof Error, "a recovery"));
        }
        if (!hasPriorityAgeing && random.oneIn(20)) {
            hasPriorityAgeing = true; // the builder offers no way to remove it
            settings.priorityAgeing(Duration.ofMillis(1));
        }
        return settings;
    }

    // ---- operations ----------------------------------------------------------------------------------------------

    @Override
    public String name() {
        return "pool";
    }

    @Override
    public List<Operation> operations() {
        return List.of(
                Operation.of("pool submit", 30, this::submit),
                Operation.of("pool submit, cancel", 8, this::submitAndCancel),
                Operation.of("pool submit, await", 2, this::submitAndAwait),
                Operation.of("pool view", 1, this::useView));
    }

    private TrackedTask randomTask(RandomSource random, long opId) {
        TrackedTask task = new TrackedTask(
                tracker, opId, "pool", random.oneOf(GROUPS), TaskBehavior.random(random), TaskSpec.random(random));
        tracker.add(task);
        return task;
    }

    /** Thrown by {@link #submit(TrackedTask)} if the pool was shut down and not restarted yet. */
    static final class PoolDownException extends Exception {
        private static final long serialVersionUID = 1;

        PoolDownException() {
            super("the pool is down", null, false, false);
        }
    }

    private TaskHandle<Object> submit(TrackedTask task) throws Exception {
        Callable<Object> body = new TaskCode(task, this, recorder);
        int epochBefore = downEpoch.get();
        try {
            TaskHandle<Object> handle = PermitFreeThread.call(() -> {
                if (!task.group.isEmpty()) {
                    return pool.submit(task.group, context -> body.call(), task.spec.options());
                }
                return task.spec == TaskSpec.DEFAULT ? pool.submit(body) : pool.submit(body, task.spec.options());
            });
            task.handle = handle;
            submitted.increment();
            return handle;
        } catch (IllegalStateException e) {
            task.submitFailed = true;
            possiblySubmitted.increment();
            recorder.check(
                    Check.NO_STRAY_EXCEPTION,
                    epochBefore % 2 == 1 || downEpoch.get() != epochBefore,
                    task.opId,
                    () -> "the pool is not shut down, but submit threw " + e);
            throw new PoolDownException();
        }
    }

    private void submit(RandomSource random, long opId) throws Exception {
        submit(randomTask(random, opId));
    }

    private void submitAndCancel(RandomSource random, long opId) throws Exception {
        randomTask(random, opId).submitAndCancel(this::submit, random);
    }

    private void submitAndAwait(RandomSource random, long opId) throws Exception {
        try {
            submit(randomTask(random, opId)).await(random.below(3), TimeUnit.MILLISECONDS);
        } catch (RejectedTaskException e) {
            TrackedTask.checkNumbers(recorder, opId, e);
        }
    }

    private void useView(RandomSource random, long opId) throws Exception {
        ExecutorService view = pool.asExecutorService();
        List<Future<Object>> futures = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                possiblySubmitted.increment();
                futures.add(PermitFreeThread.call(() -> view.submit(() -> (Object) opId)));
            }
        } catch (RejectedTaskException e) {
            TrackedTask.checkNumbers(recorder, opId, e);
        }
        view.shutdown();
        boolean terminated = view.awaitTermination(watchdog.timeout().toSeconds(), TimeUnit.SECONDS);
        boolean done = terminated && futures.stream().allMatch(Future::isDone);
        recorder.check(Check.HANDLE_DONE, done, opId, () -> "a view of the pool does not terminate: " + view);
    }

    // ---- operations of the admin thread --------------------------------------------------------------------------

    @Override
    public List<Operation> adminOperations() {
        return List.of(
                Operation.of("pool setMaxWorkers", 10, this::setMaxWorkers),
                Operation.of("pool setMinWorkers", 5, this::setMinWorkers),
                Operation.of(
                        "pool setWeight",
                        3,
                        (random, opId) -> pool.setWeight(random.oneOf("a", "b", "c"), random.between(1, 3))),
                Operation.of("pool stats", 10, (random, opId) -> checkPermitsInUse()),
                Operation.of("pool restart", 1, this::restart));
    }

    private void setMaxWorkers(RandomSource random, long opId) {
        int maxWorkers = random.between(pool.stats().minWorkers(), MAX_WORKERS);
        WorkerThreadFactory factory = threadFactory;
        factory.limit.changeLimit(maxWorkers + factory.maxZombies, () -> pool.setMaxWorkers(maxWorkers));
    }

    private void setMinWorkers(RandomSource random, long opId) {
        pool.setMinWorkers(random.between(1, pool.stats().maxWorkers()));
    }

    /** Workers count as permits in use. The minimum keeps idle workers from failing the check; they only delay a lowered limit. */
    private void checkPermitsInUse() {
        LimitChecker limit = threadFactory.limit;
        limit.checkPermitsInUse(() -> Math.min(pool.stats().workers(), limit.limit()));
    }

    private void restart(RandomSource random, long opId) {
        downEpoch.incrementAndGet();
        shutDownPool(random, opId);
        if (random.oneIn(4) && running.get() == 0) { // tasks that still run are counted by the factory of their thread
            pool.restart();
        } else {
            pool.restart(settings -> randomize(settings, random));
        }
        tracker.endBulkCancel();
        downEpoch.incrementAndGet();
    }

    private void shutDownPool(RandomSource random, long opId) {
        switch (random.below(3)) {
            case 0 -> pool.shutdown();
            case 1 -> {
                tracker.beginBulkCancel();
                pool.shutdown(random.micros(0, 5000));
            }
            default -> {
                tracker.beginBulkCancel();
                for (TaskHandle<?> handle : pool.shutdownNow()) {
                    recorder.check(
                            Check.HANDLE_DONE,
                            handle.isDone(),
                            opId,
                            () -> "shutdownNow returned a handle that is not done: " + handle);
                }
            }
        }
    }

    // ---- checks on the threads of tasks --------------------------------------------------------------------------

    @Override
    public void enter(TrackedTask task) {
        running.incrementAndGet();
        WorkerThreadFactory factory = WorkerThreadFactory.ofCurrentThread();
        recorder.check(
                Check.WORKER_LIMIT, factory != null, task.opId, () -> "runs on no worker: " + Thread.currentThread());
        if (factory != null) {
            factory.limit.enter(task.opId);
        }
    }

    @Override
    public void exit(TrackedTask task) {
        WorkerThreadFactory factory = WorkerThreadFactory.ofCurrentThread();
        if (factory != null) {
            factory.limit.exit();
        }
        running.decrementAndGet();
    }

    @Override
    public void runningAfterOutcome(TrackedTask task) {
        int workers = pool.stats().workers();
        boolean down = downEpoch.get() % 2 == 1 || WorkerThreadFactory.ofCurrentThread() != threadFactory;
        recorder.check(
                Check.PERMIT_WHILE_RUNNING,
                workers > 0 || down,
                task.opId,
                () -> "the pool has no worker, but the task runs: " + task);
    }

    @Override
    public boolean usesFreshThreads() {
        return false;
    }

    // ---- checks --------------------------------------------------------------------------------------------------

    @Override
    public int outstandingTasks() {
        return tracker.size();
    }

    @Override
    public void verifyCompleted() {
        tracker.verifyCompleted(50, task -> task.verify(recorder, false));
    }

    @Override
    public void unblock() {
        checkPermitsInUse();
    }

    @Override
    public boolean isIdle() {
        WorkerPoolStats stats = pool.stats();
        return tracker.allCompleted()
                && running.get() == 0
                && stats.activeWorkers() == 0
                && stats.queuedTasks() == 0
                && stats.zombies() == 0;
    }

    @Override
    public void checkIdle() {
        tracker.verifyAll(task -> task.verify(recorder, false));
        WorkerPoolStats stats = pool.stats();
        recorder.check(
                Check.NO_PERMIT_WHEN_IDLE,
                stats.activeWorkers() == 0 && stats.zombies() == 0,
                0,
                () -> "the pool is idle with active workers: " + stats);
        ConservationCheck.checkOutcomes(recorder, "pool", stats.lifetimeCounts());
        ConservationCheck.checkSubmitted(
                recorder, "pool", stats.lifetimeCounts(), submitted.sum(), possiblySubmitted.sum());
    }

    // ---- scenarios -----------------------------------------------------------------------------------------------

    @Override
    public void runScenarios(RandomSource random) {
        restartWith(1, random);
        if (!hasPriorityAgeing) {
            startInPriorityOrder(random);
        }
        int workers = random.between(2, MAX_WORKERS);
        restartWith(workers, random);
        useEveryWorker(workers);
    }

    private void restartWith(int maxWorkers, RandomSource random) {
        downEpoch.incrementAndGet();
        pool.shutdown();
        pool.restart(settings -> randomize(settings, random)
                .minWorkers(1)
                .maxWorkers(maxWorkers)
                .sizing(Sizing.MAX, 1)
                .queueCapacity(Integer.MAX_VALUE));
        downEpoch.incrementAndGet();
        threadFactory.limit.changeLimit(maxWorkers + threadFactory.maxZombies, () -> {});
    }

    private void useEveryWorker(int workers) {
        AtomicInteger started = new AtomicInteger();
        CountDownLatch release = new CountDownLatch(1);
        List<TaskHandle<?>> handles = new ArrayList<>();
        for (int i = 0; i < workers + BACKLOG; i++) {
            handles.add(submitForScenario(0, () -> {
                started.incrementAndGet();
                FaceWorkload.awaitRelease(release);
            }));
        }
        watchdog.await(
                Check.ALL_PERMITS_USABLE,
                workers + " running tasks in the pool",
                () -> started.get() >= workers,
                () -> started + " are running: " + pool);
        int count = started.get();
        recorder.check(
                Check.WORKER_LIMIT, count == workers, 0, () -> count + " running tasks on " + workers + " workers");
        release.countDown();
        finish(handles);
    }

    /** The only worker is blocked until all tasks are queued. */
    private void startInPriorityOrder(RandomSource random) {
        CountDownLatch release = new CountDownLatch(1);
        List<OrderChecker.Queued> started = new ArrayList<>(); // guarded by itself
        List<TaskHandle<?>> handles = new ArrayList<>();
        handles.add(submitForScenario(0, () -> FaceWorkload.awaitRelease(release)));
        for (int i = 0; i < BACKLOG; i++) {
            OrderChecker.Queued queued = new OrderChecker.Queued(random.below(4), i);
            handles.add(submitForScenario(queued.priority(), () -> {
                synchronized (started) {
                    started.add(queued);
                }
            }));
        }
        release.countDown();
        finish(handles);
        synchronized (started) {
            OrderChecker.checkPriorities(recorder, "pool", started);
        }
    }

    private TaskHandle<?> submitForScenario(int priority, Runnable code) {
        recorder.countOperation("scenario task");
        submitted.increment();
        return pool.submit(code, TaskOptions.builder().priority(priority).build());
    }

    private void finish(List<TaskHandle<?>> handles) {
        watchdog.await(
                Check.BECOMES_IDLE,
                "a scenario in the pool to complete",
                () -> handles.stream().allMatch(TaskHandle::isDone)
                        && pool.stats().activeWorkers() == 0,
                pool::toString);
    }

    // ---- shutdown ------------------------------------------------------------------------------------------------

    /** Restarts the pool. Only {@link #close()} shuts it down for good. */
    @Override
    public void shutDown(RandomSource random) {
        restart(random, 0);
    }

    /** Closes the pool after the last round and checks that its workers terminate. */
    void close() {
        shutdown = true;
        downEpoch.incrementAndGet();
        pool.close();
        watchdog.await(
                Check.NO_THREAD_LEFT,
                "all workers to terminate",
                threads::isEmpty,
                () -> threads.size() + " are alive: " + threads);
    }

    @Override
    public boolean isShutdown() {
        return shutdown;
    }

    @Override
    public String diagnostics() {
        return "pool: " + pool + ", running " + running + ", down epoch " + downEpoch + ", threads " + threads.size()
                + ", incomplete:" + tracker.describeIncomplete();
    }
}
