package io.github.kobe.internal.group;

import io.github.kobe.GroupResult;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A command that was given to a view, as the work of a task. The kernel decides the outcome of the task. This class decides, once, whether
 * the command starts:
 *
 * <pre>
 *   NEW → STARTED → RETURNED → DONE   runs, has returned, its permit is released and its future is completed
 *   NEW → DROPPED                     never runs; its future is cancelled
 *   NEW → TAKEN_BACK                  never runs here; it belongs to the caller again, and so does its future
 * </pre>
 *
 * The view counts the command until it is DONE, DROPPED or TAKEN_BACK.
 */
final class ViewWork {

    private enum State {
        NEW,
        STARTED,
        RETURNED,
        DONE,
        DROPPED,
        TAKEN_BACK
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.NEW);
    private final GroupExecutorService view;
    private final GroupTaskImpl<Object> task;
    private final @Nullable ViewFuture<?> future; // the command, or what the command runs
    private volatile @Nullable Runnable command; // until it returns or will never start

    ViewWork(GroupExecutorService view, GroupEngine engine, Runnable command, @Nullable ViewFuture<?> future) {
        this.view = view;
        this.command = command;
        this.future = future;
        this.task = engine.newViewTask(view.groupKey(), this);
        if (future != null) {
            future.bind(task);
        }
    }

    GroupTaskImpl<Object> task() {
        return task;
    }

    GroupExecutorService view() {
        return view;
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
            view.uncaught(task, uncaught);
        }
        returned();
        return GroupTaskImpl.outcomeOf(error);
    }

    /** Runs the command for a rejection handler. */
    @SuppressWarnings("NullAway") // the value of a runnable is null
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
            returned();
            finished();
        }
    }

    /** If the view was stopped before the task was on its thread, {@code shutdownNow} could not interrupt it. */
    private boolean start() {
        boolean starts = state.compareAndSet(State.NEW, State.STARTED);
        if (starts && view.isStopped() && task.rejection() == null) {
            task.interruptWork();
        }
        return starts;
    }

    /** Returns what was thrown inside the future; throws what was thrown outside. */
    private @Nullable Throwable runCommand() {
        Runnable running = command;
        if (running instanceof ViewFuture<?> own) {
            return own.runHolding();
        }
        if (running != null) {
            running.run();
        }
        return future != null && future.state() == Future.State.FAILED ? future.exceptionNow() : null;
    }

    private void returned() {
        command = null;
        state.set(State.RETURNED);
    }

    /** The work is off its thread and its permit is released; or the outcome was published after listeners were called. */
    void finished() {
        if (state.compareAndSet(State.RETURNED, State.DONE)) {
            if (future != null) {
                future.publish();
            }
            view.taskDone();
        }
    }

    // ---- not running ---------------------------------------------------------------------------------------------

    /** No thread could be started. */
    void startFailed(Throwable fault) {
        if (future != null) {
            future.complete(GroupResult.failed(task.groupKey(), task.taskId(), fault, 0, 0));
        } else {
            view.report("start of a thread", task, fault);
        }
        dropped();
    }

    /** The task completed before the command started or while it runs. A running command continues, but the future completes now. */
    void dropped() {
        Runnable never = command;
        boolean drops = state.compareAndSet(State.NEW, State.DROPPED);
        if (future != null && state.get() != State.TAKEN_BACK) {
            future.cancel(false);
        }
        if (drops) {
            if (never instanceof Future<?> foreign && !(never instanceof ViewFuture<?>)) {
                view.cancelOnOtherThread(task, foreign);
            }
            command = null;
            view.taskDone();
        }
    }

    /** The task was rejected, and {@code result} is what the rejection policy or handler decided. */
    void rejected(GroupResult<?> result) {
        if (state.get() != State.TAKEN_BACK) {
            if (future != null) {
                future.complete(result);
            }
            dropped();
        }
    }

    /** If it has not started, it belongs to the caller again; if {@code reason} is not {@code null}, its task is cancelled. */
    boolean takeBack(@Nullable String reason) {
        if (!state.compareAndSet(State.NEW, State.TAKEN_BACK)) {
            return false;
        }
        if (future != null) {
            future.bind(null);
        }
        if (reason != null) {
            task.cancelWithoutWaiting(false, reason);
        }
        command = null;
        view.taskDone();
        return true;
    }

    /** Interrupts it if it has started; else takes it back and adds the command to {@code neverStarted}. */
    void stop(List<Runnable> neverStarted) {
        Runnable stopped = command;
        if (stopped != null && takeBack(GroupExecutorService.STOPPED)) {
            neverStarted.add(stopped);
        } else if (state.get() == State.STARTED) {
            task.interruptWork();
        }
    }
}
