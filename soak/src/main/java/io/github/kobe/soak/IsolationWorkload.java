package io.github.kobe.soak;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.isolation.IsolationStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Load on an {@link IsolationExecutor}. */
final class IsolationWorkload implements FaceWorkload, ExecutionMonitor {

    private static final int TENANTS = 12;
    private static final int TRANSIENT_TENANTS = 500;
    private static final Set<String> WHITE_LIST = Set.of("tenant-0", "tenant-1");

    private final CheckRecorder recorder;
    private final Watchdog watchdog;
    private final TaskTracker tracker = new TaskTracker();
    private final IsolationExecutor executor;
    private final LongAdder submitted = new LongAdder();
    private final LongAdder possiblySubmitted = new LongAdder();

    /** Tasks with a fallback that are not checked yet. */
    private final Queue<TrackedTask> withFallback = new ConcurrentLinkedQueue<>();

    private final LimitChecker limit;
    private final AtomicInteger limitReads = new AtomicInteger();

    /** The limit that was requested last. */
    private volatile RequestedLimit requestedLimit;

    /** The limit that the supplier returned last; {@code null} if it returned an invalid one or threw. */
    private volatile @Nullable RequestedLimit suppliedLimit;

    /** The limit that the executor uses. */
    private volatile @Nullable RequestedLimit appliedLimit;

    private volatile boolean usesWhiteList;
    private volatile boolean shutdown;

    /** A value of {@code maxConcurrency}. Compared by identity: a request for the same value is another request. */
    private static final class RequestedLimit {
        final int value;

        RequestedLimit(int value) {
            this.value = value;
        }
    }

    IsolationWorkload(RandomSource random, CheckRecorder recorder, Watchdog watchdog) {
        this.recorder = recorder;
        this.watchdog = watchdog;
        this.requestedLimit = new RequestedLimit(random.between(4, 12));
        this.limit = new LimitChecker(Check.ISOLATION_LIMIT, recorder, "isolation", requestedLimit.value);
        IsolationPolicy.Builder policy = IsolationPolicy.builder()
                .name("soak")
                .maxConcurrency(this::supplyLimit)
                .whiteList(this::supplyWhiteList)
                .slowThreshold(Duration.ofMillis(random.between(1, 5)))
                .targetWait(Duration.ofMillis(random.between(1, 3)))
                .statsWindow(Duration.ofMillis(random.between(20, 200)))
                .queueCapacity(random.oneOf(0, 50, 500, 100_000))
                .maxTrackedKeys(random.oneOf(0, 20, 100_000))
                .listener(decision -> InjectedException.throwIf(decision.hashCode() % 3 == 0, "a listener"));
        if (random.oneIn(3)) {
            policy.taskExpiry(random.micros(500, 10_000));
        }
        this.executor = IsolationExecutor.create(policy.build());
    }

    // ---- suppliers of settings -----------------------------------------------------------------------------------

    /** Supplies the requested limit. Some calls throw or return 0, which the executor must ignore. */
    private int supplyLimit() {
        int reads = limitReads.incrementAndGet();
        suppliedLimit = null;
        InjectedException.throwIf(reads > 1 && reads % 7 == 0, "a supplier");
        if (reads > 1 && reads % 11 == 0) {
            return 0;
        }
        RequestedLimit requested = requestedLimit;
        suppliedLimit = requested;
        return requested.value;
    }

    /** The executor reads the white list after it has applied a valid limit. */
    private Set<String> supplyWhiteList() {
        appliedLimit = suppliedLimit;
        return usesWhiteList ? WHITE_LIST : Set.of();
    }

    private void requestLimit(int value) {
        limit.changeLimit(value, () -> requestedLimit = new RequestedLimit(value));
    }

    private boolean isRequestedLimitApplied() {
        return appliedLimit == requestedLimit;
    }

    // ---- operations ----------------------------------------------------------------------------------------------

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

    /** Creates a task. The first half of the tenants is fast, the second half slow. One task in five has a tenant that is rarely used. */
    private TrackedTask randomTask(RandomSource random, long opId) {
        int tenant = random.below(TENANTS);
        TaskBehavior behavior = tenant < TENANTS / 2
                ? random.oneOf(TaskBehavior.RETURN, TaskBehavior.YIELD, TaskBehavior.THROW)
                : TaskBehavior.random(random);
        String key = random.oneIn(5) ? "transient-" + random.below(TRANSIENT_TENANTS) : "tenant-" + tenant;
        TrackedTask task = new TrackedTask(tracker, opId, "isolation", key, behavior, TaskSpec.DEFAULT);
        tracker.add(task);
        return task;
    }

    private Callable<Object> bodyOf(TrackedTask task) {
        TaskCode body = new TaskCode(task, this, recorder);
        return () -> {
            recorder.check(
                    Check.FAITHFUL_OUTCOME,
                    IsolationExecutor.currentLane() != null,
                    task.opId,
                    () -> "runs in no lane: " + task);
            return body.call();
        };
    }

    /** Submits a task. If there is no room, the executor may count up to three submissions. */
    private TaskHandle<Object> submit(TrackedTask task, boolean hasFallback) throws Exception {
        try {
            TaskHandle<Object> handle = PermitFreeThread.call(() -> hasFallback
                    ? executor.submit(task.group, bodyOf(task), (key, reason) -> {
                        task.fallbackCalls.incrementAndGet();
                        InjectedException.throwIf(task.opId % 3 == 0, "a fallback");
                    })
                    : executor.submit(task.group, bodyOf(task)));
            task.handle = handle;
            submitted.increment();
            possiblySubmitted.add(2);
            return handle;
        } catch (Throwable thrown) {
            possiblySubmitted.increment();
            task.submitFailed = true;
            throw thrown;
        }
    }

    private void submit(RandomSource random, long opId) throws Exception {
        submit(randomTask(random, opId), false);
    }

    private void submitWithFallback(RandomSource random, long opId) throws Exception {
        TrackedTask task = randomTask(random, opId);
        submit(task, true);
        withFallback.add(task);
    }

    private void submitAndCancel(RandomSource random, long opId) throws Exception {
        randomTask(random, opId).submitAndCancel(task -> submit(task, false), random);
    }

    private void execute(RandomSource random, long opId) {
        possiblySubmitted.add(3);
        boolean fail = random.oneIn(5);
        try {
            executor.execute("tenant-" + random.below(TENANTS), () -> {
                limit.enter(opId);
                try {
                    InjectedException.throwIf(fail, "an executed task");
                } finally {
                    limit.exit();
                }
            });
        } catch (RejectedTaskException e) {
            TrackedTask.checkNumbers(recorder, opId, e);
        }
    }

    @Override
    public List<Operation> adminOperations() {
        return List.of(
                Operation.of("isolation change of maxConcurrency", 3, this::changeLimit),
                Operation.of("isolation change of white list", 2, (random, opId) -> usesWhiteList = !usesWhiteList),
                Operation.of("isolation stats", 10, (random, opId) -> checkPermitsInUse()));
    }

    private void changeLimit(RandomSource random, long opId) {
        requestLimit(random.between(1, 12));
    }

    /** Does nothing if the executor does not use the requested limit yet. */
    private void checkPermitsInUse() {
        if (isRequestedLimitApplied()) {
            limit.checkPermitsInUse(() -> executor.stats().running());
        }
    }

    // ---- checks on the threads of tasks --------------------------------------------------------------------------

    @Override
    public void enter(TrackedTask task) {
        limit.enter(task.opId);
    }

    @Override
    public void exit(TrackedTask task) {
        limit.exit();
    }

    @Override
    public void runningAfterOutcome(TrackedTask task) {
        int running = executor.stats().running();
        recorder.check(
                Check.PERMIT_WHILE_RUNNING,
                running > 0 || tracker.isBulkCancelling(),
                task.opId,
                () -> "the executor reports no running task, but the task runs: " + task);
    }

    @Override
    public boolean usesFreshThreads() {
        return true;
    }

    // ---- checks --------------------------------------------------------------------------------------------------

    @Override
    public int outstandingTasks() {
        return tracker.size();
    }

    @Override
    public void verifyCompleted() {
        tracker.verifyCompleted(50, task -> task.verify(recorder, false));
        if (withFallback.size() > 5000) {
            checkFallbacks();
        }
    }

    @Override
    public void unblock() {
        checkPermitsInUse();
    }

    @Override
    public boolean isIdle() {
        IsolationStats stats = executor.stats();
        return tracker.allCompleted() && limit.running() == 0 && stats.running() == 0 && stats.queued() == 0;
    }

    /** Checks the tasks whose fallback was called or will never be called. The others stay in the queue. */
    private void checkFallbacks() {
        int size = withFallback.size();
        for (int i = 0; i < size; i++) {
            TrackedTask task = withFallback.poll();
            if (task == null) {
                return;
            }
            TaskHandle<?> handle = task.handle;
            if (handle == null || !handle.isDone() || isFallbackPending(task, handle)) {
                withFallback.add(task);
            } else {
                checkFallback(recorder, task, statusOf(handle));
            }
        }
    }

    private static boolean isFallbackPending(TrackedTask task, TaskHandle<?> handle) {
        return statusOf(handle) == TaskStatus.REJECTED && task.fallbackCalls.get() == 0;
    }

    /** Reads the status of a handle that is done. Unlike {@code await}, this is not affected by an interrupt of the current thread. */
    private static TaskStatus statusOf(TaskHandle<?> handle) {
        return handle.toCompletableFuture().join().status();
    }

    static void checkFallback(CheckRecorder recorder, TrackedTask task, TaskStatus status) {
        int expected = status == TaskStatus.REJECTED ? 1 : 0;
        recorder.check(
                Check.FALLBACK_ONCE,
                task.fallbackCalls.get() == expected,
                task.opId,
                () -> "outcome " + status + ", fallback called " + task.fallbackCalls + " times: " + task);
    }

    @Override
    public void checkIdle() {
        Thread.interrupted();
        watchdog.await(
                Check.FALLBACK_ONCE,
                "the last fallback to be called",
                () -> {
                    checkFallbacks();
                    return withFallback.isEmpty();
                },
                () -> withFallback.size() + " fallbacks were not called, for example that of " + withFallback.peek());
        tracker.verifyAll(task -> task.verify(recorder, false));
        IsolationStats stats = executor.stats();
        recorder.check(
                Check.NO_PERMIT_WHEN_IDLE,
                stats.running() == 0,
                0,
                () -> "isolation is idle with running tasks: " + stats);
        ConservationCheck.checkOutcomes(recorder, "isolation", stats.counts());
        if (!shutdown) {
            ConservationCheck.checkSubmitted(
                    recorder, "isolation", stats.counts(), submitted.sum(), possiblySubmitted.sum());
        }
    }

    // ---- scenarios -----------------------------------------------------------------------------------------------

    @Override
    public void runScenarios(RandomSource random) {
        runBesideStuckTenant();
        watchdog.await(
                Check.IDLE_GROUPS_RETIRED,
                "the isolation executor to retire all keys",
                () -> executor.stats().keys().isEmpty(),
                () -> "it still tracks " + executor.stats().keys().keySet());
    }

    /** One tenant is stuck with half of the permits. The tasks of other tenants complete meanwhile. */
    private void runBesideStuckTenant() {
        int maxConcurrency = 8;
        requestLimit(maxConcurrency);
        boolean applied = watchdog.await(
                Check.BECOMES_IDLE,
                "a new value of maxConcurrency to apply",
                () -> {
                    submitToRefreshSettings();
                    return isRequestedLimitApplied() && executor.stats().maxConcurrency() == maxConcurrency;
                },
                executor::toString);
        if (!applied) {
            return;
        }
        CountDownLatch release = new CountDownLatch(1);
        List<TaskHandle<?>> stuck = new ArrayList<>();
        for (int i = 0; i < maxConcurrency / 2; i++) {
            stuck.add(submitForScenario("stuck", () -> FaceWorkload.awaitRelease(release)));
        }
        boolean completed = runOneByOne(30);
        recorder.check(
                Check.STUCK_GROUP_BLOCKS_NO_OTHER,
                completed,
                0,
                () -> "a stuck tenant blocks other tenants: " + executor);
        release.countDown();
        watchdog.await(
                Check.BECOMES_IDLE,
                "the tasks of a stuck tenant to complete",
                () -> stuck.stream().allMatch(TaskHandle::isDone)
                        && executor.stats().running() == 0,
                executor::toString);
    }

    private boolean runOneByOne(int tasks) {
        boolean completed = true;
        for (int i = 0; i < tasks && completed; i++) {
            TaskHandle<?> handle = submitForScenario("other-" + i % 5, () -> {});
            completed = watchdog.await(
                    Check.STUCK_GROUP_BLOCKS_NO_OTHER,
                    "a task beside a stuck tenant to complete",
                    handle::isDone,
                    executor::toString);
        }
        return completed;
    }

    /** The executor reads its settings only while it has tasks. */
    private void submitToRefreshSettings() {
        submitForScenario("refresh", () -> {});
        LockSupport.parkNanos(1_000_000);
    }

    private TaskHandle<?> submitForScenario(String key, Runnable code) {
        recorder.countOperation("scenario task");
        submitted.increment();
        possiblySubmitted.add(2);
        return executor.submit(key, () -> {
            code.run();
            return key;
        });
    }

    // ---- shutdown ------------------------------------------------------------------------------------------------

    @Override
    public void shutDown(RandomSource random) {
        shutdown = true;
        tracker.beginBulkCancel();
        switch (random.below(3)) {
            case 0 -> executor.shutdown();
            case 1 -> executor.close();
            default -> executor.shutdown(random.micros(0, 5000));
        }
    }

    @Override
    public boolean isShutdown() {
        return shutdown;
    }

    @Override
    public String diagnostics() {
        return "isolation: " + executor + ", running " + limit.running() + ", incomplete:"
                + tracker.describeIncomplete();
    }
}
