package io.github.kobe.soak;

import io.github.kobe.TaskHandle;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** An isolation executor with the watches that belong to it. */
final class IsolationRig implements ExecutionMonitor {

    private static final Set<String> VIPS = Set.of("tenant-0", "tenant-1");

    final Recorder recorder;
    final Watchdog patience;
    final TaskTracker troupe = new TaskTracker();
    private volatile Wish wish;
    private volatile @Nullable Wish offered; // by the supplier of budgets
    private volatile @Nullable Wish inForce;
    final LimitChecker watch;
    final IsolationExecutor executor;
    final LongAdder surelyHandedIn = new LongAdder();
    final LongAdder maybeHandedIn = new LongAdder();
    volatile boolean whiteList;
    private final AtomicInteger asked = new AtomicInteger();

    IsolationRig(RandomSource random, Recorder recorder, Watchdog patience) {
        this.recorder = recorder;
        this.patience = patience;
        this.wish = new Wish(random.between(4, 12));
        this.watch = new LimitChecker(Check.ISOLATION_LIMIT, recorder, "isolation", wish.budget());
        IsolationPolicy.Builder policy = IsolationPolicy.builder()
                .name("soak")
                .maxConcurrency(this::askForBudget)
                .whiteList(this::askForWhiteList)
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

    /** A budget that was asked for; each of them another, so that it is known which one is in force. */
    private static final class Wish {
        private final int budget;

        Wish(int budget) {
            this.budget = budget;
        }

        int budget() {
            return budget;
        }
    }

    private int askForBudget() {
        int calls = asked.incrementAndGet();
        offered = null;
        InjectedException.throwIf(calls > 1 && calls % 7 == 0, "a supplier");
        if (calls > 1 && calls % 11 == 0) {
            return 0; // out of range, and not to be heeded
        }
        Wish now = wish;
        offered = now;
        return now.budget();
    }

    /** Asked for after each budget that was heeded, when that is in force. */
    private Set<String> askForWhiteList() {
        inForce = offered;
        return whiteList ? VIPS : Set.of();
    }

    void wishFor(int budget) {
        watch.changeLimit(budget, () -> wish = new Wish(budget));
    }

    boolean isWishInForce() {
        return inForce == wish;
    }

    TrackedTask probe(long op, String key, TaskBehavior plot) {
        TrackedTask probe = new TrackedTask(troupe, op, "isolation", key, plot, TaskSpec.DEFAULT);
        troupe.add(probe);
        return probe;
    }

    Callable<Object> body(TrackedTask probe) {
        TaskBody body = new TaskBody(probe, this, recorder);
        return () -> {
            recorder.check(
                    Check.FAITHFUL_OUTCOME,
                    IsolationExecutor.currentLane() != null,
                    probe.opId,
                    () -> "runs in no lane: " + probe);
            return body.call();
        };
    }

    /** Hands it in; it may be handed in up to three times behind the scenes, if there is no room. */
    TaskHandle<Object> submit(TrackedTask probe, boolean fallback) throws Exception {
        try {
            TaskHandle<Object> handle = PermitFreeThread.call(() -> fallback
                    ? executor.submit(probe.group, body(probe), (key, reason) -> {
                        probe.fallbackCalls.incrementAndGet();
                        InjectedException.throwIf(probe.opId % 3 == 0, "a fallback");
                    })
                    : executor.submit(probe.group, body(probe)));
            probe.handle = handle;
            surelyHandedIn.increment();
            maybeHandedIn.add(2);
            return handle;
        } catch (Throwable refused) {
            maybeHandedIn.increment();
            probe.submitFailed = true;
            throw refused;
        }
    }

    @Override
    public void enter(TrackedTask probe) {
        watch.enter(probe.opId);
    }

    @Override
    public void exit(TrackedTask probe) {
        watch.exit();
    }

    @Override
    public void runningAfterOutcome(TrackedTask probe) {
        int running = executor.stats().running();
        recorder.check(
                Check.PERMIT_WHILE_RUNNING,
                running > 0 || troupe.isBulkCancelling(),
                probe.opId,
                () -> "nothing is running, but it is: " + probe);
    }

    @Override
    public boolean usesFreshThreads() {
        return true;
    }
}
