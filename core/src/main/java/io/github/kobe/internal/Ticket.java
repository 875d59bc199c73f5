package io.github.kobe.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One piece of work on its way through the kernel, and the place where its end is waited for.
 *
 * <p>A face extends it: {@link #execute()} is the work, {@link #cancelled(String)} and {@link #failed(Throwable)} turn what happened into the
 * face's own kind of result, {@link #announceStart} and {@link #announceEnd} tell its observers.
 *
 * <p>The stages, and who moves a ticket on:
 *
 * <pre>
 *   CLAIMED    has a place, its thread has not begun     born so; or QUEUED, by whoever takes it from the queue
 *   QUEUED     waits in its group's queue                set before it is linked
 *   WITHDRAWN  cancelled in the queue, still counted     by cancel
 *   RUNNING    its work is on a thread                   by its thread
 *   ENDED      decided                                   by whoever wins the compare-and-set out of any other stage
 *
 *   CLAIMED ──▶ RUNNING ──▶ ENDED        QUEUED ──▶ CLAIMED          QUEUED ──▶ WITHDRAWN ──▶ ENDED
 *      └───────────────────▲                └──▶ ENDED (refused after it was linked)
 * </pre>
 *
 * <p>Exactly one thread takes a ticket out of the undecided stages (for WITHDRAWN: into it), and that thread alone calls
 * {@link #announceEnd}; that is why a ticket has one end. Whether a place has to be given back is a separate question with a
 * separate owner: the thread that the ticket was started on does it, always, and nobody else.
 *
 * @param <R> what a waiter gets
 */
public abstract class Ticket<R> implements Runnable {

    private static final int CLAIMED = 0;
    private static final int QUEUED = 1;
    private static final int WITHDRAWN = 2;
    private static final int RUNNING = 3;
    private static final int ENDED = 4;

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

    /** {@code null} while nobody waits, a {@link Waiters} while somebody does, then the result or a {@link Thrown}. */
    private volatile @Nullable Object end;

    /** Set when it asks a group for admission, before any other thread can see the ticket. */
    private @Nullable Group group;

    /** How often the group had been stopped when the ticket asked for admission. */
    private int stopsSeen;

    /** The thread to interrupt; written before the stage becomes RUNNING, read after leaving RUNNING. */
    private @Nullable Thread thread;

    /** A result that waiters get as an exception. */
    private record Thrown(RuntimeException exception) {}

    /**
     * Built when the first waiter arrives, so that a ticket nobody waits for yet does not pay for it. Threads wait on the
     * future itself; code of users hangs on {@link #exposed} alone, which is completed last: what that code does, and how
     * long it takes, is nobody's business.
     */
    private static final class Waiters<R> extends CompletableFuture<R> {
        private final AtomicReference<@Nullable CompletableFuture<R>> exposed = new AtomicReference<>();
    }

    /** Does the work. Runs on the ticket's own thread, holding a place. */
    protected abstract R execute();

    /** The result of a ticket whose {@link #execute} threw, or that no thread could be had for. */
    protected abstract R failed(Throwable fault);

    /** The result of a ticket that was cancelled. */
    protected abstract R cancelled(String why);

    /** The name for its thread. */
    protected abstract String name();

    /**
     * Tells observers that the work is about to begin.
     *
     * @param takeOver goes on in this thread's stead if the observers never return
     * @return false if someone else has gone on, and this thread is not to
     */
    protected boolean announceStart(Runnable takeOver) {
        return true;
    }

    /** Tells observers the end, then calls {@link #complete}. Called once. */
    protected void announceEnd(R result) {
        complete(result);
    }

    /** Whether {@link #announceEnd} may run code that is not ours. */
    protected boolean isObserved() {
        return false;
    }

    // ---- in line -------------------------------------------------------------------------------------------------

    final void bind(Group toGroup) {
        group = toGroup;
        stopsSeen = toGroup.stops();
        STAGE.set(this, CLAIMED); // a group that refused it may have left another stage behind
    }

    final void enqueued() {
        STAGE.set(this, QUEUED); // published by the link that follows
    }

    /** What a thread that took a ticket from the queue got. */
    enum Claim {
        /** The ticket is the taker's, to be started. */
        LIVE,
        /** It was cancelled, and the taker has settled its count with the one it came with. */
        SETTLED,
        /** It ended and its count was settled before: take the next. */
        INERT
    }

    final Claim claim() {
        if (STAGE.compareAndSet(this, QUEUED, CLAIMED)) {
            return Claim.LIVE;
        }
        return STAGE.compareAndSet(this, WITHDRAWN, ENDED) ? Claim.SETTLED : Claim.INERT;
    }

    /** After {@link #cancel} in the queue: true if the caller's count settles this ticket. */
    final boolean settle() {
        return STAGE.compareAndSet(this, WITHDRAWN, ENDED);
    }

    /** Linked, but there is no room after all: true if nobody took it yet, and now nobody will. */
    final boolean refuse() {
        return STAGE.compareAndSet(this, QUEUED, ENDED);
    }

    /** Whether a queue may drop it without further ado. */
    final boolean isInert() {
        int s = stage;
        return s != QUEUED && s != WITHDRAWN;
    }

    // ---- on a thread ---------------------------------------------------------------------------------------------

    /** The whole life on a thread. The runner calls it, once. */
    @Override
    public final void run() {
        int place = arrive();
        if (!isObserved() || announceStart(() -> home().spawn(() -> work(place), name()))) {
            work(place);
        }
    }

    private void work(int place) {
        leave(place, begin() ? result() : null);
    }

    /** Makes itself known to a shutdown. Either the stop's scan sees us in the running set, or we see the stop here. */
    final int arrive() {
        Group home = home();
        int place = home.running().add(this);
        stopIfOlderThan(home.stops(), Group.SHUT_DOWN);
        return place;
    }

    /** CLAIMED to RUNNING; false if it was cancelled before. */
    final boolean begin() {
        thread = Thread.currentThread();
        return STAGE.compareAndSet(this, CLAIMED, RUNNING);
    }

    private R result() {
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
    final void leave(int place, @Nullable R result) {
        boolean mine = result != null && STAGE.compareAndSet(this, RUNNING, ENDED);
        thread = null;
        Group home = home();
        home.running().remove(place);
        home.release();
        if (mine && result != null) {
            announceEnd(result);
        }
    }

    /** No thread could be had. The place is the caller's business. */
    final void startFailed(Throwable fault) {
        if (STAGE.compareAndSet(this, CLAIMED, ENDED)) {
            announceEnd(failed(fault));
        }
    }

    /** Runs the work on the calling thread, without a place. For a ticket that was not admitted. */
    public final void runHere() {
        STAGE.setRelease(this, CLAIMED);
        if (!isObserved() || announceStart(() -> home().spawn(this::workHere, name()))) {
            workHere();
        }
    }

    private void workHere() {
        R result = result();
        if (STAGE.compareAndSet(this, CLAIMED, ENDED)) {
            announceEnd(result);
        }
    }

    /** Ends a ticket that was not admitted, with an end of the face's choosing. */
    public final void endWith(R result) {
        STAGE.setRelease(this, ENDED);
        announceEnd(result);
    }

    // ---- cancellation --------------------------------------------------------------------------------------------

    /**
     * Ends the ticket as cancelled unless it has ended: never runs if it has not begun; interrupted, if asked for, if it has.
     * A running one keeps its place until its work really ends.
     *
     * @return whether this call decided the end
     */
    protected final boolean cancel(boolean interrupt, String why) {
        if (!leaveUndecided(interrupt)) {
            return false;
        }
        announceFromOutside(cancelled(why));
        if (!isEnded()) {
            completion().join(); // the announcement is under way, and the watch over observers bounds it
        }
        return true;
    }

    /** An observer that never returns must hold up neither the canceller nor, in a shutdown, the other tickets. */
    private void announceFromOutside(R result) {
        if (isObserved() || (end instanceof Waiters<?> w && w.exposed.get() != null)) {
            home().spawn(() -> announceEnd(result), name());
        } else {
            announceEnd(result);
        }
    }

    /** As {@link #cancel}, by a shutdown, which does not wait for observers. Spares what came after the shutdown. */
    final void stopIfOlderThan(int stops, String why) {
        if (stopsSeen != stops && leaveUndecided(true)) {
            announceFromOutside(cancelled(why));
        }
    }

    /** Linked and counted now; a shutdown's scan of the queue may have come too early for it, or for its count. */
    final void noticeStop() {
        Group home = home();
        if (home.stops() != stopsSeen) {
            stopIfOlderThan(home.stops(), Group.SHUT_DOWN);
            if (stage == WITHDRAWN) {
                home.withdrawn(this);
            }
        }
    }

    /** Moves to a decided stage, and settles what that leaves behind; false if someone else decided. */
    private boolean leaveUndecided(boolean interrupt) {
        for (; ; ) {
            int s = stage;
            switch (s) {
                case QUEUED -> {
                    if (STAGE.compareAndSet(this, s, WITHDRAWN)) {
                        home().withdrawn(this);
                        return true;
                    }
                }
                case CLAIMED -> {
                    if (STAGE.compareAndSet(this, s, ENDED)) {
                        return true;
                    }
                }
                case RUNNING -> {
                    Thread t = thread;
                    if (STAGE.compareAndSet(this, s, ENDED)) {
                        interrupt(t, interrupt);
                        return true;
                    }
                }
                default -> {
                    return false;
                }
            }
        }
    }

    /** May come late; the thread was made for this ticket alone, so it cannot hit another one's work. */
    private static void interrupt(@Nullable Thread t, boolean wanted) {
        if (wanted && t != null) {
            t.interrupt();
        }
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    /** Lets the waiters have {@code result}. The first call counts. */
    protected final void complete(R result) {
        publish(result);
    }

    /** Lets the waiters have {@code exception}. The first call counts. */
    protected final void completeExceptionally(RuntimeException exception) {
        publish(new Thrown(exception));
    }

    @SuppressWarnings("unchecked") // end holds what END's users below put there
    private void publish(Object value) {
        for (; ; ) {
            Object now = end;
            if (now != null && !(now instanceof Waiters<?>)) {
                return;
            }
            if (END.compareAndSet(this, now, value)) {
                if (now != null) {
                    resolve((Waiters<R>) now, value);
                }
                return;
            }
        }
    }

    /** Whether the end is known to waiters. */
    protected final boolean isEnded() {
        Object now = end;
        return now != null && !(now instanceof Waiters<?>);
    }

    /** A future of the end, shared by all who wait; must not be handed to users, who could complete it or hang code on it. */
    @SuppressWarnings("unchecked") // see publish
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

    @SuppressWarnings("unchecked")
    private static <R> void resolve(Waiters<R> waiters, Object value) {
        R result = value instanceof Thrown ? null : (R) value;
        Throwable fault = value instanceof Thrown thrown ? thrown.exception() : null;
        transfer(waiters, result, fault);
        CompletableFuture<R> exposed = waiters.exposed.get();
        if (exposed != null) {
            transfer(exposed, result, fault);
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
