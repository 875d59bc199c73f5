package io.github.kobe.internal.kernel;

import io.github.kobe.internal.util.ClassPreloader;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Where a ticket stands while its work is not on a thread, and how others than its work put an end to it.
 *
 * <p>Two questions are decided apart from each other, each by one compare-and-set. <b>Is it in line?</b>, by {@code stage}:
 *
 * <pre>
 *   OUT      not in line: has a place, or never got one    born so
 *   QUEUED   waits in its group's line                     set before it is linked
 *   DELAYED  waits for the timer to bring it back          set by its thread after a failed attempt
 *   AGAIN    as QUEUED, for a further attempt              as QUEUED
 *
 *   QUEUED, AGAIN ──▶ OUT   whoever takes it from the line to start it, or one who ends it
 *   DELAYED       ──▶ OUT   the timer, which puts it in line again, or one who ends it
 * </pre>
 *
 * <b>How does it end?</b>, see {@link Completion}. Whoever ends it from outside reads {@code stage} after it wrote {@code end}, and a thread
 * that writes DELAYED reads {@code end} after it: one of the two clears up.
 *
 * @param <R> what a waiter gets
 */
public abstract class Standing<R> extends Completion<R> {

    private static final int NOT_QUEUED = 0;
    private static final int QUEUED = 1;
    private static final int AWAITING_RETRY = 2;
    private static final int REQUEUED = 3;
    private static final int MAX_LISTENER_SECONDS = 3;

    private static final VarHandle QUEUE_STATE;

    static {
        try {
            QUEUE_STATE = MethodHandles.lookup().findVarHandle(Standing.class, "queueState", int.class);
            ClassPreloader.load(AttemptState.class); // plan() is asked for with every step, by tickets that have none
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile int queueState;

    /** Set when it asks a group for admission, before any other thread can see the ticket. */
    private @Nullable Group group;

    /** How often the group had been stopped when the ticket asked for admission. */
    private int stopsSeen;

    /** When it got its place, or, if it did not have to wait for it, when its thread began; 0 before. A canceller that sees an old value reports a shorter run, no more. */
    long startedAt;

    /** When it was put in line, 0 if it was not, or if nobody looked; from its end on, when its work was done. One field, for there may be millions in line. */
    long queuedOrCompletedAt;

    // ---- what a face says ----------------------------------------------------------------------------------------

    /** The result of a ticket that was cancelled. */
    protected abstract R cancelled(String why);

    /** The result of a ticket that the kernel put an end to. Only asked for if it has a plan, or if others may displace it. */
    protected R terminated(TerminationCause why) {
        return cancelled(why.name());
    }

    /** Interrupts the thread that its work is on, if it is on one. */
    protected abstract void interruptWork();

    /** Its wishes, if it has any; the same each time. */
    protected @Nullable AttemptState attempts() {
        return null;
    }

    /** As the running set knows it. */
    abstract KernelTask<R> asTask();

    // ---- in line -------------------------------------------------------------------------------------------------

    final void bind(Group toGroup) {
        group = toGroup;
        stopsSeen = toGroup.stops();
    }

    final int priority() {
        AttemptState plan = attempts();
        return plan == null ? 0 : plan.priority();
    }

    /** Whether its time in line matters to it. */
    final boolean hasTimeLimit() {
        AttemptState plan = attempts();
        return plan != null && plan.hasTimeLimit();
    }

    /**
     * Counted, and about to be linked.
     *
     * @param now 0 if nobody looked at the clock for it
     * @param ahead how many were in line before
     */
    final void enqueued(long now, int ahead) {
        queuedOrCompletedAt = now;
        QUEUE_STATE.set(this, isRetry() ? REQUEUED : QUEUED); // published by the link that follows
        AttemptState plan = attempts();
        if (plan != null) {
            plan.enqueued(asTask(), home(), now, ahead);
        }
    }

    /** True if the caller, who polled it from the line, has it now; false if it was taken out of line otherwise. */
    final boolean claim() {
        int now = queueState;
        return isQueued(now) && QUEUE_STATE.compareAndSet(this, now, NOT_QUEUED);
    }

    private static boolean isQueued(int stage) {
        return stage == QUEUED || stage == REQUEUED;
    }

    /** Whether a line may drop it without further ado. */
    final boolean isWithdrawn() {
        return !isQueued(queueState);
    }

    /** It waits for the timer from now on. For its thread, which looks afterwards whether it has ended meanwhile. */
    final void awaitRetry() {
        queueState = AWAITING_RETRY;
    }

    /** True if the caller, who has the timer's word that the delay is over, has it now; false if it has ended. */
    final boolean claimRetry() {
        return QUEUE_STATE.compareAndSet(this, AWAITING_RETRY, NOT_QUEUED);
    }

    /** Whether it waits for another attempt. */
    final boolean isAwaitingRetry() {
        return queueState == AWAITING_RETRY;
    }

    /** Whether it waits in line for its first start. */
    public final boolean isQueuedForFirstStart() {
        return queueState == QUEUED;
    }

    /** When it was put in line; 0 if it is not in line, or if nobody looked. */
    final long queuedAt() {
        long since = queuedOrCompletedAt;
        return isQueued(queueState) ? since : 0;
    }

    /**
     * It has got a place, at {@code now}; 0 if it is to look at the clock itself.
     *
     * @return false if that is too late; it has ended, and the place is the caller's
     */
    final boolean permitGranted(long now) {
        AttemptState plan = attempts();
        if (plan != null) {
            plan.admitted(this, home().timer());
            plan.leftQueue(home().timer());
            if (plan.isOverdue(now)) {
                discard(plan);
                terminate(TerminationCause.EXPIRED);
                return false;
            }
        }
        startedAt = now;
        return true;
    }

    final boolean isRetry() {
        AttemptState plan = attempts();
        return plan != null && plan.failedAttempts() > 0;
    }

    // ---- an end from outside -------------------------------------------------------------------------------------

    /**
     * Ends the ticket as cancelled unless it has ended: never runs if it has not begun; interrupted, if asked for, if it has.
     * A running one keeps its place until its work really ends.
     *
     * @return whether this call decided the end
     */
    protected final boolean cancel(boolean interrupt, String why) {
        if (!tryCancel(interrupt, why)) {
            return false;
        }
        awaitPublished();
        return true;
    }

    /** For the one who cancelled it: returns when its handle is done, or when observers have had more time than they may. */
    final void awaitPublished() {
        if (!isCompleted()) {
            try {
                completion()
                        .copy()
                        .orTimeout(MAX_LISTENER_SECONDS, TimeUnit.SECONDS)
                        .join();
            } catch (CompletionException e) {
                // every carrier may be pinned by cancellers like this one; the announcement comes when one is free
            }
        }
    }

    /**
     * As {@link #cancel}, by a shutdown, without waiting for observers, of a ticket that is or will be on a thread. Spares what
     * came after the shutdown.
     *
     * @return whether this call decided the end
     */
    final boolean stopIfOlderThan(int stops) {
        return stopsSeen != stops && tryCancel(true, home().stopReason());
    }

    /** The same for one that was found in the queue: if it is not in line any more, it notices the stop when it arrives. */
    final boolean stopQueuedIfOlderThan(int stops) {
        return stopsSeen != stops && withdraw() && tryCancel(true, home().stopReason());
    }

    /** Linked, or on its thread, or looked at: a shutdown may have looked for it where it was not yet. */
    final void checkStopped() {
        stopIfOlderThan(home().stops());
    }

    /** Linked for a further attempt: one who ended it meanwhile has looked for it where it was not yet. */
    final void checkDecided() {
        if (isDecided()) {
            withdraw();
        }
    }

    /** It waited too long for its first start; unless it has started since, wherever it is now. */
    final void expire() {
        if (QUEUE_STATE.compareAndSet(this, QUEUED, NOT_QUEUED)) {
            removedFromQueue(attempts());
            terminate(TerminationCause.EXPIRED);
        }
    }

    /** It takes too long, wherever it is. */
    final void timeOut() {
        terminate(TerminationCause.TIMED_OUT);
    }

    /**
     * Another one gets its place in line; the caller has claimed it.
     *
     * @param leave takes it off the count, after its end has the numbers of when it was in the way, and before anyone knows of it
     */
    final void displaced(Runnable leave) {
        AttemptState plan = attempts();
        if (plan != null) {
            discard(plan);
        }
        R end = terminated(TerminationCause.DISPLACED);
        leave.run();
        tryCancel(true, end);
    }

    private void terminate(TerminationCause why) {
        if (!isDecided()) {
            tryCancel(true, terminated(why));
        }
    }

    /** As {@link #cancel}, without waiting for observers. */
    protected final boolean tryCancel(boolean interrupt, String why) {
        return !isDecided() && tryCancel(interrupt, cancelled(why));
    }

    private boolean tryCancel(boolean interrupt, R result) {
        withdraw();
        return tryTerminate(result, () -> {
            withdraw(); // it may have begun to wait for another attempt since
            cancelRetry(); // or we may have cleared up before its thread had told the timer to bring it back
            if (interrupt) {
                interruptWork();
            }
        });
    }

    // ---- clearing up ---------------------------------------------------------------------------------------------

    /**
     * Takes it out of where it waits, if it waits.
     *
     * @return whether this call did
     */
    final boolean withdraw() {
        AttemptState plan = attempts();
        if (claim()) {
            removedFromQueue(plan);
            return true;
        }
        if (plan == null || !claimRetry()) {
            return false;
        }
        cancelRetry();
        discard(plan);
        if (plan.keepsPermit()) {
            home().release(startedAt, home().now());
        }
        home().retryResolved();
        return true;
    }

    private void removedFromQueue(@Nullable AttemptState plan) {
        if (plan != null) {
            discard(plan);
        }
        home().withdrawn();
    }

    /** It does not take too long any more: nothing is left to do but to end. */
    protected final void cancelTimeLimits() {
        AttemptState plan = attempts();
        if (plan != null) {
            plan.cancelTimeout(home().timer());
        }
    }

    /** What is left of a plan when the ticket will not be on a thread again. */
    final void discard(AttemptState plan) {
        plan.leftQueue(home().timer());
        plan.cancelTimeout(home().timer());
        int place = plan.leaveSlot();
        if (place >= 0) {
            home().running().remove(place);
        }
    }

    final void cancelRetry() {
        AttemptState plan = attempts();
        if (plan != null && group != null) {
            plan.cancelRetry(home().timer());
        }
    }

    @Override
    final void runOnAnotherThread(Runnable usersCode) {
        home().spawn(usersCode);
    }

    @Override
    protected boolean defersUserCode() {
        return group != null && group.reusesThreads();
    }

    // ---- figures -------------------------------------------------------------------------------------------------

    /** When it started last, by the dispatcher's timer; 0 if it has not. */
    protected final long startedAt() {
        return startedAt;
    }

    /** When it was last put in line; 0 if it was not, or if nobody looked. Of one that has not ended by its work. */
    protected final long lastQueuedAt() {
        return queuedOrCompletedAt;
    }

    /** When its work was done; of one that has ended. */
    protected final long completedAt() {
        return queuedOrCompletedAt;
    }

    /** The group that it asked last for admission; {@code null} if it has not asked. */
    public final @Nullable Group group() {
        return group;
    }

    /**
     * Whether the end is known to waiters, for one who asks from outside: a ticket that was stopped while its thread was on its
     * way need not wait for the thread to be told so.
     */
    protected final boolean isCompletedNow() {
        if (!isCompleted() && group != null) {
            checkStopped();
        }
        return isCompleted();
    }

    final Group home() {
        return Objects.requireNonNull(group);
    }
}
