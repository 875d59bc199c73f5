package io.github.kobe.internal.kernel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One piece of work on its way through the kernel. A face extends it: {@link #execute()} is the work, {@link #cancelled(String)},
 * {@link #failed(Throwable)} and {@link #terminated(TerminationCause)} turn what happened into the face's own kind of result,
 * {@link #notifyStarted} and {@link #tellListeners} tell its listeners.
 *
 * <p>Two questions are decided independently, each by one compare-and-set. <b>Is the task queued?</b>, by {@code queueState}:
 *
 * <pre>
 *   NOT_QUEUED      has a permit, or never got one        initially
 *   QUEUED          in its group's queue                  set before it is linked
 *   AWAITING_RETRY  the timer will bring it back          set by its thread after a failed attempt
 *   REQUEUED        as QUEUED, for a retry                as QUEUED
 *   LAUNCHED        has a permit, and was not queued for  set before its thread is started, if that has to check
 *                   it; its thread has not begun          the lease
 *
 *   QUEUED, REQUEUED ──▶ NOT_QUEUED   by the thread that polls it to start it, or by one that terminates it
 *   AWAITING_RETRY   ──▶ NOT_QUEUED   by the timer, which queues it again, or by a thread that terminates it
 *   LAUNCHED         ──▶ NOT_QUEUED   by its own thread, which begins or returns it to the queue, or by its submitter if there is no thread
 *
 *   SHARED   added while its permit is shared or borrowed: by the thread that lends it, in the step that claims the task; by its own
 *            thread when that shares it. Removed with the permit
 *   GIVEN_UP added to NOT_QUEUED when a permit request gives its permit up. From then on SHARED cannot be added
 * </pre>
 *
 * <b>What is its outcome?</b>, see {@link Completion}.
 *
 * <table>
 * <caption>Races</caption>
 * <tr><th>one side</th><th>other side</th><th>so</th></tr>
 * <tr><td>a canceller decides the outcome, then reads {@code thread}</td><td>the task's thread writes {@code thread}, then reads the
 *     outcome; both have a compare-and-set in between</td><td>a cancelled task does not begin, or is interrupted</td></tr>
 * <tr><td>a canceller decides the outcome, then reads {@code queueState}</td><td>the task's thread writes AWAITING_RETRY, then reads the
 *     outcome</td><td>one of the two withdraws the task</td></tr>
 * <tr><td>a stop raises {@code stops}, then scans the queue and the running tasks</td><td>a task is linked or registered, then reads
 *     {@code stops}</td><td>the scan finds the task, or the task finds the stop</td></tr>
 * <tr><td>a shutdown finds the group idle, then reads the running tasks and the number of terminations in progress</td><td>a task releases
 *     its permit, publishes its outcome, and then leaves the running tasks; a canceller counts itself, takes the task off the queue, and
 *     publishes</td><td>the shutdown waits for the outcome, or it is published</td></tr>
 * </table>
 *
 * <p>A permit is released by the thread that did the work, whatever decided the outcome. There are four exceptions. If no thread was
 * started, the thread that asked for one releases it. If the task keeps its permit while it awaits a retry, the thread that takes it out of
 * AWAITING_RETRY for good does. A shared permit is released by its last holder. If a face calls {@link #finishAttempt} later, the thread that
 * calls it releases the permit: so does a scope for a task in a group, when both its work and its group task have completed.
 *
 * @param <R> what a waiter gets
 */
public abstract class KernelTask<R> extends Completion<R> implements Runnable {

    private static final int NOT_QUEUED = 0;
    private static final int QUEUED = 1;
    private static final int AWAITING_RETRY = 2;
    private static final int REQUEUED = 3;

    /** Added to a state in which it has a permit: the permit is shared or borrowed, see {@link Lending}. */
    private static final int SHARED = 4;

    /** Added to NOT_QUEUED: a permit request has given its permit up. */
    private static final int GIVEN_UP = 8;

    /** A state of its own: {@code startedAt} has the number of the task, see {@link #launched}. */
    private static final int LAUNCHED = 16;

    /** The number of a task that was queued before: it is not known, and higher than that of a task which was not. */
    static final long NO_NUMBER = Long.MAX_VALUE;

    /** The thread that tells listeners of an outcome has no permit to release after that. */
    private static final int NO_SLOT = -1;

    /** How long a canceller waits for listeners. */
    private static final long MAX_LISTENER_NANOS = TimeUnit.SECONDS.toNanos(3);

    private static final VarHandle QUEUE_STATE;

    static {
        try {
            QUEUE_STATE = MethodHandles.lookup().findVarHandle(KernelTask.class, "queueState", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile int queueState;

    /** How often the container had been stopped when the task asked for admission. */
    private int stopsSeen;

    /** Set when the task asks for admission, before any other thread can see it. */
    private @Nullable TaskHome home;

    /** The thread to interrupt, while the work is on it. */
    private @Nullable Thread thread;

    /**
     * When it got its permit, or, if it was not queued for that, when its thread began; 0 before. A canceller that reads an old value
     * reports a shorter run, no more. While it is LAUNCHED, its number: one field, as below.
     */
    long startedAt;

    /**
     * When it was queued; 0 if it was not. From its completion on, when its work was done. One field, because
     * millions of tasks may be queued.
     */
    long queuedOrCompletedAt;

    // ---- what a face says ----------------------------------------------------------------------------------------

    /**
     * Does the work. Runs on the task's own thread, holding a permit.
     *
     * @return the result, or something that {@link #unpack} makes it from if a caller asks
     */
    protected abstract Object execute();

    /** The result, maybe packed, of a task whose {@link #execute} threw, or that no thread could be started for. */
    protected abstract Object failed(Throwable fault);

    /** The result of a task that was cancelled. */
    protected abstract R cancelled(String why);

    /** The result of a task that the kernel terminated. Only called if it has attempts, or if other tasks may displace it. */
    protected R terminated(TerminationCause cause) {
        return cancelled(cause.name());
    }

    /** Its time limits, priority and retries; {@code null} if it has none. The same object each time. */
    protected @Nullable AttemptState attempts() {
        return null;
    }

    /**
     * Called after an attempt, on its thread, if it has attempts and no outcome yet.
     *
     * @param result what {@link #execute} returned
     * @return how many nanoseconds from now the next attempt begins, or -1 if {@code result} is the outcome
     */
    protected long retryDelay(Object result) {
        return -1;
    }

    /** Whether another attempt may follow if the current one fails. Any thread may ask while an attempt is on a thread. */
    protected boolean hasAttemptsLeft() {
        return false;
    }

    /** It is admitted, as the {@code number}th of its container, counted from 1. Before any other thread can see it. */
    protected void admitted(long number) {}

    /**
     * The work of an attempt is done: calls {@link #finishAttempt} with the same arguments. A face may do so later, on another thread; once,
     * or the task never completes.
     */
    protected void attemptReturned(int slot, Object result) {
        finishAttempt(slot, result);
    }

    /** The slot in which an outcome is counted; -1 for none. */
    protected int counterSlot(Object result) {
        return -1;
    }

    /** The tag under which an outcome is counted; empty for none. */
    protected String counterTag() {
        return "";
    }

    /** The container in which its outcome is counted. */
    protected @Nullable TaskHome countingHome() {
        return home;
    }

    /**
     * Tells listeners that the work is about to begin. Only called if {@link #hasListeners}. If they do not return, another thread calls
     * {@link #beginWithout} with {@code slot}.
     *
     * @return false if another thread begins, and this one must not
     */
    protected boolean notifyStarted(int slot) {
        return true;
    }

    /** Whether {@link #tellListeners} is called while the thread of the work still has the permit. */
    protected boolean notifiesBeforeRelease() {
        return false;
    }

    /**
     * Tells listeners of the outcome. If they do not return, another thread calls {@link #continueWithout} with the same arguments.
     *
     * @return false if another thread continues
     */
    protected boolean tellListeners(R result, int slot) {
        return true;
    }

    /** It was on a thread, or none could be started, and will not be on one again. The last call; none if it completes while queued. */
    protected void onFinished() {}

    /**
     * It has its permit: starts its work.
     *
     * @return false if that is not wanted any more; then the permit is the caller's
     * @throws RuntimeException or an {@link Error} if no thread can be started; then the permit is the caller's too
     */
    protected boolean launch(TaskRunner runner) {
        runner.start(this);
        return true;
    }

    /**
     * Whether waiters see the outcome before the permit is released. Otherwise a caller that waited finds the permit free. After a
     * close it is the other way round: a caller that waits for the last permit finds every outcome published.
     */
    protected boolean completesBeforeRelease() {
        return home().isClosed();
    }

    // ---- queued --------------------------------------------------------------------------------------------------

    final void bind(TaskHome to) {
        home = to;
        stopsSeen = to.stops();
    }

    /** Whether it has asked for admission. */
    final boolean isBound() {
        return home != null;
    }

    final TaskHome home() {
        return Objects.requireNonNull(home);
    }

    /** The group that it asked last for admission; {@code null} if it has not asked, or not a group with limits. */
    public final @Nullable Group group() {
        return home instanceof Group group ? group : null;
    }

    final int priority() {
        AttemptState attempts = attempts();
        return attempts == null ? 0 : attempts.priority();
    }

    /** How many permits it takes of its group and of each limit over several groups. */
    public final int cost() {
        AttemptState attempts = attempts();
        return attempts == null ? 1 : attempts.cost();
    }

    final boolean hasTimeLimit() {
        AttemptState attempts = attempts();
        return attempts != null && attempts.hasTimeLimit();
    }

    final boolean isRetry() {
        AttemptState attempts = attempts();
        return attempts != null && attempts.failedAttempts() > 0;
    }

    /** Since when it counts as queued, if it is returned to the queue at {@code now}: a task that was polled keeps its time. */
    final long returnedSince(long now) {
        return queuedOrCompletedAt == 0 ? now : queuedOrCompletedAt;
    }

    /** It is counted as queued and about to be linked. */
    final void enqueued(long now) {
        queuedOrCompletedAt = now;
        QUEUE_STATE.set(this, isRetry() ? REQUEUED : QUEUED); // published by the link that follows
        AttemptState attempts = attempts();
        if (attempts != null) {
            attempts.enqueued(this, home(), now);
        }
    }

    /** True if the caller, which polled it, has it now; false if it was withdrawn. */
    final boolean claim() {
        int now = queueState;
        return isQueued(now) && QUEUE_STATE.compareAndSet(this, now, NOT_QUEUED);
    }

    /** As {@link #claim}, for a thread that starts it on a permit that was lent. */
    final boolean claimForLoan() {
        int now = queueState;
        return isQueued(now) && QUEUE_STATE.compareAndSet(this, now, SHARED);
    }

    private static boolean isQueued(int state) {
        return state == QUEUED || state == REQUEUED;
    }

    /** Whether a queue may drop it. */
    final boolean isWithdrawn() {
        return !isQueued(queueState);
    }

    /** Whether it is queued for its first start. */
    public final boolean isQueuedForFirstStart() {
        return queueState == QUEUED;
    }

    /** When it was queued; 0 if it is not queued. */
    final long queuedAt() {
        long since = queuedOrCompletedAt;
        return isQueued(queueState) ? since : 0;
    }

    /**
     * It has a permit, and its thread checks the lease. Before any other thread can see it.
     *
     * @param number its number among the tasks that its container has admitted, which tells the order of submission if it is returned to the queue
     */
    final void launched(long number) {
        startedAt = number;
        QUEUE_STATE.set(this, LAUNCHED); // published by the start of its thread
    }

    /** Whether its thread has yet to check the lease. */
    final boolean isLaunched() {
        return queueState == LAUNCHED;
    }

    /**
     * It is LAUNCHED no longer. A reader of {@code startedAt} reads the state first, and this writes the state last. So if the reader finds
     * LAUNCHED, it takes the task as not started; if not, it finds {@code start}.
     *
     * @param start when it started; 0 if it has not
     */
    private void endLaunch(long start) {
        startedAt = start;
        QUEUE_STATE.setRelease(this, NOT_QUEUED);
    }

    /**
     * It has a permit and does not start: it is returned to the queue.
     *
     * @return its number; {@link #NO_NUMBER} if it was queued before
     */
    final long takeNumber() {
        if (!isLaunched()) {
            return NO_NUMBER;
        }
        long number = startedAt;
        endLaunch(0);
        return number;
    }

    /**
     * It has got a permit at {@code now}; 0 if its thread reads the clock.
     *
     * @return false if that is too late; it has completed, and the permit is the caller's
     */
    final boolean permitGranted(long now) {
        AttemptState attempts = attempts();
        if (attempts != null) {
            attempts.admitted(this, home());
            attempts.leftQueue(home().timer());
            if (attempts.isOverdue(now)) {
                discard(attempts);
                terminate(TerminationCause.EXPIRED);
                return false;
            }
        }
        if (now != 0) { // otherwise it may be LAUNCHED
            startedAt = now;
        }
        return true;
    }

    // ---- on a thread ---------------------------------------------------------------------------------------------

    /** One attempt. The runner calls it, once for each attempt. */
    @Override
    public final void run() {
        if (!mayBegin()) {
            return;
        }
        int slot = register();
        if (!hasListeners() || isDecided() || isRetry()) {
            work(slot);
            return;
        }
        if (notifyStarted(slot)) {
            Thread.interrupted(); // set by a listener; a canceller decides before it interrupts, and work checks that
            work(slot);
        }
    }

    /**
     * Its thread begins. If it was not queued, and needs a lease, this checks the lease, with the clock that is read for its start anyway.
     * Nobody knows the thread yet, so the task can be returned to the queue.
     *
     * @return false if another thread runs it later
     */
    final boolean mayBegin() {
        if (!isLaunched()) {
            return true;
        }
        TaskHome container = home();
        long now = container.now();
        if (!container.checkLease(this, now)) {
            return false;
        }
        endLaunch(now);
        return true;
    }

    /** Whether its thread calls {@link #run}, and so checks the lease itself. */
    boolean checksLease() {
        return true;
    }

    /**
     * Makes the task known to cancellers, by {@code thread}, and to a stop, by the running tasks. Their compare-and-set separates what is
     * written before it from what is read after it: either they see the task, or it sees what they decided.
     */
    final int register() {
        thread = Thread.currentThread();
        AttemptState attempts = attempts();
        int slot;
        if (attempts != null && attempts.isRegistered()) {
            slot = attempts.slot();
            VarHandle.fullFence(); // in place of the compare-and-set
        } else {
            slot = home().running().add(this);
            if (attempts != null) {
                attempts.setSlot(slot);
            }
        }
        checkStopped();
        return slot;
    }

    /** A listener that hears of the start does not return to the thread of the task. The work begins on another thread. */
    public final void beginWithout(int slot) {
        if (slot == NO_SLOT) {
            home().spawn(this::workOnCaller);
        } else {
            heldUp(Objects.requireNonNull(thread));
            home().spawn(() -> workOnAnotherThread(slot));
        }
    }

    private void workOnAnotherThread(int slot) {
        thread = Thread.currentThread();
        VarHandle.fullFence(); // as in register
        work(slot);
    }

    private void work(int slot) {
        TaskHome container = home();
        if (startedAt == 0) {
            startedAt = container.now();
        }
        if (isDecided()) {
            finishTask(slot, null);
            return;
        }
        try {
            begin();
        } catch (Throwable fault) {
            finishTask(slot, failed(fault)); // the timer did not take its time limit
            return;
        }
        attemptReturned(slot, result());
    }

    /** A listener does not return to {@code heldUp}, and another thread does the next step. */
    private void heldUp(Thread heldUp) {
        if (home != null) {
            home.heldUp(heldUp, this);
        }
    }

    /** Its run time counts from here. */
    final void begin() {
        AttemptState attempts = attempts();
        if (attempts != null) {
            attempts.started(this, home(), startedAt);
        }
    }

    private Object result() {
        try {
            return execute();
        } catch (Throwable fault) {
            endAttemptLimit();
            return failed(fault);
        }
    }

    /**
     * The code of an attempt has returned: ends the time limit of the attempt. For {@link #execute}, before any other user code.
     *
     * @return whether the limit had passed before; then the attempt has failed, and its interrupt flag is clear
     */
    protected final boolean endAttemptLimit() {
        AttemptState attempts = attempts();
        if (attempts == null || home == null || !attempts.attemptReturned(home.timer())) {
            return false;
        }
        Thread.interrupted();
        return true;
    }

    /** An attempt is done. For {@link #attemptReturned}. */
    protected final void finishAttempt(int slot, Object result) {
        AttemptState attempts = attempts();
        if (attempts != null && !isDecided()) {
            long delay = retryDelay(result);
            if (delay >= 0) {
                scheduleRetry(attempts, delay);
                return;
            }
        }
        finishTask(slot, result);
    }

    /**
     * The work is off the thread. The permit is released before waiters see the outcome, so that a caller can rely on it: submit, wait,
     * submit again never finds its own last task in the way. The task stays among the running tasks until the outcome is published, so
     * that a shutdown that comes in between finds it and waits.
     */
    final void finishTask(int slot, @Nullable Object result) {
        TaskHome container = home();
        if (hasListeners() && result != null && notifiesBeforeRelease() && !completesBeforeRelease()) {
            finishWithListeners(slot, result);
            return;
        }
        thread = null;
        long now = container.now();
        recordAttempt(now);
        AttemptState attempts = attempts();
        if (attempts != null) {
            attempts.clearSlot();
            attempts.cancelTimeout(container.timer());
        }
        if (result == null || completesBeforeRelease()) {
            if (result != null) {
                tryComplete(result);
            }
            container.running().remove(slot);
            giveUpPermit(startedAt, now, true);
        } else {
            giveUpPermit(startedAt, now, true);
            try {
                tryComplete(result);
            } finally {
                container.removePublished(slot);
            }
        }
        onFinished();
    }

    /**
     * As {@link #finishTask}, with listeners, which are told before the permit is released. So a limit holds for the work of listeners too, and the
     * next task, which may get this thread with the permit, does not wait for them. Until then the work counts as on its thread, so that a task which
     * a listener submits does not get this thread.
     */
    private void finishWithListeners(int slot, Object result) {
        TaskHome container = home();
        recordAttempt(container.now());
        AttemptState attempts = attempts();
        if (attempts != null) {
            attempts.clearSlot();
            attempts.cancelTimeout(container.timer());
        }
        R outcome = tryDecide(result);
        if (outcome == null || tellListeners(outcome, slot)) {
            releaseAndPublish(slot, outcome);
        } else if (container.reusesThreads()) {
            releaseAndPublish(slot, null); // this thread has kept its permit
        }
    }

    /** @param outcome {@code null} if another thread publishes it */
    private void releaseAndPublish(int slot, @Nullable R outcome) {
        TaskHome container = home();
        thread = null;
        giveUpPermit(startedAt, 0, true);
        try {
            if (outcome != null) {
                publishNotified(outcome);
            }
        } finally {
            container.removePublished(slot);
        }
        onFinished();
    }

    @Override
    protected void notifyCompleted(R result) {
        if (tellListeners(result, NO_SLOT)) {
            publishNotified(result);
        }
    }

    /**
     * A listener does not return to {@code heldUp}, and the calling thread continues. It releases the permit, unless that belongs to the thread: then
     * the runner has another thread start in its place, in time.
     */
    public final void continueWithout(Thread heldUp, R result, int slot) {
        heldUp(heldUp);
        if (slot == NO_SLOT || home().reusesThreads()) {
            publishNotified(result);
        } else {
            releaseAndPublish(slot, result);
        }
    }

    /**
     * Releases its permit, or gives it back to where it came from.
     *
     * @param start when it got the permit; 0 if that is of no use
     * @param now 0 if the clock was not read; it is read if the time is of use
     * @param completes whether it completes next
     */
    final void giveUpPermit(long start, long now, boolean completes) {
        if ((queueState & SHARED) == 0) {
            home().release(home().hasCosts() ? cost() : 1, start, now);
        } else {
            QUEUE_STATE.getAndBitwiseAnd(this, ~SHARED);
            long end = start != 0 && now == 0 ? home().now() : now;
            home().dispatcher.lending().giveBack(this, start, end, completes);
        }
    }

    /** Its permit is shared from now on. False if it has given it up. */
    final boolean markShared() {
        for (; ; ) {
            int now = queueState;
            if ((now & GIVEN_UP) != 0) {
                return false;
            }
            if (QUEUE_STATE.compareAndSet(this, now, now | SHARED)) {
                return true;
            }
        }
    }

    /**
     * For a permit request whose thread has a global permit: starts it with a permit of {@code group} and that global permit.
     *
     * @return false if that is not possible, and for every task
     */
    boolean tryShareGlobal(Group group, long refusing) {
        return false;
    }

    /** For a permit request: the caller releases its permit. False if another call did. */
    final boolean tryGiveUp() {
        return ((int) QUEUE_STATE.getAndBitwiseOr(this, GIVEN_UP) & GIVEN_UP) == 0;
    }

    /**
     * How long it was queued before it started last; below 0 if the thread that started it had read the clock before it was queued. For its
     * own thread, before its work is done.
     */
    protected final long waitedNanos() {
        return queuedOrCompletedAt == 0 ? 0 : startedAt - queuedOrCompletedAt;
    }

    private void recordAttempt(long now) {
        TaskTimes times = home().times();
        if (times != null) {
            times.record(waitedNanos(), now - startedAt);
        }
        queuedOrCompletedAt = now;
        home().ran(now - startedAt);
    }

    /** No thread could be started. The permit is the caller's business. */
    final void startFailed(Throwable fault) {
        if (isLaunched()) {
            endLaunch(home().now());
        } else {
            startedAt = home().now();
        }
        AttemptState attempts = attempts();
        if (attempts != null) {
            discard(attempts);
        }
        Object result = failed(fault); // reads when it was queued
        queuedOrCompletedAt = startedAt;
        tryComplete(result);
        onFinished();
    }

    // ---- not run by the kernel -----------------------------------------------------------------------------------

    /** The caller does the work and has the permit. If the task was not queued and the time is of use, it starts now. */
    final void recordStart() {
        if (startedAt == 0 && home().recordsPermitTimes()) {
            startedAt = home().now();
        }
    }

    /**
     * The caller did the work and releases the permit. Reads the clock only if the start was recorded: because the time is of use, or because the
     * caller was queued. Otherwise that would cost more than the rest.
     */
    final void releasePermit() {
        TaskHome container = home();
        if (startedAt == 0) {
            giveUpPermit(0, 0, true);
            return;
        }
        long now = container.now();
        recordAttempt(now);
        giveUpPermit(startedAt, now, true);
    }

    /** Runs the work on the calling thread, without a permit, once. For a task that was not admitted. */
    public final void runOnCaller() {
        if (!hasListeners() || notifyStarted(NO_SLOT)) {
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

    /** Completes a task that was not admitted, with a result of the face's choice. */
    public final void completeUnadmitted(R result) {
        tryComplete(result);
    }

    // ---- waiting for it ------------------------------------------------------------------------------------------

    /**
     * Waits for the outcome. While the calling thread is blocked, it lends its permits, see {@link BlockedWait}.
     *
     * @throws TimeoutException if there is no outcome after {@code nanos}; {@link Long#MAX_VALUE} for no time limit
     */
    public final R awaitOutcome(long nanos) throws InterruptedException, ExecutionException, TimeoutException {
        BlockedWait wait = isCompleted() ? null : BlockedWait.begin(this);
        if (wait == null) {
            return getCompletion(nanos);
        }
        long since = System.nanoTime();
        boolean completed = false;
        try {
            R result = getCompletion(nanos);
            completed = true;
            return result;
        } catch (ExecutionException e) {
            completed = true;
            throw e;
        } finally {
            wait.end(completed ? Math.max(0, nanos - (System.nanoTime() - since)) : 0);
        }
    }

    private R getCompletion(long nanos) throws InterruptedException, ExecutionException, TimeoutException {
        return nanos == Long.MAX_VALUE ? completion().get() : completion().get(nanos, TimeUnit.NANOSECONDS);
    }

    // ---- retries -------------------------------------------------------------------------------------------------

    /**
     * The attempt failed, and there will be another. The task stays among the running tasks, where a stop finds it. It is counted as awaiting
     * a retry before its permit is released, so that its group does not retire meanwhile.
     */
    private void scheduleRetry(AttemptState attempts, long delay) {
        thread = null;
        TaskHome container = home();
        attempts.attemptFailed();
        container.awaitingRetry();
        boolean shared = (queueState & SHARED) != 0;
        if (attempts.keepsPermit()) {
            queueState = shared ? AWAITING_RETRY | SHARED : AWAITING_RETRY;
        } else {
            long start = startedAt;
            long now = container.now();
            recordAttempt(now);
            queueState = AWAITING_RETRY;
            if (shared) {
                container.dispatcher.lending().giveBack(this, start, now, false);
            } else {
                container.release(cost(), start, now);
            }
        }
        try {
            attempts.scheduleRetry(this, container.timer(), delay);
        } catch (Throwable fault) {
            retryNotScheduled(attempts, fault);
            return;
        }
        if (isDecided()) {
            withdraw();
            cancelRetry(); // the thread that withdrew it may have come before the timer was started
        }
        checkDropped();
    }

    /** The timer has no thread for the delay: there will be no other attempt, and the task fails. */
    private void retryNotScheduled(AttemptState attempts, Throwable fault) {
        terminating(() -> {
            boolean claimed = claimRetry(); // otherwise another thread has withdrawn it
            if (claimed) {
                TaskHome container = home();
                discard(attempts);
                if (attempts.keepsPermit()) {
                    long now = container.now();
                    recordAttempt(now);
                    giveUpPermit(startedAt, now, true);
                }
                tryComplete(failed(attempts.withEarlierFailures(fault)));
                container.retryResolved();
                onFinished();
            }
            return claimed;
        });
    }

    /** Whether another attempt can start: false if only what runs may finish. */
    protected final boolean mayRetry() {
        return !home().dropsQueued();
    }

    /** The delay is over. */
    final void retryDue() {
        if (!claimRetry()) {
            return;
        }
        boolean keepsPermit = Objects.requireNonNull(attempts()).keepsPermit();
        if (keepsPermit && home().mayStart()) {
            home().startRetry(this);
        } else {
            if (keepsPermit) { // the lease on it is not valid, so it is not kept
                long now = home().now();
                recordAttempt(now);
                giveUpPermit(startedAt, now, false);
            }
            startedAt = 0;
            queuedOrCompletedAt = 0;
            home().readmit(this);
        }
        home().retryResolved();
    }

    final boolean isAwaitingRetry() {
        return (queueState & ~SHARED) == AWAITING_RETRY;
    }

    private boolean claimRetry() {
        int now = queueState;
        return (now & ~SHARED) == AWAITING_RETRY && QUEUE_STATE.compareAndSet(this, now, now & SHARED);
    }

    private void cancelRetry() {
        AttemptState attempts = attempts();
        if (attempts != null && home != null) {
            attempts.cancelRetry(home.timer());
        }
    }

    // ---- terminated by another thread ----------------------------------------------------------------------------

    /**
     * Cancels the task unless its outcome is decided. If it has not begun, it never runs. If it has, it is interrupted if asked for, and
     * keeps its permit until its work returns. Waits for the listeners, up to three seconds.
     *
     * @return whether this call decided the outcome
     */
    protected final boolean cancel(boolean interrupt, String why) {
        if (!tryCancel(interrupt, why)) {
            return false;
        }
        awaitPublished();
        return true;
    }

    /** As {@link #cancel}, without waiting for listeners. */
    protected final boolean tryCancel(boolean interrupt, String why) {
        return !isDecided() && tryTerminate(interrupt, cancelled(why));
    }

    /** As {@link #tryCancel}, with a result of the caller's choice. Its work is not interrupted. */
    final boolean tryTerminate(R result) {
        return !isDecided() && tryTerminate(false, result);
    }

    /**
     * For a thread that cancelled it or shuts down: returns when the handle is completed, or when listeners have had more time than they may
     * take. Every carrier thread may be pinned by cancellers like this one, so the wait is bounded. An interrupt does not end it. A listener
     * that calls it does not wait for itself.
     */
    final void awaitPublished() {
        if (isCompleted() || isNotifyingOnThisThread()) {
            return;
        }
        long until = home().now() + MAX_LISTENER_NANOS;
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    completion().get(until - home().now(), TimeUnit.NANOSECONDS);
                    return;
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (TimeoutException | ExecutionException e) {
                    return; // too slow, or completed with an exception, which is for its waiters
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * For a stop: as {@link #tryCancel}, of a task that is or will be on a thread. Spares tasks that came after the stop.
     *
     * @return whether this call decided the outcome
     */
    final boolean stopIfOlderThan(int stops) {
        return stopsSeen != stops && tryCancel(true, home().stopReason());
    }

    /** The same for a task that was found in the queue: if it is not queued any more, it finds the stop when it registers. */
    final boolean stopQueuedIfOlderThan(int stops) {
        return stopsSeen != stops && terminating(() -> withdraw() && tryCancel(true, home().stopReason()));
    }

    /** For a shutdown: cancels it if it is queued or awaits a retry. Returns whether this call decided the outcome. */
    final boolean tryDrop() {
        long since = waitingSince();
        boolean dropped = terminating(() -> withdraw() && tryCancel(true, home().stopReason()));
        if (dropped) {
            home().dropped(this, since);
        }
        return dropped;
    }

    /**
     * For the thread that is about to start it: completes it if it was stopped or dropped. So from then on, no permit that is taken later
     * becomes a running task.
     */
    final boolean stoppedBeforeStart() {
        TaskHome container = home();
        if (stopsSeen == container.stops() && !container.dropsQueued()) {
            return false;
        }
        if (tryCancel(true, container.stopReason())) {
            container.dropped(this, queuedOrCompletedAt);
        }
        AttemptState attempts = attempts();
        if (attempts != null) {
            discard(attempts);
        }
        onFinished();
        return true;
    }

    /** A stop may have scanned before the task was linked or registered. */
    final void checkStopped() {
        stopIfOlderThan(home().stops());
    }

    /** It is linked, or awaits a retry: a drop may have scanned before. */
    final void checkDropped() {
        if (home().dropsQueued()) {
            tryDrop();
        }
    }

    /** It is queued again, and linked: the thread that decided its outcome meanwhile did not find it. */
    final void checkDecided() {
        if (isDecided()) {
            withdraw();
        }
    }

    /** It was returned to the queue, and is linked: an expiry that came meanwhile did not find it queued. */
    final void checkExpired() {
        AttemptState attempts = attempts();
        if (attempts != null && attempts.limits().expires() && attempts.isOverdue(home().now())) {
            expire();
        }
    }

    /** It was queued for its first start for too long, unless it has started since. */
    final void expire() {
        terminating(() -> {
            boolean claimed = QUEUE_STATE.compareAndSet(this, QUEUED, NOT_QUEUED);
            if (claimed) {
                removedFromQueue(attempts());
                terminate(TerminationCause.EXPIRED);
            }
            return claimed;
        });
    }

    /** Its time limit has passed, wherever it is. */
    final void timeOut() {
        terminate(TerminationCause.TIMED_OUT);
    }

    /**
     * The time limit of the attempt that is on a thread has passed. If there may be another attempt, this one is interrupted, and its thread
     * goes on when its code returns. If not, the outcome is decided now.
     */
    final void timeOutAttempt() {
        if (hasAttemptsLeft()) {
            interruptWork();
        } else {
            terminate(TerminationCause.ATTEMPT_TIMED_OUT);
        }
    }

    /**
     * Another task is queued instead of it; the caller has claimed it.
     *
     * @param uncount takes it off the count of queued tasks, after the result has the numbers of when it was counted, and before any
     *     caller knows of the result
     */
    final void displaced(Runnable uncount) {
        AttemptState attempts = attempts();
        if (attempts != null) {
            discard(attempts);
        }
        R result = terminated(TerminationCause.DISPLACED);
        TaskHome container = home();
        container.beginTermination();
        try {
            uncount.run();
            tryTerminate(true, result);
        } finally {
            container.endDisplacement();
        }
    }

    private void terminate(TerminationCause cause) {
        if (!isDecided()) {
            tryTerminate(true, terminated(cause));
        }
    }

    private boolean tryTerminate(boolean interrupt, R result) {
        return terminating(() -> {
            withdraw();
            return tryCompleteFromOutside(result, () -> {
                withdraw(); // it may have begun to await a retry since
                cancelRetry(); // or it was withdrawn before its thread had started the timer
                if (interrupt) {
                    interruptWork();
                }
            });
        });
    }

    /**
     * Takes the task from where it is, and then publishes its outcome or leaves that to {@link #notifyOnAnotherThread}. In between, its
     * container has forgotten it and knows only that a termination is in progress.
     */
    private boolean terminating(BooleanSupplier steps) {
        TaskHome container = home;
        if (container == null) {
            return steps.getAsBoolean();
        }
        container.beginTermination();
        try {
            return steps.getAsBoolean();
        } finally {
            container.endTermination();
        }
    }

    /**
     * Takes it out of where it waits, if it waits.
     *
     * @return whether this call did
     */
    private boolean withdraw() {
        AttemptState attempts = attempts();
        if (claim()) {
            removedFromQueue(attempts);
            return true;
        }
        if (attempts == null || !claimRetry()) {
            return false;
        }
        cancelRetry();
        discard(attempts);
        if (attempts.keepsPermit()) {
            giveUpPermit(startedAt, home().now(), true);
        }
        home().retryResolved();
        return true;
    }

    private void removedFromQueue(@Nullable AttemptState attempts) {
        if (attempts != null) {
            discard(attempts);
        }
        home().withdrawn();
    }

    /** Drops what is left of its attempts when the task will not be on a thread again. */
    final void discard(AttemptState attempts) {
        attempts.leftQueue(home().timer());
        attempts.cancelTimeout(home().timer());
        int slot = attempts.leaveSlot();
        if (slot >= 0) {
            home().running().remove(slot);
        }
    }

    /** Ends its time limits: nothing is left to do but to complete. */
    protected final void cancelTimeLimits() {
        AttemptState attempts = attempts();
        if (attempts != null) {
            attempts.cancelTimeout(home().timer());
        }
    }

    /** Interrupts the thread that its work is on. May come late; a runner whose threads go on to other work guards that. */
    protected void interruptWork() {
        Thread t = thread;
        if (t != null) {
            home().interrupt(t, this);
        }
    }

    @Override
    final void runOnAnotherThread(Runnable userCode) {
        home().spawn(userCode);
    }

    /** Until the notification has returned, a shutdown finds the task by the dispatcher. */
    @Override
    final void notifyOnAnotherThread(Runnable notification) {
        Set<KernelTask<?>> notifying = home().dispatcher.notifying();
        notifying.add(this);
        home().spawn(() -> {
            try {
                notification.run();
            } finally {
                notifying.remove(this);
            }
        });
    }

    @Override
    protected boolean defersUserCode() {
        return home != null && home.reusesThreads();
    }

    // ---- statistics ----------------------------------------------------------------------------------------------

    /** When it started last, by the dispatcher's timer; 0 if it has not. */
    protected final long startedAt() {
        return isLaunched() ? 0 : startedAt; // in this order, see endLaunch
    }

    /** Since when it is queued or awaits a retry; 0 if that is not known. */
    final long waitingSince() {
        AttemptState attempts = attempts();
        return attempts != null && isAwaitingRetry() && attempts.keepsPermit() ? 0 : queuedOrCompletedAt;
    }

    /** When it was queued last; 0 if it was not. Of a task that has not completed by its work. */
    protected final long lastQueuedAt() {
        return queuedOrCompletedAt;
    }

    /** When its work was done. Of a task that has completed. */
    protected final long completedAt() {
        return queuedOrCompletedAt;
    }

    /** Whether it has completed. A task that was stopped before its thread could find out finds out here. */
    protected final boolean isCompletedNow() {
        if (!isCompleted() && home != null) {
            checkStopped();
        }
        return isCompleted();
    }

    /** How long its work has been on a thread at {@code now}; -1 if it is on none. */
    final long runningNanos(long now) {
        long start = startedAt();
        return thread == null ? -1 : start == 0 ? 0 : Math.max(0, now - start);
    }

    /** Whether its work is not on a thread. For the thread that runs it: false from when it registers until its work is done. */
    public final boolean isOffThread() {
        return thread == null;
    }

    /** The thread that its work is on; {@code null} if it is on none. May be out of date when it is returned. */
    protected final @Nullable Thread thread() {
        return thread;
    }

    /** Counts something other than its outcome. */
    protected final void count(int slot) {
        TaskHome counting = countingHome();
        if (counting != null) {
            counting.count(slot, 1, "");
        }
    }

    /** A group may hand its counts over before the task has completed if it is closed, or if the task is not on its way through it. */
    @Override
    @SuppressWarnings("ReferenceEquality") // identity of containers
    protected boolean countsOnce() {
        TaskHome counting = countingHome();
        return counting != null && (counting != home || counting.isClosed() || counting.isRetired());
    }

    @Override
    protected void countOutcome(Object result, int number) {
        int slot = counterSlot(result);
        TaskHome counting = countingHome();
        if (slot >= 0 && counting != null) {
            counting.count(slot, number, counterTag());
        }
    }
}
