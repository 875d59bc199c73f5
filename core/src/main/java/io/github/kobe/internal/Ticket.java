package io.github.kobe.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One piece of work on its way through the kernel, and the place where its end is waited for.
 *
 * <p>A face extends it: {@link #execute()} is the work, {@link #cancelled(String)} and {@link #failed(Throwable)} turn what
 * happened into the face's own kind of result, {@link #announceStart} and {@link #announceEnd} tell its observers.
 *
 * <p>Two questions are decided apart from each other, each by one compare-and-set. <b>Is it in line?</b>, by {@code stage}:
 *
 * <pre>
 *   OUT     not in line: has a place, or never got one    born so
 *   QUEUED  waits in its group's queue                    set before it is linked
 *
 *   QUEUED ──▶ OUT   whoever takes it from the queue to start it, or a canceller
 * </pre>
 *
 * <b>How does it end?</b>, by {@code end}, which goes from {@code null} to the result; or, if anyone waits or observes, from
 * {@code null} by way of a {@link Waiters}, which then is what is competed for, to the result. The winner alone calls
 * {@link #announceEnd}: that is why a ticket has one end. A place is given back by the thread that did the work, always, and
 * by nobody else, whoever won; if there was no thread to be had, by the one who asked for it.
 *
 * <p>A canceller writes {@code end}, then reads {@code thread}; the ticket's thread writes {@code thread}, then reads
 * {@code end}; each has a compare-and-set in between. So a cancelled ticket either does not begin or is interrupted.
 *
 * @param <R> what a waiter gets
 */
public abstract class Ticket<R> implements Runnable {

    private static final int OUT = 0;
    private static final int QUEUED = 1;
    private static final int LONGEST_ANNOUNCEMENT_SECONDS = 3;

    private static final VarHandle STAGE;
    private static final VarHandle END;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STAGE = lookup.findVarHandle(Ticket.class, "stage", int.class);
            END = lookup.findVarHandle(Ticket.class, "end", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile int stage;

    /** {@code null} while nobody waits, a {@link Waiters} while somebody does, then the result, packed, or a {@link Thrown}. */
    private volatile @Nullable Object end;

    /** Set when it asks a group for admission, before any other thread can see the ticket. */
    private @Nullable Group group;

    /** How often the group had been stopped when the ticket asked for admission. */
    private int stopsSeen;

    /** The thread to interrupt, while the work is on it. */
    private @Nullable Thread thread;

    /** When it got its place, or, if it did not have to wait for it, when its thread began; 0 before. A canceller that sees an old value reports a shorter run, no more. */
    private long startedAt;

    /** When its work was done; 0 before. */
    private long endedAt;

    /** A result that waiters get as an exception. */
    private record Thrown(RuntimeException exception) {}

    /**
     * Built when the first waiter arrives, so that a ticket nobody waits for yet does not pay for it. Threads wait on the
     * future itself; code of users hangs on {@link #exposed} alone, which is completed last: what that code does, and how
     * long it takes, is nobody's business.
     */
    private static final class Waiters<R> extends CompletableFuture<R> {
        private final AtomicBoolean decided = new AtomicBoolean();
        private final AtomicReference<@Nullable CompletableFuture<R>> exposed = new AtomicReference<>();
    }

    /**
     * Does the work. Runs on the ticket's own thread, holding a place.
     *
     * @return the result, or something that {@link #unpack} makes it from if anyone ever asks
     */
    protected abstract Object execute();

    /** Makes a result from what {@link #execute} returned, every time somebody asks; equal each time. */
    @SuppressWarnings("unchecked")
    protected R unpack(Object packed) {
        return (R) packed;
    }

    /** The result, maybe packed, of a ticket whose {@link #execute} threw, or that no thread could be had for. */
    protected abstract Object failed(Throwable fault);

    /** The result of a ticket that was cancelled. */
    protected abstract R cancelled(String why);

    /** It ended otherwise than by its work: what only the work needs, and what it came to, may be dropped. */
    protected void letGo() {}

    /** Whether {@link #announceStart} and {@link #announceEnd} may run code that is not ours. */
    protected boolean isObserved() {
        return false;
    }

    /**
     * Tells observers that the work is about to begin.
     *
     * @param takeOver goes on in this thread's stead if the observers never return
     * @return false if someone else has gone on, and this thread is not to
     */
    protected boolean announceStart(Runnable takeOver) {
        return true;
    }

    /** Tells observers the end, then calls {@link #complete}. Called once, and only if {@link #isObserved}. */
    protected void announceEnd(R result) {
        complete(result);
    }

    // ---- in line -------------------------------------------------------------------------------------------------

    final void bind(Group toGroup) {
        group = toGroup;
        stopsSeen = toGroup.stops();
    }

    final void enqueued() {
        STAGE.set(this, QUEUED); // published by the link that follows
    }

    /** True if the caller, who polled it from the queue, is to start it; false if it was cancelled in line. */
    final boolean claim() {
        return STAGE.compareAndSet(this, QUEUED, OUT);
    }

    /** It has got a place, at {@code now}; 0 if it is to look at the clock itself. */
    final void placed(long now) {
        startedAt = now;
    }

    /** Whether a queue may drop it without further ado. */
    final boolean isInert() {
        return stage == OUT;
    }

    // ---- on a thread ---------------------------------------------------------------------------------------------

    /** The whole life on a thread. The runner calls it, once. */
    @Override
    public final void run() {
        int place = arrive();
        if (!isObserved() || isDecided()) {
            work(place);
        } else if (announceStart(() -> home().spawn(() -> workElsewhere(place)))) {
            Thread.interrupted(); // of an observer's making; a canceller decides before it interrupts, and work looks
            work(place);
        }
    }

    private void work(int place) {
        if (startedAt == 0) {
            startedAt = home().now();
        }
        leave(place, isDecided() ? null : result());
    }

    private void workElsewhere(int place) {
        thread = Thread.currentThread();
        VarHandle.fullFence(); // as in arrive
        work(place);
    }

    /**
     * Makes itself known to cancellers, by {@code thread}, and to a shutdown, by the running set, whose compare-and-set keeps
     * what is written before it and what is read after it apart: either they see us, or we see what they decided.
     */
    final int arrive() {
        thread = Thread.currentThread();
        int place = home().running().add(this);
        noticeStop();
        return place;
    }

    private Object result() {
        try {
            return execute();
        } catch (Throwable fault) {
            return failed(fault);
        }
    }

    /**
     * The work is off the thread. The place goes back before the waiters hear of the end, so that whoever waited can count
     * on it: submit, wait, submit again never finds its own last task in the way.
     */
    final void leave(int place, @Nullable Object result) {
        thread = null;
        Group home = home();
        long now = home.now();
        endedAt = now;
        // After a close nobody submits any more, but somebody may wait for the last place to come back, and then look.
        boolean endsFirst = home.isClosed();
        if (result != null && endsFirst) {
            conclude(result);
        }
        home.running().remove(place);
        home.release(now);
        if (result != null && !endsFirst) {
            conclude(result);
        }
    }

    /** No thread could be had. The place is the caller's business. */
    final void startFailed(Throwable fault) {
        startedAt = home().now();
        endedAt = startedAt;
        conclude(failed(fault));
    }

    /** Runs the work on the calling thread, without a place. For a ticket that was not admitted. */
    public final void runHere() {
        if (!isObserved() || announceStart(() -> home().spawn(this::workHere))) {
            workHere();
        }
    }

    private void workHere() {
        startedAt = home().now();
        Object result = result();
        endedAt = home().now();
        conclude(result);
    }

    /** Ends a ticket that was not admitted, with an end of the face's choosing. */
    public final void endWith(R result) {
        conclude(result);
    }

    // ---- cancellation --------------------------------------------------------------------------------------------

    /**
     * Ends the ticket as cancelled unless it has ended: never runs if it has not begun; interrupted, if asked for, if it has.
     * A running one keeps its place until its work really ends.
     *
     * @return whether this call decided the end
     */
    protected final boolean cancel(boolean interrupt, String why) {
        if (!concludeFromOutside(interrupt, why)) {
            return false;
        }
        awaitAnnouncement();
        return true;
    }

    /** For the one who cancelled it: returns when its handle is done, or when observers have had more time than they may. */
    final void awaitAnnouncement() {
        if (!isEnded()) {
            try {
                completion()
                        .copy()
                        .orTimeout(LONGEST_ANNOUNCEMENT_SECONDS, TimeUnit.SECONDS)
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
        return stopsSeen != stops && concludeFromOutside(true, home().stopReason());
    }

    /** The same for one that was found in the queue: if it is not in line any more, it notices the stop when it arrives. */
    final boolean stopInLineIfOlderThan(int stops) {
        return stopsSeen != stops && withdraw() && concludeFromOutside(true, home().stopReason());
    }

    /** Linked, or on its thread, or looked at: a shutdown may have looked for it where it was not yet. */
    final void noticeStop() {
        stopIfOlderThan(home().stops());
    }

    private boolean withdraw() {
        if (!claim()) {
            return false;
        }
        home().withdrawn();
        return true;
    }

    private boolean concludeFromOutside(boolean interrupt, String why) {
        if (isDecided()) {
            return false;
        }
        withdraw();
        R result = cancelled(why);
        if (isObserved() ? !decide() : !concludeUnobserved(result, true)) {
            return false;
        }
        Thread t = thread;
        if (interrupt && t != null) {
            t.interrupt(); // may come late; the thread was made for this ticket, so it cannot hit another one's work
        }
        letGo();
        if (isObserved()) {
            elsewhere(() -> announceEnd(result));
        }
        return true;
    }

    /** Code that may never return must hold up neither a canceller nor, in a shutdown, the other tickets. */
    private void elsewhere(Runnable usersCode) {
        home().spawn(usersCode);
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    /** When it started, by the dispatcher's timer; 0 if it has not. */
    protected final long startedAt() {
        return startedAt;
    }

    /** When its work was done; 0 if it is not. */
    protected final long endedAt() {
        return endedAt;
    }

    /** Ends the ticket unless it has ended. */
    private void conclude(Object result) {
        boolean mine = isObserved() ? decide() : concludeUnobserved(result, false);
        if (!mine) {
            letGo();
        } else if (isObserved()) {
            announceEnd(unpack(result));
        }
    }

    private boolean concludeUnobserved(Object result, boolean fromOutside) {
        Object now = END.compareAndExchange(this, null, result);
        if (now == null) {
            return true;
        }
        if (now instanceof Waiters<?> w && w.decided.compareAndSet(false, true)) {
            publish(unpack(result), fromOutside);
            return true;
        }
        return false;
    }

    /** Wins or loses the right to end the ticket; the winner has to call {@link #complete}. */
    private boolean decide() {
        return !isEnded() && ((Waiters<R>) completion()).decided.compareAndSet(false, true);
    }

    /** Whether somebody has won the right to end the ticket; then its work is not to begin. */
    final boolean isDecided() {
        Object now = end;
        return now != null && !(now instanceof Waiters<?> w && !w.decided.get());
    }

    /** Lets the waiters have {@code result}. For the one who decided the end. */
    protected final void complete(R result) {
        publish(result, false);
    }

    /** Lets the waiters have {@code exception}. For the one who decided the end. */
    protected final void completeExceptionally(RuntimeException exception) {
        publish(new Thrown(exception), false);
    }

    @SuppressWarnings("unchecked") // whoever decided did so on a Waiters of ours, and only the decider comes here
    private void publish(Object value, boolean fromOutside) {
        Waiters<R> waiters = (Waiters<R>) Objects.requireNonNull(END.getAndSet(this, value));
        resolve(waiters, value);
        CompletableFuture<R> exposed = waiters.exposed.get();
        if (exposed != null && fromOutside) {
            elsewhere(() -> resolve(exposed, value));
        } else if (exposed != null) {
            resolve(exposed, value);
        }
    }

    /**
     * Whether the end is known to waiters, for one who asks from outside: a ticket that was stopped while its thread was on its
     * way need not wait for the thread to be told so.
     */
    protected final boolean isEndedByNow() {
        if (!isEnded() && group != null) {
            noticeStop();
        }
        return isEnded();
    }

    /** Whether the end is known to waiters. */
    protected final boolean isEnded() {
        Object now = end;
        return now != null && !(now instanceof Waiters<?>);
    }

    /** A future of the end, shared by all who wait; must not be handed to users, who could complete it or hang code on it. */
    @SuppressWarnings("unchecked") // end is what this class put there
    protected final CompletableFuture<R> completion() {
        Object now = end;
        if (now == null) {
            Waiters<R> fresh = new Waiters<>();
            now = END.compareAndExchange(this, null, fresh);
            if (now == null) {
                return fresh;
            }
        }
        if (now instanceof Waiters<?>) {
            return (Waiters<R>) now;
        }
        Waiters<R> ended = new Waiters<>();
        ended.decided.set(true);
        resolve(ended, now);
        return ended;
    }

    /** Has {@code dependent} completed with the end, and user code that hangs on it run, when all else is done. */
    @SuppressWarnings("FutureReturnValueIgnored") // the stages' own futures have nothing to add
    protected final void completeLater(CompletableFuture<R> dependent) {
        Waiters<R> waiters = (Waiters<R>) completion();
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

    private Group home() {
        return Objects.requireNonNull(group);
    }
}
