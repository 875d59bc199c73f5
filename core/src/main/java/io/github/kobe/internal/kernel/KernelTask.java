package io.github.kobe.internal.kernel;

import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One piece of work on its way through the kernel.
 *
 * <p>A face extends it: {@link #execute()} is the work, {@link #cancelled(String)}, {@link #failed(Throwable)} and
 * {@link #terminated(Ousting)} turn what happened into the face's own kind of result, {@link #notifyStarted} and {@link #notifyCompleted}
 * tell its observers.
 *
 * <p>A place is given back by the thread that did the work, always, and by nobody else, whoever decided the end; if there was no thread
 * to be had, by the one who asked for it; if it keeps its place between two attempts, by whoever takes it out of DELAYED for good.
 *
 * <p>A canceller writes {@code end}, then reads {@code thread}; the ticket's thread writes {@code thread}, then reads
 * {@code end}; each has a compare-and-set in between. So a cancelled ticket either does not begin or is interrupted. How it waits, and
 * how others end it, is in {@link Standing}.
 *
 * @param <R> what a waiter gets
 */
public abstract class KernelTask<R> extends Standing<R> implements Runnable {

    /** The thread to interrupt, while the work is on it. */
    private @Nullable Thread thread;

    @Override
    final KernelTask<R> asTask() {
        return this;
    }

    // ---- what a face says ----------------------------------------------------------------------------------------

    /**
     * Does the work. Runs on the ticket's own thread, holding a place.
     *
     * @return the result, or something that {@link #unpack} makes it from if anyone ever asks
     */
    protected abstract Object execute();

    /** The result, maybe packed, of a ticket whose {@link #execute} threw, or that no thread could be had for. */
    protected abstract Object failed(Throwable fault);

    /**
     * After an attempt, on its thread: whether there is to be another. Only asked if it has a plan, and has not ended otherwise.
     *
     * @param result what {@link #execute} returned
     * @return how many nanoseconds from now, or -1 if {@code result} is the end
     */
    protected long retryDelay(Object result) {
        return -1;
    }

    /** It is let in, as the {@code number}th of its group, counted from 1. Before any other thread can see it. */
    protected void admitted(long number) {}

    /**
     * Its work is about to begin, maybe once more.
     *
     * @return whether that is to be counted, see {@link StandaloneGroup#startedCount}
     */
    protected boolean countsStart() {
        return false;
    }

    /** What the clock says when its work begins. A face may be content with what it said a moment ago. */
    protected long startTime() {
        return home().now();
    }

    /** What the clock says when its work is over, with {@code result}; the same goes. */
    protected long endTime(@Nullable Object result) {
        return home().now();
    }

    /**
     * The work of an attempt is done: calls {@link #finishAttempt}, with the same. A face may do so later, on another thread; once, or the
     * ticket never ends.
     */
    protected void attemptReturned(int place, Object result) {
        finishAttempt(place, result);
    }

    /** The slot of the tally that an end with {@code result} is counted in; -1 for none. */
    protected int counterSlot(Object result) {
        return -1;
    }

    /** What else an end is counted under; empty for nothing. */
    protected String counterTag() {
        return "";
    }

    /**
     * Tells observers that the work is about to begin. Only called if {@link #hasListeners}.
     *
     * @param takeOver goes on in this thread's stead if the observers never return
     * @return false if someone else has gone on, and this thread is not to
     */
    protected boolean notifyStarted(Runnable takeOver) {
        return true;
    }

    /** It was on a thread, or none could be had, and will not be on one again. The last call for it; none if it ends in line. */
    protected void onFinished() {}

    /**
     * It has its place: has its work done.
     *
     * @return false if that is not wanted any more; then the place is the caller's
     * @throws RuntimeException or an {@link Error} if no thread can be had; then the place is the caller's too
     */
    protected boolean launch(TaskRunner runner) {
        runner.start(this);
        return true;
    }

    /**
     * Whether its end is told before its place goes back. The other way round whoever waited finds the place free; this way, whoever
     * waits for the last place to come back finds that all is told.
     */
    protected boolean completesBeforeRelease() {
        return home().isClosed();
    }

    /** Has {@code work} done by {@link #execute}. */
    protected final <T> T perform(TaskBody<T> work) throws Exception {
        return work.call(home(), Math.max(0, waitedNanos()));
    }

    // ---- on a thread ---------------------------------------------------------------------------------------------

    /** One attempt's whole life on a thread. The runner calls it, once for each attempt. */
    @Override
    public final void run() {
        int place = register();
        if (!hasListeners() || isDecided() || isRetry()) {
            work(place);
        } else if (notifyStarted(() -> home().spawn(() -> workOnAnotherThread(place)))) {
            Thread.interrupted(); // of an observer's making; a canceller decides before it interrupts, and work looks
            work(place);
        }
    }

    private void work(int place) {
        if (startedAt == 0) {
            startedAt = startTime();
        }
        if (isDecided()) {
            finishTask(place, null);
            return;
        }
        begin();
        if (countsStart()) {
            home().running().countStart(place);
        }
        attemptReturned(place, result());
    }

    private void workOnAnotherThread(int place) {
        thread = Thread.currentThread();
        VarHandle.fullFence(); // as in arrive
        work(place);
    }

    /**
     * Makes itself known to cancellers, by {@code thread}, and to a shutdown, by the running set, whose compare-and-set keeps
     * what is written before it and what is read after it apart: either they see us, or we see what they decided.
     */
    final int register() {
        thread = Thread.currentThread();
        AttemptState plan = attempts();
        int place;
        if (plan != null && plan.hasSlot()) {
            place = plan.slot();
            VarHandle.fullFence(); // in the stead of the compare-and-set
        } else {
            place = home().running().add(this);
            if (plan != null) {
                plan.setSlot(place);
            }
        }
        checkStopped();
        return place;
    }

    /** Its budget runs from here. */
    final void begin() {
        AttemptState plan = attempts();
        if (plan != null) {
            plan.started(this, home(), startedAt);
        }
    }

    private Object result() {
        try {
            return execute();
        } catch (Throwable fault) {
            return failed(fault);
        }
    }

    /** An attempt is over. For {@link #attemptReturned}. */
    protected final void finishAttempt(int place, Object result) {
        AttemptState plan = attempts();
        if (plan != null && !isDecided()) {
            long delay = retryDelay(result);
            if (delay >= 0) {
                scheduleRetry(plan, delay);
                return;
            }
        }
        finishTask(place, result);
    }

    /**
     * The work is off the thread. The place goes back before the waiters hear of the end, so that whoever waited can count
     * on it: submit, wait, submit again never finds its own last task in the way.
     */
    final void finishTask(int place, @Nullable Object result) {
        thread = null;
        Group home = home();
        long now = endTime(result);
        recordAttempt(home, now);
        AttemptState plan = attempts();
        if (plan != null) {
            plan.clearSlot();
            plan.cancelTimeout(home.timer());
        }
        boolean endsFirst = completesBeforeRelease();
        if (result != null && endsFirst) {
            tryComplete(result);
        }
        home.running().remove(place);
        home.release(startedAt, now);
        if (result != null && !endsFirst) {
            tryComplete(result);
        }
        onFinished();
    }

    /** In line, of one that has a place; below 0 if whoever started it had looked at the clock before it was put there. */
    private long waitedNanos() {
        return queuedOrCompletedAt == 0 ? 0 : startedAt - queuedOrCompletedAt;
    }

    private void recordAttempt(Group home, long now) {
        TaskTimes times = home.times();
        if (times != null) {
            times.record(waitedNanos(), now - startedAt);
        }
        queuedOrCompletedAt = now;
    }

    /**
     * It is not run by us, and the one who did the work gives the place back. Unless someone wants to know how long it was held, the
     * clock is not looked at: that would cost more than all the rest.
     */
    final void releasePermit() {
        Group home = home();
        if (!home.recordsPermitTimes()) {
            home.release(0, 0);
            return;
        }
        long now = home.now();
        recordAttempt(home, now);
        home.release(startedAt, now);
    }

    /** It is not run by us, and has its place: its start is now, if it did not have to wait, and if anyone wants to know. */
    final void recordStart() {
        if (startedAt == 0 && home().recordsPermitTimes()) {
            startedAt = home().now();
        }
    }

    /** No thread could be had. The place is the caller's business. */
    final void startFailed(Throwable fault) {
        startedAt = home().now();
        queuedOrCompletedAt = startedAt;
        AttemptState plan = attempts();
        if (plan != null) {
            discard(plan);
        }
        tryComplete(failed(fault));
        onFinished();
    }

    /** Runs the work on the calling thread, without a place, once. For a ticket that was not admitted. */
    public final void runOnCaller() {
        if (!hasListeners() || notifyStarted(() -> home().spawn(this::workOnCaller))) {
            workOnCaller();
        }
    }

    private void workOnCaller() {
        startedAt = home().now();
        Object result = result();
        queuedOrCompletedAt = home().now();
        tryComplete(result);
        onFinished();
    }

    /** Ends a ticket that was not admitted, with an end of the face's choosing. */
    public final void completeUnadmitted(R result) {
        tryComplete(result);
    }

    // ---- between two attempts ------------------------------------------------------------------------------------

    /**
     * The attempt failed, and there is to be another. It stays in the running set, where a shutdown finds it, and, unless it
     * keeps its place, is counted as delayed before the place goes back, so that its group does not retire meanwhile.
     */
    private void scheduleRetry(AttemptState plan, long delay) {
        thread = null;
        Group home = home();
        plan.attemptFailed();
        home.awaitingRetry();
        if (plan.keepsPermit()) {
            awaitRetry();
        } else {
            long start = startedAt;
            long now = home.now();
            recordAttempt(home, now);
            awaitRetry();
            home.release(start, now);
        }
        plan.scheduleRetry(this, home.timer(), delay);
        if (isDecided()) {
            withdraw();
            cancelRetry(); // who cleared up may have come before it was started
        }
    }

    /** The delay is over. */
    final void retryDue() {
        if (!claimRetry()) {
            return;
        }
        AttemptState plan = Objects.requireNonNull(attempts());
        if (plan.keepsPermit()) {
            home().startRetry(this);
        } else {
            startedAt = 0;
            queuedOrCompletedAt = 0;
            home().readmit(this);
        }
        home().retryResolved();
    }

    // ---- interrupting, counting ----------------------------------------------------------------------------------

    /** May come late, but a runner whose threads have other work sees to it that nobody else is hit. */
    @Override
    protected void interruptWork() {
        Thread t = thread;
        if (t != null) {
            home().interrupt(t, this);
        }
    }

    /** Whether its work is not on a thread. For the thread that runs it: false from when it arrives until its work is off it. */
    public final boolean isOffThread() {
        return thread == null;
    }

    /** The thread that its work is on; {@code null} if it is on none. A figure to look at. */
    protected final @Nullable Thread thread() {
        return thread;
    }

    /** Where its end is counted. */
    protected @Nullable Group countingGroup() {
        return group();
    }

    /** Counts something that is not its end. */
    protected final void count(int slot) {
        Group counting = countingGroup();
        if (counting != null) {
            counting.count(slot, 1, "");
        }
    }

    @Override
    protected void countOutcome(Object result, int number) {
        int slot = counterSlot(result);
        Group counting = countingGroup();
        if (slot >= 0 && counting != null) {
            counting.count(slot, number, counterTag());
        }
    }
}
