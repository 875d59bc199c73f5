package io.github.kobe.internal.kernel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A single-assignment outcome, and where callers wait for it.
 *
 * <pre>
 *   null ──▶ result                          no waiter, no listener: one compare-and-set decides and publishes
 *   null ──▶ Reservation ──▶ result          a listener: the winner of the compare-and-set tells the listeners, then publishes. Also if
 *                                            the outcome is counted once: the winner counts it, then publishes
 *   null ──▶ CompletionFuture ──▶ result     a caller waits: the future's {@code decided} flag is what is competed for; with listeners, the
 *                                            winner tells them before it publishes
 *   Reservation ──▶ CompletionFuture         a caller begins to wait while listeners are told: the future is decided from the start
 * </pre>
 *
 * @param <R> what a waiter gets
 */
public abstract class Completion<R> {

    private static final VarHandle OUTCOME;

    static {
        try {
            OUTCOME = MethodHandles.lookup().findVarHandle(Completion.class, "outcome", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** {@code null}, a {@link Reservation} or a {@link CompletionFuture}, then the result, maybe packed. */
    private volatile @Nullable Object outcome;

    /** The outcome is decided, and is counted, and listeners are told, before it is published. */
    private static final class Reservation {
        /** The thread that tells the listeners. Only that thread can find itself here. */
        private @Nullable Thread notifier;

        Reservation(@Nullable Thread notifier) {
            this.notifier = notifier;
        }
    }

    /**
     * Created for the first waiter, so that a task without one does not pay for it. Threads wait on the future itself. User code depends on
     * {@link #exposed} alone, which is completed last, so that it delays nothing.
     */
    private static final class CompletionFuture<R> extends CompletableFuture<R> {
        private final AtomicBoolean decided;
        private final AtomicReference<@Nullable CompletableFuture<R>> exposed = new AtomicReference<>();

        /** Set by the thread that tells the listeners, if this was not created from a reservation. Only that thread needs to find it. */
        private @Nullable Reservation reservation;

        CompletionFuture(boolean isDecided, @Nullable Reservation reservation) {
            this.decided = new AtomicBoolean(isDecided);
            this.reservation = reservation;
        }
    }

    // ---- what a subclass says ------------------------------------------------------------------------------------

    /** Makes a result from its packed form. Called each time a caller asks; equal results each time. */
    @SuppressWarnings("unchecked")
    protected R unpack(Object packed) {
        return (R) packed;
    }

    /**
     * What waiters get as an exception instead of {@code result}; {@code null} if they get the result. Called each time a caller waits, so an
     * exception that is never asked for is never made.
     */
    protected @Nullable RuntimeException exceptionFor(R result) {
        return null;
    }

    /** The outcome is not that of the work: drops what only the work needs, and its result. */
    protected void dropWork() {}

    /** Whether {@link #notifyCompleted} may run user code. Another call may return something else. */
    protected boolean hasListeners() {
        return false;
    }

    /**
     * Tells listeners of the outcome, then calls {@link #publishNotified}. Called once, and only if {@link #hasListeners} was true when the outcome
     * was decided.
     */
    protected void notifyCompleted(R result) {
        publishNotified(result);
    }

    /** Calls {@link #publishResult}, after listeners were told. */
    protected void publishNotified(R result) {
        publishResult(result);
    }

    /**
     * Waiters can see the outcome. User code that depends on it has not run yet. Called once. Short, does not throw.
     *
     * @param published the result, maybe packed
     */
    protected void onPublished(Object published) {}

    /**
     * Counts an outcome, or, if {@code number} is -1, takes that back. An outcome is counted before a caller can see it, so that a caller
     * that has seen it finds it counted. It is taken back if another outcome was decided first, unless {@link #countsOnce}.
     */
    protected abstract void countOutcome(Object result, int number);

    /** Whether an outcome must not be counted before it is decided, because its count may be passed on at once. Costs one more step. */
    protected boolean countsOnce() {
        return false;
    }

    /** Runs code that may never return on a thread that nothing waits for. */
    abstract void runOnAnotherThread(Runnable userCode);

    /** The same for a notification of listeners, after which the outcome is published: a shutdown waits for that. */
    abstract void notifyOnAnotherThread(Runnable notification);

    /** Whether the thread that completes it has other work to go on to, which user code must not delay. */
    protected boolean defersUserCode() {
        return false;
    }

    // ---- deciding ------------------------------------------------------------------------------------------------

    /**
     * Completes it with the result of its work, unless its outcome is decided.
     *
     * @return whether this call decided the outcome
     */
    final boolean tryComplete(Object result) {
        boolean notifies = hasListeners();
        if (!tryDecide(result, notifies, false)) {
            dropWork();
            return false;
        }
        if (notifies) {
            notifyOnThisThread(unpack(result));
        }
        return true;
    }

    /**
     * As {@link #tryComplete}, for a thread that tells the listeners and publishes the outcome itself. Only if {@link #hasListeners}.
     *
     * @return the result; {@code null} if the outcome was decided before
     */
    final @Nullable R tryDecide(Object result) {
        if (!tryDecide(result, true, false)) {
            dropWork();
            return null;
        }
        noteNotifier();
        return unpack(result);
    }

    /**
     * As {@link #tryComplete}, by a thread that has nothing to do with the work, and that listeners must not delay.
     *
     * @param next runs if this call decided the outcome, before listeners hear of it
     */
    final boolean tryCompleteFromOutside(R result, Runnable next) {
        boolean notifies = hasListeners();
        if (!tryDecide(result, notifies, true)) {
            return false;
        }
        next.run();
        dropWork();
        if (notifies) {
            notifyOnAnotherThread(() -> notifyOnThisThread(result));
        }
        return true;
    }

    private void notifyOnThisThread(R result) {
        noteNotifier();
        notifyCompleted(result);
    }

    private void noteNotifier() {
        Object now = outcome;
        if (now instanceof Reservation reservation && reservation.notifier != null) {
            return; // by this thread
        }
        if (now instanceof CompletionFuture<?> future && future.reservation == null) {
            future.reservation = new Reservation(null);
        }
        Reservation reservation = reservationIn(now);
        if (reservation != null) {
            reservation.notifier = Thread.currentThread();
        }
    }

    /** If a waiter replaces the reservation by a future at this moment, the future has the same reservation. */
    private static @Nullable Reservation reservationIn(@Nullable Object outcome) {
        if (outcome instanceof CompletionFuture<?> future) {
            return future.reservation;
        }
        return outcome instanceof Reservation reservation ? reservation : null;
    }

    /** Whether the calling thread is telling the listeners, and so must not wait for the outcome. */
    @SuppressWarnings("ReferenceEquality") // threads are compared by identity
    final boolean isNotifyingOnThisThread() {
        Reservation reservation = reservationIn(outcome);
        return reservation != null && reservation.notifier == Thread.currentThread();
    }

    /** @param notifies whether listeners are told; decided once, because they may be added and removed meanwhile */
    private boolean tryDecide(Object result, boolean notifies, boolean fromOutside) {
        if (isDecided()) {
            return false;
        }
        if (notifies || countsOnce()) {
            if (!tryReserve(fromOutside)) {
                return false;
            }
            countOutcome(result, 1);
            if (!notifies) {
                publish(result, fromOutside);
            }
            return true;
        }
        countOutcome(result, 1);
        if (tryPublish(result, fromOutside)) {
            return true;
        }
        countOutcome(result, -1);
        return false;
    }

    /** Without listeners: decides and publishes in one step. */
    private boolean tryPublish(Object result, boolean fromOutside) {
        Object now = OUTCOME.compareAndExchange(this, null, result);
        if (now == null) {
            onPublished(result);
            return true;
        }
        if (now instanceof CompletionFuture<?> future && future.decided.compareAndSet(false, true)) {
            publish(unpack(result), fromOutside);
            return true;
        }
        return false;
    }

    /** The winner must publish the outcome; with listeners by {@link #publishResult}, after it has told them. */
    private boolean tryReserve(boolean fromOutside) {
        Object now = outcome;
        if (now == null) {
            now = OUTCOME.compareAndExchange(this, null, new Reservation(fromOutside ? null : Thread.currentThread()));
            if (now == null) {
                return true;
            }
        }
        return now instanceof CompletionFuture<?> future && future.decided.compareAndSet(false, true);
    }

    /** Whether the outcome is decided. Then the work must not begin. */
    protected final boolean isDecided() {
        Object now = outcome;
        return now != null && !(now instanceof CompletionFuture<?> future && !future.decided.get());
    }

    // ---- publishing ----------------------------------------------------------------------------------------------

    /** Gives waiters {@code result}. For the thread that decided the outcome. */
    protected final void publishResult(R result) {
        publish(result, false);
    }

    @SuppressWarnings("unchecked") // the outcome is what this class put there, and only the decider comes here
    private void publish(Object value, boolean fromOutside) {
        Object before = Objects.requireNonNull(OUTCOME.getAndSet(this, value));
        if (before instanceof Reservation) {
            onPublished(value); // no caller waits
            return;
        }
        CompletionFuture<R> future = (CompletionFuture<R>) before;
        resolve(future, value);
        onPublished(value);
        CompletableFuture<R> exposed = future.exposed.get();
        if (exposed != null && (fromOutside || defersUserCode())) {
            runOnAnotherThread(() -> resolve(exposed, value));
        } else if (exposed != null) {
            resolve(exposed, value);
        }
    }

    /** The outcome, also if waiters get an exception instead; {@code null} until waiters can see it. */
    protected final @Nullable R outcomeOrNull() {
        Object now = outcome;
        return now == null || !isResult(now) ? null : unpack(now);
    }

    /** Whether waiters can see the outcome. */
    protected final boolean isCompleted() {
        return isResult(outcome);
    }

    private static boolean isResult(@Nullable Object outcome) {
        return outcome != null && !(outcome instanceof CompletionFuture<?>) && !(outcome instanceof Reservation);
    }

    /** A future of the outcome, shared by all waiters. Must not be given to users, who could complete it or add code to it. */
    @SuppressWarnings("unchecked") // the outcome is what this class put there
    protected final CompletableFuture<R> completion() {
        Object now = outcome;
        while (now == null || now instanceof Reservation) {
            CompletionFuture<R> created = new CompletionFuture<>(now != null, (Reservation) now);
            if (OUTCOME.compareAndSet(this, now, created)) {
                return created;
            }
            now = outcome;
        }
        if (now instanceof CompletionFuture<?>) {
            return (CompletionFuture<R>) now;
        }
        CompletionFuture<R> completed = new CompletionFuture<>(true, null);
        resolve(completed, now);
        return completed;
    }

    /** Completes {@code dependent} with the outcome, and runs the user code that depends on it, when all else is done. */
    @SuppressWarnings("FutureReturnValueIgnored") // the futures of these stages have nothing to add
    protected final void completeDependent(CompletableFuture<R> dependent) {
        CompletionFuture<R> future = (CompletionFuture<R>) completion();
        future.exposed.compareAndSet(null, new CompletableFuture<>());
        CompletableFuture<R> exposed = Objects.requireNonNull(future.exposed.get());
        exposed.whenComplete((result, fault) -> transfer(dependent, result, fault));
        if (future.isDone()) {
            future.whenComplete(
                    (result, fault) -> transfer(exposed, result, fault)); // published before exposed was there
        }
    }

    private void resolve(CompletableFuture<R> future, Object value) {
        R result = unpack(value);
        RuntimeException exception = exceptionFor(result);
        if (exception != null) {
            future.completeExceptionally(exception);
        } else {
            future.complete(result);
        }
    }

    private static <R> void transfer(CompletableFuture<R> to, @Nullable R result, @Nullable Throwable fault) {
        if (fault != null) {
            to.completeExceptionally(fault);
        } else {
            to.complete(result);
        }
    }
}
