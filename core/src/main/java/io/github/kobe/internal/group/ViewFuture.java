package io.github.kobe.internal.group;

import io.github.kobe.GroupResult;
import io.github.kobe.TaskStatus;
import io.github.kobe.internal.kernel.BlockedWait;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The work of a view's task, and the future of its value. A cancel of the future cancels the task. If the task runs this future itself, the
 * outcome is held back until the permit is released. The kernel decides the outcome of the task. This class decides whether it starts:
 *
 * <pre>
 *   NEW → STARTED → RETURNED → DONE   runs, has returned, its permit is released and the future is completed
 *   NEW → DONE                        never runs; the future is cancelled
 *   NEW → TAKEN_BACK                  never runs here; the future belongs to the caller, who may run it
 * </pre>
 *
 * The view counts the task until it is DONE or TAKEN_BACK.
 */
final class ViewFuture<T extends @Nullable Object> extends FutureTask<T> {

    private static final int NEW = 0;
    private static final int STARTED = 1;
    private static final int RETURNED = 2;
    private static final int DONE = 3;
    private static final int TAKEN_BACK = 4;

    @SuppressWarnings("rawtypes")
    private static final AtomicIntegerFieldUpdater<ViewFuture> RUN_STATE =
            AtomicIntegerFieldUpdater.newUpdater(ViewFuture.class, "runState");

    final GroupExecutorService view;
    final GroupTaskImpl<Object> task;

    private volatile int runState;
    private @Nullable Callable<T> callable; // until the future completes
    private @Nullable T heldValue;
    private @Nullable Throwable heldError;

    /** What the task runs: this future; a command that runs it; or a command without a future, then this one is given to no caller. */
    Runnable command = this;

    ViewFuture(GroupExecutorService view, Callable<T> callable) {
        super(callable);
        this.view = view;
        this.callable = callable;
        this.task = view.engine.newViewTask(view.groupKey, this);
    }

    // ---- running -------------------------------------------------------------------------------------------------

    /** Runs the command on the task's thread. Returns the packed outcome of the task. */
    Object execute() {
        if (!start()) {
            return task.cancelled("taken back");
        }
        Throwable error;
        try {
            error = runCommand();
        } catch (Throwable uncaught) {
            error = uncaught;
            Thread thread = Thread.currentThread();
            Thread.UncaughtExceptionHandler handler = thread.getUncaughtExceptionHandler();
            runUserCode("uncaught exception handler", () -> handler.uncaughtException(thread, uncaught));
        }
        runState = RETURNED;
        return task.outcomeOf(error);
    }

    /** Runs the command for a rejection handler. */
    @SuppressWarnings("NullAway") // the value of a command is null
    Object callForHandler() throws Exception {
        if (!start()) {
            throw new CancellationException(task + " must not run any more");
        }
        try {
            Throwable error = runCommand();
            if (error instanceof Error e) {
                throw e;
            } else if (error != null) {
                throw error instanceof Exception e ? e : new ExecutionException(error);
            }
            return null;
        } finally {
            runState = RETURNED;
            finished();
        }
    }

    /** If the view was stopped before the task was on its thread, {@code shutdownNow} could not interrupt it. */
    private boolean start() {
        boolean starts = RUN_STATE.compareAndSet(this, NEW, STARTED);
        if (starts && view.stopped && task.rejection() == null) {
            task.interruptWork();
        }
        return starts;
    }

    /** Returns what was thrown inside the future; throws what was thrown outside. */
    private @Nullable Throwable runCommand() {
        if (command != this) {
            command.run();
            return state() == Future.State.FAILED ? exceptionNow() : null;
        }
        Callable<T> work = callable;
        try {
            heldValue = work == null ? null : work.call();
        } catch (Throwable error) {
            heldError = error;
        }
        return heldError;
    }

    /** For its command, or for the caller that took it back. Otherwise only the task runs it. */
    @Override
    public void run() {
        if (command != this || runState == TAKEN_BACK) {
            super.run();
        }
    }

    /** The work is off its thread and its permit is released; or the outcome was published after listeners were called. */
    @SuppressWarnings("NullAway") // a value may be null
    void finished() {
        if (!RUN_STATE.compareAndSet(this, RETURNED, DONE)) {
            return;
        }
        if (heldError != null) {
            setException(heldError);
        } else if (command == this) {
            set(heldValue);
        }
        view.taskDone();
    }

    @Override
    protected void done() {
        callable = null;
    }

    // ---- not running ---------------------------------------------------------------------------------------------

    /** No thread could be started, or the task was rejected: {@code result} was decided without the command. */
    @SuppressWarnings("unchecked") // a rejection handler is told the type of the value
    void completeWith(GroupResult<?> result) {
        if (runState == TAKEN_BACK) {
            return;
        }
        if (result.status() == TaskStatus.SUCCESS) {
            set((T) result.value());
        } else if (result.status() == TaskStatus.FAILED && result.error() != null) {
            setException(result.error());
        }
        drop();
    }

    /** The task completed before the command started or while it runs. A running command continues, but the future completes now. */
    void drop() {
        boolean neverRuns = RUN_STATE.compareAndSet(this, NEW, DONE);
        if (runState != TAKEN_BACK) {
            super.cancel(false);
        }
        if (neverRuns) {
            if (command != this && command instanceof Future<?> foreign) {
                view.engine.dispatcher().spawn(() -> runUserCode("cancel of a future", () -> foreign.cancel(false)));
            }
            view.taskDone();
        }
    }

    private void runUserCode(String source, Runnable userCode) {
        try {
            userCode.run();
        } catch (Throwable fault) {
            view.engine.faults().report(source, task, fault);
        }
    }

    /** If it has not started, it belongs to the caller again; if {@code reason} is not {@code null}, its task is cancelled. */
    boolean takeBack(@Nullable String reason) {
        if (!RUN_STATE.compareAndSet(this, NEW, TAKEN_BACK)) {
            return false;
        }
        if (reason != null) {
            task.cancelWithoutWaiting(false, reason);
        }
        view.taskDone();
        return true;
    }

    // ---- waiting -------------------------------------------------------------------------------------------------

    /** A thread that waits lends its permits to the task. */
    @Override
    public T get() throws InterruptedException, ExecutionException {
        BlockedWait wait = isDone() ? null : BlockedWait.begin(task);
        try {
            return super.get();
        } finally {
            if (wait != null) {
                wait.end(isDone() ? Long.MAX_VALUE : 0);
            }
        }
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        BlockedWait wait = isDone() ? null : BlockedWait.begin(task);
        if (wait == null) {
            return super.get(timeout, unit);
        }
        long since = System.nanoTime();
        try {
            return super.get(timeout, unit);
        } finally {
            wait.end(isDone() ? Math.max(0, unit.toNanos(timeout) - (System.nanoTime() - since)) : 0);
        }
    }

    // ---- stopping ------------------------------------------------------------------------------------------------

    /** Interrupts it if it has started; else takes it back and adds the command to {@code neverStarted}. */
    void stop(List<Runnable> neverStarted) {
        if (takeBack(GroupExecutorService.STOPPED)) {
            neverStarted.add(command);
        } else if (runState == STARTED) {
            task.interruptWork();
        }
    }

    /** Unless it was taken back, the task interrupts its thread: that interrupts neither another task nor a caller that runs it. */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean takenBack = runState == TAKEN_BACK;
        boolean cancelled = super.cancel(mayInterruptIfRunning && takenBack);
        if (cancelled && !takenBack) {
            task.cancelWithoutWaiting(mayInterruptIfRunning, "cancelled");
        }
        return cancelled;
    }
}
