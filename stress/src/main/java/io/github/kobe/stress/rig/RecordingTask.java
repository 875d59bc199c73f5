package io.github.kobe.stress.rig;

import io.github.kobe.internal.kernel.AttemptLimits;
import io.github.kobe.internal.kernel.AttemptState;
import io.github.kobe.internal.kernel.KernelTask;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** A task that records what happens to it. The kernel uses it as a {@link KernelTask}; a model calls it directly. */
public class RecordingTask extends KernelTask<Boolean> {

    static final long TIMEOUT_NANOS = 1000;

    private final RecordingTask predecessor;
    private final boolean hasListener;
    private final AttemptState attempts;
    private final int failures;
    private final AtomicInteger runs = new AtomicInteger();
    private final AtomicInteger outcomes = new AtomicInteger();

    private boolean ran; // not volatile: the hand-over of the permit has to publish it
    private boolean inOrder;
    private volatile boolean cancelled;

    /** A task without a predecessor. */
    public RecordingTask() {
        this(null, false);
    }

    /**
     * @param attempts its limits, for the kernel; the race tells a model which timer event is due
     * @param failures the number of attempts that fail
     */
    private RecordingTask(AttemptState attempts, int failures) {
        this.predecessor = null;
        this.hasListener = false;
        this.attempts = attempts;
        this.failures = failures;
    }

    /** @param predecessor the task whose body must have left its thread before this one runs */
    public RecordingTask(RecordingTask predecessor) {
        this(predecessor, false);
    }

    RecordingTask(RecordingTask predecessor, boolean hasListener) {
        this.predecessor = predecessor;
        this.hasListener = hasListener;
        this.attempts = null;
        this.failures = 0;
    }

    /** A task with a max queue time, whose first {@code failures} attempts fail. */
    public static RecordingTask withMaxQueueTime(int failures) {
        return new RecordingTask(new AttemptState(0, TIMEOUT_NANOS, AttemptLimits.NONE, false), failures);
    }

    /** A task with a timeout, whose first {@code failures} attempts fail. */
    public static RecordingTask withTimeout(int failures) {
        return new RecordingTask(new AttemptState(0, AttemptLimits.NONE, TIMEOUT_NANOS, false), failures);
    }

    /** A task whose first attempt fails. */
    public static RecordingTask failingOnce() {
        return new RecordingTask(new AttemptState(0, AttemptLimits.NONE, AttemptLimits.NONE, false), 1);
    }

    /** A task whose first attempt fails, and which keeps its permit until the second. */
    public static RecordingTask failingOnceKeepingPermit() {
        return new RecordingTask(new AttemptState(0, AttemptLimits.NONE, AttemptLimits.NONE, true), 1);
    }

    /** A task that takes {@code cost} permits. */
    public static RecordingTask costing(int cost) {
        AttemptLimits limits =
                new AttemptLimits(0, AttemptLimits.NONE, AttemptLimits.NONE, AttemptLimits.NONE, false, false, cost);
        return new RecordingTask(new AttemptState(limits), 0);
    }

    /** A task with a listener. The kernel completes it on another path. */
    public static RecordingTask withListener() {
        return new RecordingTask(null, true);
    }

    // ---- called by the scheduler under test ----------------------------------------------------------------------

    /** The body of the task. */
    public final void runBody() {
        inOrder = predecessor == null || predecessor.ran;
        ran = true;
        runs.incrementAndGet();
    }

    /** Records an outcome, as a listener is notified of it. */
    public final void recordOutcome(boolean succeeded) {
        cancelled = !succeeded;
        outcomes.incrementAndGet();
    }

    /** Whether the attempt that ran last failed. */
    public final boolean lastAttemptFailed() {
        return runs.get() <= failures;
    }

    // ---- called by the race --------------------------------------------------------------------------------------

    /** How often its body ran. */
    public final int runCount() {
        return runs.get();
    }

    /** How many outcomes it has. Without a listener, the completion of the kernel counts as one. */
    public final int outcomeCount() {
        return outcomes.get() + (!hasListener && isCompleted() ? 1 : 0);
    }

    /** Whether its last outcome was a cancellation. */
    public final boolean wasCancelled() {
        return isCompleted() ? !completion().join() : cancelled;
    }

    /** Whether it ran once, after its predecessor. */
    public final boolean ranInOrder() {
        return runCount() == 1 && inOrder;
    }

    // ---- called by the kernel ------------------------------------------------------------------------------------

    @Override
    protected Boolean execute() {
        runBody();
        return true;
    }

    @Override
    protected Boolean failed(Throwable fault) {
        throw new AssertionError("the runner never rejects a start, and the body never throws", fault);
    }

    @Override
    protected Boolean cancelled(String why) {
        return false;
    }

    @Override
    protected AttemptState attempts() {
        return attempts;
    }

    @Override
    protected long retryDelay(Object result) {
        return lastAttemptFailed() ? TIMEOUT_NANOS : -1;
    }

    @Override
    protected boolean hasListeners() {
        return hasListener;
    }

    @Override
    protected void notifyCompleted(Boolean succeeded) {
        if (hasListener) {
            recordOutcome(succeeded);
        }
        publishResult(succeeded);
    }

    final boolean cancelWithoutInterrupt() {
        return cancel(false, "by the race"); // the thread belongs to jcstress
    }

    final boolean isOutcomeKnown() {
        return isCompleted();
    }

    final CompletableFuture<Boolean> sharedFuture() {
        return completion();
    }

    final CompletableFuture<Boolean> userFuture() {
        CompletableFuture<Boolean> future = new CompletableFuture<>();
        completeDependent(future);
        return future;
    }
}
