package io.github.kobe.stress.rig;

import io.github.kobe.internal.kernel.AttemptLimits;
import io.github.kobe.internal.kernel.AttemptState;
import io.github.kobe.internal.kernel.KernelTask;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** A piece of work that takes notes of what happens to it. The kernel sees a ticket; a model calls it directly. */
public class RecordingTask extends KernelTask<Boolean> {

    static final long SOME_TIME = 1000;

    private final RecordingTask before;
    private final boolean observed;
    private final AttemptState plan;
    private final int failures;
    private final AtomicInteger runs = new AtomicInteger();
    private final AtomicInteger ends = new AtomicInteger();

    private boolean worked; // plain on purpose: handing a place on has to publish it
    private boolean inOrder;
    private volatile boolean cancelled;

    /** A job that waits for nobody. */
    public RecordingTask() {
        this(null, false);
    }

    /**
     * @param plan its wishes, for the kernel; a model is told what is due by the race
     * @param failures how many attempts fail
     */
    private RecordingTask(AttemptState plan, int failures) {
        this.before = null;
        this.observed = false;
        this.plan = plan;
        this.failures = failures;
    }

    /** @param before the job that has to be off its thread before this one may run */
    public RecordingTask(RecordingTask before) {
        this(before, false);
    }

    RecordingTask(RecordingTask before, boolean observed) {
        this.before = before;
        this.observed = observed;
        this.plan = null;
        this.failures = 0;
    }

    /** A job that does not wait for ever for its start, and of which so many attempts fail. */
    public static RecordingTask expiring(int failures) {
        return new RecordingTask(new AttemptState(0, SOME_TIME, AttemptState.NONE, false), failures);
    }

    /** A job that may not run for ever, and of which so many attempts fail. */
    public static RecordingTask timed(int failures) {
        return new RecordingTask(new AttemptState(0, AttemptState.NONE, SOME_TIME, false), failures);
    }

    /** A job whose first attempt fails. */
    public static RecordingTask failing() {
        return new RecordingTask(new AttemptState(0, AttemptState.NONE, AttemptState.NONE, false), 1);
    }

    /** A job whose first attempt fails, and which keeps its place until the second. */
    public static RecordingTask failingInPlace() {
        return new RecordingTask(new AttemptState(0, AttemptState.NONE, AttemptState.NONE, true), 1);
    }

    /** A job whose end is announced to an observer, which for the kernel is another way to the same end. */
    public static RecordingTask observed() {
        return new RecordingTask(null, true);
    }

    // ---- what a subject does to it -------------------------------------------------------------------------------

    /** The work. */
    public final void work() {
        inOrder = before == null || before.worked;
        worked = true;
        runs.incrementAndGet();
    }

    /** The end, as observers hear of it. */
    public final void end(boolean ran) {
        cancelled = !ran;
        ends.incrementAndGet();
    }

    /** Whether the attempt that has just run failed. */
    public final boolean failed() {
        return runs.get() <= failures;
    }

    // ---- what a race asks it -------------------------------------------------------------------------------------

    /** How often it ran. */
    public final int runs() {
        return runs.get();
    }

    /** How often it ended. That of a ticket nobody observes is known to those who wait only, once. */
    public final int ends() {
        return ends.get() + (!observed && isCompleted() ? 1 : 0);
    }

    /** Whether its last end was a cancellation. */
    public final boolean wasCancelled() {
        return isCompleted() ? !completion().join() : cancelled;
    }

    /** Whether it ran, and only after the job before it. */
    public final boolean ranInOrder() {
        return runs() == 1 && inOrder;
    }

    // ---- what the kernel needs -----------------------------------------------------------------------------------

    @Override
    protected Boolean execute() {
        work();
        return true;
    }

    @Override
    protected Boolean failed(Throwable fault) {
        throw new AssertionError("the crank never refuses, and the work never throws", fault);
    }

    @Override
    protected Boolean cancelled(String why) {
        return false;
    }

    @Override
    protected AttemptState attempts() {
        return plan;
    }

    @Override
    protected long retryDelay(Object result) {
        return failed() ? SOME_TIME : -1;
    }

    @Override
    protected boolean hasListeners() {
        return observed;
    }

    @Override
    protected void notifyCompleted(Boolean ran) {
        if (observed) {
            end(ran);
        }
        publishResult(ran);
    }

    final boolean cancelTicket() {
        return cancel(false, "by the race"); // no interrupt: the thread belongs to jcstress
    }

    final boolean isTicketEnded() {
        return isCompleted();
    }

    final CompletableFuture<Boolean> waiter() {
        return completion();
    }

    final CompletableFuture<Boolean> view() {
        CompletableFuture<Boolean> view = new CompletableFuture<>();
        completeDependent(view);
        return view;
    }
}
