package io.github.kobe;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * A task of a view, in its group. The kernel decides how a ticket ends; whether the command of this one was begun is decided
 * here, once, since an {@link java.util.concurrent.ExecutorService} has to know of each.
 *
 * <pre>
 *   NEW ──▶ BEGUN   the thread that runs the command
 *   NEW ──▶ NEVER   whoever ends the ticket; the command's future is cancelled
 *   NEW ──▶ TAKEN   one who hands the command back to its owner, whose business its future is
 *
 *   BEGUN ──▶ OVER  the command has returned
 *   OVER ──▶ GONE   the place is free too, and the future told
 * </pre>
 *
 * The view counts a ticket until it is NEVER, TAKEN or GONE.
 */
final class ViewTask extends GroupTaskImpl<Object> {

    /** What errors and listeners call a task that has no name of its own. */
    static final String NAME = "execute";

    static final String STOPPED = "view shut down";

    private static final int NEW = 0;
    private static final int BEGUN = 1;
    private static final int OVER = 2;
    private static final int GONE = 3;
    private static final int NEVER = 4;
    private static final int TAKEN = 5;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(ViewTask.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final GroupExecutorService view;
    private volatile int state;
    private @Nullable Runnable command; // until it is over, or will never be begun

    /** Ours, for the command or around it; {@code null} if there is none, or if it was told. */
    private @Nullable ViewFuture<?> future;

    ViewTask(
            GroupExecutorService view,
            Runnable command,
            @Nullable ViewFuture<?> future,
            @Nullable ListenerNotifier announcer) {
        super(view.groupKey(), NAME, announcer);
        this.view = view;
        this.command = command;
        this.future = future;
    }

    // ---- the work ------------------------------------------------------------------------------------------------

    @Override
    protected Object execute() {
        Runnable work = command;
        if (work == null || !begins()) {
            return cancelled("taken back");
        }
        Throwable fault;
        try {
            fault = perform(work);
        } catch (Throwable uncaught) {
            fault = uncaught;
            view.uncaught(this, uncaught);
        }
        over();
        return outcomeOf(fault);
    }

    private boolean begins() {
        if (!STATE.compareAndSet(this, NEW, BEGUN)) {
            return false;
        }
        if (view.isStopped()) {
            interruptWork(); // who stopped the view may have looked for it before it was on its thread
        }
        return true;
    }

    /** Returns what was thrown in a future of ours; throws what was not. */
    private @Nullable Throwable perform(Runnable work) {
        if (work instanceof ViewFuture<?> own) {
            return own.runHeld();
        }
        work.run();
        ViewFuture<?> inner = future;
        return inner == null ? null : inner.fault();
    }

    private void over() {
        command = null;
        STATE.setRelease(this, OVER);
    }

    /** The last that is to be done, by the first who comes by once the command is over; without listeners, only one does. */
    private void settle() {
        if (state == OVER && (hasListeners() ? STATE.compareAndSet(this, OVER, GONE) : gone())) {
            ViewFuture<?> its = future;
            if (its != null) {
                its.publish();
                future = null;
            }
            view.leave();
        }
    }

    private boolean gone() {
        STATE.setRelease(this, GONE);
        return true;
    }

    /** Listeners have heard, or are not waited for. */
    @Override
    void publish(GroupResult<Object> result) {
        super.publish(result);
        settle();
    }

    @Override
    protected void onFinished() {
        if (state == NEW) {
            dropWork();
        }
        settle();
    }

    /** No thread could be had: what the command throws is caught in {@link #execute}. */
    @Override
    protected Object failed(Throwable fault) {
        ViewFuture<?> its = future;
        if (its == null) {
            view.faults().report("start of a thread", this, fault);
        } else {
            its.endAs(GroupResult.failed(groupKey(), NAME, fault, 0, 0));
        }
        return super.failed(fault);
    }

    // ---- an end without it ---------------------------------------------------------------------------------------

    /** Ended from outside. A command that was begun goes on until it notices, but who waits for our future need not. */
    @Override
    protected void dropWork() {
        Runnable work = command;
        ViewFuture<?> its = future;
        boolean never = STATE.compareAndSet(this, NEW, NEVER);
        if (its != null && state != TAKEN) {
            its.cancel(false);
        }
        if (never) {
            if (work instanceof Future<?> foreign && !(work instanceof ViewFuture<?>)) {
                view.cancelElsewhere(this, foreign);
            }
            forget();
            view.leave();
        }
    }

    private void forget() {
        command = null;
        future = null;
    }

    /** It was not let in, and whoever brought it is told so. */
    void refused() {
        if (STATE.compareAndSet(this, NEW, TAKEN)) {
            ViewFuture<?> its = future;
            if (its != null) {
                its.bind(null);
            }
            view.leave();
        }
    }

    /** It was not let in, and this is the end that it was given; {@code null} if that is an exception. */
    void turnedAway(@Nullable GroupResult<?> decided) {
        ViewFuture<?> its = future;
        if (its != null && decided != null) {
            its.endAs(decided);
        }
        dropWork();
    }

    /** Takes it out of its group if it was not begun. */
    boolean takeBack(String why) {
        if (!STATE.compareAndSet(this, NEW, TAKEN)) {
            return false;
        }
        withdraw(false, why);
        forget();
        view.leave();
        return true;
    }

    boolean isOf(GroupExecutorService some) {
        return view == some;
    }

    /** Interrupts it, or takes it back and adds its command to {@code neverBegun}. */
    void stop(List<Runnable> neverBegun) {
        Runnable work = command;
        if (work != null && takeBack(STOPPED)) {
            neverBegun.add(work);
        } else if (state == BEGUN) {
            interruptWork();
        }
    }

    // ---- run by a rejection handler ------------------------------------------------------------------------------

    /** For a handler, which may call it once, where and when it likes, until it has decided. */
    @Override
    Callable<Object> task() {
        return this::call;
    }

    @SuppressWarnings("NullAway") // as every callable made of a runnable
    private Object call() throws Exception {
        Runnable work = command;
        if (work == null || !begins()) {
            throw new CancellationException(this + " is not to be run any more");
        }
        try {
            throwIfFailed(perform(work));
            return null;
        } finally {
            over();
            settle();
        }
    }

    private static void throwIfFailed(@Nullable Throwable fault) throws Exception {
        switch (fault) {
            case null -> {}
            case Error e -> throw e;
            case Exception e -> throw e;
            default -> throw new ExecutionException(fault);
        }
    }
}
