package io.github.kobe.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One piece of work on its way through the kernel.
 *
 * <p>A face extends it: {@link #execute()} is the work, {@link #cancelled(String)}, {@link #failed(Throwable)} and
 * {@link #ousted(Ousting)} turn what happened into the face's own kind of result, {@link #announceStart} and {@link #announceEnd}
 * tell its observers.
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
 * <b>How does it end?</b>, see {@link Ending}. A place is given back by the thread that did the work, always, and
 * by nobody else, whoever won; if there was no thread to be had, by the one who asked for it; if it keeps its place between two
 * attempts, by whoever takes it out of DELAYED for good.
 *
 * <p>A canceller writes {@code end}, then reads {@code thread}; the ticket's thread writes {@code thread}, then reads
 * {@code end}; each has a compare-and-set in between. So a cancelled ticket either does not begin or is interrupted. In the same
 * way a canceller reads {@code stage} after it wrote {@code end}, and a thread that writes DELAYED reads {@code end} after it: one of
 * the two clears up.
 *
 * @param <R> what a waiter gets
 */
public abstract class Ticket<R> extends Ending<R> implements Runnable {

    private static final int OUT = 0;
    private static final int QUEUED = 1;
    private static final int DELAYED = 2;
    private static final int AGAIN = 3;
    private static final int LONGEST_ANNOUNCEMENT_SECONDS = 3;

    private static final VarHandle STAGE;

    static {
        try {
            STAGE = MethodHandles.lookup().findVarHandle(Ticket.class, "stage", int.class);
            Loaded.now(Plan.class); // plan() is asked for with every step, by tickets that have none
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile int stage;

    /** Set when it asks a group for admission, before any other thread can see the ticket. */
    private @Nullable Group group;

    /** How often the group had been stopped when the ticket asked for admission. */
    private int stopsSeen;

    /** The thread to interrupt, while the work is on it. */
    private @Nullable Thread thread;

    /** When it got its place, or, if it did not have to wait for it, when its thread began; 0 before. A canceller that sees an old value reports a shorter run, no more. */
    private long startedAt;

    /** When it was put in line, 0 if it was not, or if nobody looked; from its end on, when its work was done. One field, for there may be millions in line. */
    private long queuedThenEndedAt;

    // ---- what a face says ----------------------------------------------------------------------------------------

    /**
     * Does the work. Runs on the ticket's own thread, holding a place.
     *
     * @return the result, or something that {@link #unpack} makes it from if anyone ever asks
     */
    protected abstract Object execute();

    /** The result, maybe packed, of a ticket whose {@link #execute} threw, or that no thread could be had for. */
    protected abstract Object failed(Throwable fault);

    /** The result of a ticket that was cancelled. */
    protected abstract R cancelled(String why);

    /** The result of a ticket that the kernel put an end to. Only asked for if it has a plan, or if others may displace it. */
    protected R ousted(Ousting why) {
        return cancelled(why.name());
    }

    /** Its wishes, if it has any; the same each time. */
    protected @Nullable Plan plan() {
        return null;
    }

    /**
     * After an attempt, on its thread: whether there is to be another. Only asked if it has a plan, and has not ended otherwise.
     *
     * @param result what {@link #execute} returned
     * @return how many nanoseconds from now, or -1 if {@code result} is the end
     */
    protected long retryDelay(Object result) {
        return -1;
    }

    /** The slot of the tally that an end with {@code result} is counted in; -1 for none. */
    protected int tallySlot(Object result) {
        return -1;
    }

    /** What else an end is counted under; empty for nothing. */
    protected String tallyTag() {
        return "";
    }

    /**
     * Tells observers that the work is about to begin. Only called if {@link #isObserved}.
     *
     * @param takeOver goes on in this thread's stead if the observers never return
     * @return false if someone else has gone on, and this thread is not to
     */
    protected boolean announceStart(Runnable takeOver) {
        return true;
    }

    /** It was on a thread, or none could be had, and will not be on one again. The last call for it; none if it ends in line. */
    protected void left() {}

    /**
     * It has its place: has its work done.
     *
     * @return false if that is not wanted any more; then the place is the caller's
     * @throws RuntimeException or an {@link Error} if no thread can be had; then the place is the caller's too
     */
    protected boolean launch(Runner runner) {
        runner.start(this);
        return true;
    }

    /**
     * Whether its end is told before its place goes back. The other way round whoever waited finds the place free; this way, whoever
     * waits for the last place to come back finds that all is told.
     */
    protected boolean endsBeforeItLeaves() {
        return home().isClosed();
    }

    // ---- in line -------------------------------------------------------------------------------------------------

    final void bind(Group toGroup) {
        group = toGroup;
        stopsSeen = toGroup.stops();
    }

    final int priority() {
        Plan plan = plan();
        return plan == null ? 0 : plan.priority();
    }

    /** Counted, and about to be linked; {@code now} is 0 if nobody looked at the clock for it. */
    final void enqueued(long now) {
        queuedThenEndedAt = now;
        STAGE.set(this, isFurtherAttempt() ? AGAIN : QUEUED); // published by the link that follows
        Plan plan = plan();
        if (plan != null) {
            plan.enqueued(this, home().timer(), now);
        }
    }

    /** True if the caller, who polled it from the line, has it now; false if it was taken out of line otherwise. */
    final boolean claim() {
        int now = stage;
        return isInLine(now) && STAGE.compareAndSet(this, now, OUT);
    }

    private static boolean isInLine(int stage) {
        return stage == QUEUED || stage == AGAIN;
    }

    /** Whether a line may drop it without further ado. */
    final boolean isInert() {
        return !isInLine(stage);
    }

    /** Whether it waits for another attempt. */
    final boolean isDelayed() {
        return stage == DELAYED;
    }

    /** Whether it waits in line for its first start. */
    public final boolean waitsForFirstStart() {
        return stage == QUEUED;
    }

    /** When it was put in line; 0 if it is not in line, or if nobody looked. */
    final long queuedAt() {
        long since = queuedThenEndedAt;
        return isInLine(stage) ? since : 0;
    }

    /**
     * It has got a place, at {@code now}; 0 if it is to look at the clock itself.
     *
     * @return false if that is too late; it has ended, and the place is the caller's
     */
    final boolean placed(long now) {
        Plan plan = plan();
        if (plan != null) {
            plan.letIn(this, home().timer());
            plan.leftLine(home().timer());
            if (plan.isOverdue(now)) {
                oust(Ousting.EXPIRED);
                return false;
            }
        }
        startedAt = now;
        return true;
    }

    // ---- on a thread ---------------------------------------------------------------------------------------------

    /** One attempt's whole life on a thread. The runner calls it, once for each attempt. */
    @Override
    public final void run() {
        int place = arrive();
        if (!isObserved() || isDecided() || isFurtherAttempt()) {
            work(place);
        } else if (announceStart(() -> home().spawn(() -> workElsewhere(place)))) {
            Thread.interrupted(); // of an observer's making; a canceller decides before it interrupts, and work looks
            work(place);
        }
    }

    private boolean isFurtherAttempt() {
        Plan plan = plan();
        return plan != null && plan.failedAttempts() > 0;
    }

    private void work(int place) {
        if (startedAt == 0) {
            startedAt = home().now();
        }
        if (isDecided()) {
            leave(place, null);
            return;
        }
        begin();
        finish(place, result());
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
        Plan plan = plan();
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
        noticeStop();
        return place;
    }

    /** Its budget runs from here. */
    final void begin() {
        Plan plan = plan();
        if (plan != null) {
            plan.begins(this, home().timer(), startedAt);
        }
    }

    private Object result() {
        try {
            return execute();
        } catch (Throwable fault) {
            return failed(fault);
        }
    }

    /** An attempt is over. */
    final void finish(int place, Object result) {
        Plan plan = plan();
        if (plan != null && !isDecided()) {
            long delay = retryDelay(result);
            if (delay >= 0) {
                comeAgain(plan, delay);
                return;
            }
        }
        leave(place, result);
    }

    /**
     * The work is off the thread. The place goes back before the waiters hear of the end, so that whoever waited can count
     * on it: submit, wait, submit again never finds its own last task in the way.
     */
    final void leave(int place, @Nullable Object result) {
        thread = null;
        Group home = home();
        long now = home.now();
        attemptEnded(home, now);
        Plan plan = plan();
        if (plan != null) {
            plan.clearSlot();
            plan.over(home.timer());
        }
        boolean endsFirst = endsBeforeItLeaves();
        if (result != null && endsFirst) {
            conclude(result);
        }
        home.running().remove(place);
        home.release(startedAt, now);
        if (result != null && !endsFirst) {
            conclude(result);
        }
        left();
    }

    private void attemptEnded(Group home, long now) {
        Times times = home.times();
        if (times != null) {
            times.record(queuedThenEndedAt == 0 ? 0 : startedAt - queuedThenEndedAt, now - startedAt);
        }
        queuedThenEndedAt = now;
    }

    /** It is not run by us, and the one who did the work gives the place back. */
    final void giveBack() {
        long now = home().now();
        attemptEnded(home(), now);
        home().release(startedAt, now);
    }

    /** It did not have to wait, and is not run by us: its start is now. */
    final void startNow() {
        if (startedAt == 0) {
            startedAt = home().now();
        }
    }

    /** No thread could be had. The place is the caller's business. */
    final void startFailed(Throwable fault) {
        startedAt = home().now();
        queuedThenEndedAt = startedAt;
        Plan plan = plan();
        if (plan != null) {
            letGoOf(plan);
        }
        conclude(failed(fault));
        left();
    }

    /** Runs the work on the calling thread, without a place, once. For a ticket that was not admitted. */
    public final void runHere() {
        if (!isObserved() || announceStart(() -> home().spawn(this::workHere))) {
            workHere();
        }
    }

    private void workHere() {
        startedAt = home().now();
        Object result = result();
        queuedThenEndedAt = home().now();
        conclude(result);
        left();
    }

    /** Ends a ticket that was not admitted, with an end of the face's choosing. */
    public final void endWith(R result) {
        conclude(result);
    }

    // ---- between two attempts ------------------------------------------------------------------------------------

    /**
     * The attempt failed, and there is to be another. It stays in the running set, where a shutdown finds it, and, unless it
     * keeps its place, is counted as delayed before the place goes back, so that its group does not retire meanwhile.
     */
    private void comeAgain(Plan plan, long delay) {
        thread = null;
        Group home = home();
        plan.attemptFailed();
        home.delayed();
        if (plan.keepsPlace()) {
            stage = DELAYED;
        } else {
            long start = startedAt;
            long now = home.now();
            attemptEnded(home, now);
            stage = DELAYED;
            home.release(start, now);
        }
        plan.comesAgain(this, home.timer(), delay);
        if (isDecided()) {
            clearUp();
            callOff(); // who cleared up may have come before it was started
        }
    }

    /** The delay is over. */
    final void comeBack() {
        if (!STAGE.compareAndSet(this, DELAYED, OUT)) {
            return;
        }
        Plan plan = Objects.requireNonNull(plan());
        if (plan.keepsPlace()) {
            home().startAgain(this);
        } else {
            startedAt = 0;
            queuedThenEndedAt = 0;
            home().readmit(this);
        }
        home().delayOver();
    }

    /** What is left of a plan when the ticket will not be on a thread again. */
    private void letGoOf(Plan plan) {
        plan.leftLine(home().timer());
        plan.over(home().timer());
        if (plan.hasSlot()) {
            home().running().remove(plan.clearSlot());
        }
    }

    // ---- an end from outside -------------------------------------------------------------------------------------

    /**
     * Ends the ticket as cancelled unless it has ended: never runs if it has not begun; interrupted, if asked for, if it has.
     * A running one keeps its place until its work really ends.
     *
     * @return whether this call decided the end
     */
    protected final boolean cancel(boolean interrupt, String why) {
        if (!endFromOutside(interrupt, why)) {
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
        return stopsSeen != stops && endFromOutside(true, home().stopReason());
    }

    /** The same for one that was found in the queue: if it is not in line any more, it notices the stop when it arrives. */
    final boolean stopInLineIfOlderThan(int stops) {
        return stopsSeen != stops && clearUp() && endFromOutside(true, home().stopReason());
    }

    /** Linked, or on its thread, or looked at: a shutdown may have looked for it where it was not yet. */
    final void noticeStop() {
        stopIfOlderThan(home().stops());
    }

    /** Linked for a further attempt: one who ended it meanwhile has looked for it where it was not yet. */
    final void noticeEnd() {
        if (isDecided()) {
            clearUp();
        }
    }

    /** It waited too long for its first start; unless it has started since, wherever it is now. */
    final void expire() {
        if (STAGE.compareAndSet(this, QUEUED, OUT)) {
            outOfLine(plan());
            oust(Ousting.EXPIRED);
        }
    }

    /** It takes too long, wherever it is. */
    final void timeOut() {
        oust(Ousting.TIMED_OUT);
    }

    /**
     * Another one gets its place in line; the caller has claimed it.
     *
     * @param leave takes it off the count, after its end has the numbers of when it was in the way, and before anyone knows of it
     */
    final void displaced(Runnable leave) {
        Plan plan = plan();
        if (plan != null) {
            letGoOf(plan);
        }
        R end = ousted(Ousting.DISPLACED);
        leave.run();
        endFromOutside(true, end);
    }

    private void oust(Ousting why) {
        if (!isDecided()) {
            endFromOutside(true, ousted(why));
        }
    }

    /** As {@link #cancel}, without waiting for observers. */
    protected final boolean endFromOutside(boolean interrupt, String why) {
        return !isDecided() && endFromOutside(interrupt, cancelled(why));
    }

    private boolean endFromOutside(boolean interrupt, R result) {
        clearUp();
        return concludeFromOutside(result, () -> {
            clearUp(); // it may have begun to wait for another attempt since
            callOff(); // or we may have cleared up before its thread had told the timer to bring it back
            if (interrupt) {
                interruptWork();
            }
        });
    }

    /** Interrupts its thread, if it is on one; may come late, but a runner whose threads have other work sees to it that nobody else is hit. */
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

    /**
     * Takes it out of where it waits, if it waits.
     *
     * @return whether this call did
     */
    private boolean clearUp() {
        Plan plan = plan();
        if (claim()) {
            outOfLine(plan);
            return true;
        }
        if (plan == null || !STAGE.compareAndSet(this, DELAYED, OUT)) {
            return false;
        }
        callOff();
        letGoOf(plan);
        if (plan.keepsPlace()) {
            home().release(startedAt, home().now());
        }
        home().delayOver();
        return true;
    }

    private void outOfLine(@Nullable Plan plan) {
        if (plan != null) {
            letGoOf(plan);
        }
        home().withdrawn();
    }

    private void callOff() {
        Plan plan = plan();
        if (plan != null && group != null) {
            plan.comesNotAgain(home().timer());
        }
    }

    @Override
    final void elsewhere(Runnable usersCode) {
        home().spawn(usersCode);
    }

    @Override
    final boolean isInAHurry() {
        return group != null && group.reusesThreads();
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    /** The thread that its work is on; {@code null} if it is on none. A figure to look at. */
    protected final @Nullable Thread thread() {
        return thread;
    }

    /** When it started last, by the dispatcher's timer; 0 if it has not. */
    protected final long startedAt() {
        return startedAt;
    }

    /** When it was last put in line; 0 if it was not, or if nobody looked. Of one that has not ended by its work. */
    protected final long lastQueuedAt() {
        return queuedThenEndedAt;
    }

    /** When its work was done; of one that has ended. */
    protected final long endedAt() {
        return queuedThenEndedAt;
    }

    /** The group that it asked last for admission; {@code null} if it has not asked. */
    public final @Nullable Group group() {
        return group;
    }

    /** Where its end is counted. */
    protected @Nullable Group tallyGroup() {
        return group;
    }

    /** Counts something that is not its end. */
    protected final void count(int slot) {
        Group counting = tallyGroup();
        if (counting != null) {
            counting.count(slot, 1, "");
        }
    }

    @Override
    protected void count(Object result, int number) {
        int slot = tallySlot(result);
        Group counting = tallyGroup();
        if (slot >= 0 && counting != null) {
            counting.count(slot, number, tallyTag());
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

    private Group home() {
        return Objects.requireNonNull(group);
    }
}
