package io.github.kobe.internal.kernel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * How something ends, decided once, and the place where its end is waited for.
 *
 * <p>{@code end} goes from {@code null} to the result by one compare-and-set; or, if anyone waits or observes, from {@code null}
 * by way of a {@link Waiters}, which then is what is competed for, to the result. The winner alone calls {@link #notifyCompleted}.
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

    /** {@code null} while nobody waits, a {@link Waiters} while somebody does, then the result, packed, or a {@link Thrown}. */
    private volatile @Nullable Object outcome;

    /** A result that waiters get as an exception. */
    private record Thrown(RuntimeException exception) {}

    /**
     * Built when the first waiter arrives, so that what nobody waits for yet does not pay for it. Threads wait on the
     * future itself; code of users hangs on {@link #exposed} alone, which is completed last: what that code does, and how
     * long it takes, is nobody's business.
     */
    private static final class CompletionFuture<R> extends CompletableFuture<R> {
        private final AtomicBoolean decided = new AtomicBoolean();
        private final AtomicReference<@Nullable CompletableFuture<R>> exposed = new AtomicReference<>();
    }

    // ---- what a subclass says ------------------------------------------------------------------------------------

    /** Makes a result from its packed form, every time somebody asks; equal each time. */
    @SuppressWarnings("unchecked")
    protected R unpack(Object packed) {
        return (R) packed;
    }

    /** It ended otherwise than by its work: what only the work needs, and what it came to, may be dropped. */
    protected void dropWork() {}

    /** Whether {@link #notifyCompleted} may run code that is not ours. */
    protected boolean hasListeners() {
        return false;
    }

    /** Tells observers the end, then calls {@link #publishResult}. Called once, and only if {@link #hasListeners}. */
    protected void notifyCompleted(R result) {
        publishResult(result);
    }

    /** Its end is known to all who wait; code of users that hangs on it has not run yet. Called once. Short, does not throw. */
    protected void onPublished() {}

    /**
     * Counts an end, or, if {@code number} is -1, takes that back. Counted before anyone can know of it, so that whoever knows
     * finds it counted; taken back if another end was quicker.
     */
    protected abstract void countOutcome(Object result, int number);

    /** Runs code that may never return, where it holds up nobody. */
    abstract void runOnAnotherThread(Runnable usersCode);

    /** Whether a thread that ends it by its work has more to do afterwards, which code of users must not hold up. */
    protected boolean defersUserCode() {
        return false;
    }

    // ---- deciding ------------------------------------------------------------------------------------------------

    /**
     * Ends it unless it has ended.
     *
     * @return whether this call did
     */
    final boolean tryComplete(Object result) {
        if (!tryDecide(result, false)) {
            dropWork();
            return false;
        }
        if (hasListeners()) {
            notifyCompleted(unpack(result));
        }
        return true;
    }

    /**
     * As {@link #tryComplete}, by one who has nothing to do with the work, and whom the observers must not hold up.
     *
     * @param next done if this call ended it, before observers hear of it
     */
    final boolean tryTerminate(R result, Runnable next) {
        if (!tryDecide(result, true)) {
            return false;
        }
        next.run();
        dropWork();
        if (hasListeners()) {
            runOnAnotherThread(() -> notifyCompleted(result));
        }
        return true;
    }

    private boolean tryDecide(Object result, boolean fromOutside) {
        if (isDecided()) {
            return false;
        }
        countOutcome(result, 1);
        if (hasListeners() ? decide() : completeWithoutListeners(result, fromOutside)) {
            return true;
        }
        countOutcome(result, -1);
        return false;
    }

    private boolean completeWithoutListeners(Object result, boolean fromOutside) {
        Object now = OUTCOME.compareAndExchange(this, null, result);
        if (now == null) {
            onPublished();
            return true;
        }
        if (now instanceof CompletionFuture<?> w && w.decided.compareAndSet(false, true)) {
            publish(unpack(result), fromOutside);
            return true;
        }
        return false;
    }

    /** Wins or loses the right to end it; the winner has to call {@link #publishResult}. */
    private boolean decide() {
        return !isCompleted() && ((CompletionFuture<R>) completion()).decided.compareAndSet(false, true);
    }

    /** Whether somebody has won the right to end it; then its work is not to begin. */
    protected final boolean isDecided() {
        Object now = outcome;
        return now != null && !(now instanceof CompletionFuture<?> w && !w.decided.get());
    }

    // ---- telling -------------------------------------------------------------------------------------------------

    /** Lets the waiters have {@code result}. For the one who decided the end. */
    protected final void publishResult(R result) {
        publish(result, false);
    }

    /** Lets the waiters have {@code exception}. For the one who decided the end. */
    protected final void publishException(RuntimeException exception) {
        publish(new Thrown(exception), false);
    }

    @SuppressWarnings("unchecked") // whoever decided did so on a Waiters of ours, and only the decider comes here
    private void publish(Object value, boolean fromOutside) {
        CompletionFuture<R> waiters = (CompletionFuture<R>) Objects.requireNonNull(OUTCOME.getAndSet(this, value));
        resolve(waiters, value);
        onPublished();
        CompletableFuture<R> exposed = waiters.exposed.get();
        if (exposed != null && (fromOutside || defersUserCode())) {
            runOnAnotherThread(() -> resolve(exposed, value));
        } else if (exposed != null) {
            resolve(exposed, value);
        }
    }

    /** The end; {@code null} while it is not known to waiters. Not for one that ends with an exception. */
    protected final @Nullable R outcomeOrNull() {
        Object now = outcome;
        return now == null || now instanceof CompletionFuture<?> ? null : unpack(now);
    }

    /** Whether the end is known to waiters. */
    protected final boolean isCompleted() {
        Object now = outcome;
        return now != null && !(now instanceof CompletionFuture<?>);
    }

    /** A future of the end, shared by all who wait; must not be handed to users, who could complete it or hang code on it. */
    @SuppressWarnings("unchecked") // end is what this class put there
    protected final CompletableFuture<R> completion() {
        Object now = outcome;
        if (now == null) {
            CompletionFuture<R> fresh = new CompletionFuture<>();
            now = OUTCOME.compareAndExchange(this, null, fresh);
            if (now == null) {
                return fresh;
            }
        }
        if (now instanceof CompletionFuture<?>) {
            return (CompletionFuture<R>) now;
        }
        CompletionFuture<R> ended = new CompletionFuture<>();
        ended.decided.set(true);
        resolve(ended, now);
        return ended;
    }

    /** Has {@code dependent} completed with the end, and user code that hangs on it run, when all else is done. */
    @SuppressWarnings("FutureReturnValueIgnored") // the stages' own futures have nothing to add
    protected final void completeDependent(CompletableFuture<R> dependent) {
        CompletionFuture<R> waiters = (CompletionFuture<R>) completion();
        waiters.exposed.compareAndSet(null, new CompletableFuture<>());
        CompletableFuture<R> root = Objects.requireNonNull(waiters.exposed.get());
        root.whenComplete((result, fault) -> transfer(dependent, result, fault));
        if (waiters.isDone()) {
            waiters.whenComplete(
                    (result, fault) -> transfer(root, result, fault)); // the end came before the root was there
        }
    }

    private void resolve(CompletableFuture<R> future, Object value) {
        if (value instanceof Thrown thrown) {
            future.completeExceptionally(thrown.exception());
        } else {
            future.complete(unpack(value));
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
