package io.github.kobe.internal.group;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import java.util.List;
import java.util.concurrent.Callable;
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
final class ViewWork extends TrackedWork {

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
    private @Nullable RejectedTaskException abortedBy;

    ViewWork(GroupExecutorService view, GroupEngine engine, Runnable command, @Nullable ViewFuture<?> future) {
        this.view = view;
        this.command = command;
        this.future = future;
        this.task = engine.newViewTask(view.groupKey(), this);
        bind(task);
    }

    private void bind(@Nullable GroupTaskImpl<?> toTask) {
        if (future != null) {
            future.bind(toTask);
        }
    }

    GroupTaskImpl<Object> task() {
        return task;
    }

    GroupExecutorService view() {
        return view;
    }

    /** What the submitter is told; {@code null} if the command was not rejected by an exception. */
    @Nullable
    RejectedTaskException abortedBy() {
        return abortedBy;
    }

    // ---- running -------------------------------------------------------------------------------------------------

    @Override
    Object execute(GroupTaskImpl<?> itsTask) {
        if (!start()) {
            return itsTask.cancelled("taken back");
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

    /** If the view was stopped before the task was on its thread, {@code shutdownNow} could not interrupt it. */
    private boolean start() {
        if (!state.compareAndSet(State.NEW, State.STARTED)) {
            return false;
        }
        if (view.isStopped() && task.rejection() == null) {
            task.interruptWork();
        }
        return true;
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

    @Override
    void finished() {
        if (state.compareAndSet(State.RETURNED, State.DONE)) {
            if (future != null) {
                future.publish();
            }
            view.taskDone();
        }
    }

    @Override
    Callable<Object> forHandler() {
        return this::callForHandler;
    }

    @SuppressWarnings("NullAway") // the value of a runnable is null
    private Object callForHandler() throws Exception {
        if (!start()) {
            throw new CancellationException(task + " must not run any more");
        }
        try {
            Throwable error = runCommand();
            if (error instanceof Error e) {
                throw e;
            }
            if (error != null) {
                throw error instanceof Exception e ? e : new ExecutionException(error);
            }
            return null;
        } finally {
            returned();
            finished();
        }
    }

    // ---- not running ---------------------------------------------------------------------------------------------

    @Override
    void startFailed(Throwable fault) {
        if (future == null) {
            view.reportStartFailed(task, fault);
        } else {
            future.complete(GroupResult.failed(task.groupKey(), task.taskId(), fault, 0, 0));
        }
        dropped();
    }

    /** A running command continues until it returns, but the future completes now. */
    @Override
    void dropped() {
        Runnable never = command;
        boolean dropsCommand = state.compareAndSet(State.NEW, State.DROPPED);
        if (future != null && state.get() != State.TAKEN_BACK) {
            future.cancel(false);
        }
        if (dropsCommand) {
            if (never instanceof Future<?> foreign && !(never instanceof ViewFuture<?>)) {
                view.cancelOnOtherThread(task, foreign);
            }
            command = null;
            view.taskDone();
        }
    }

    @Override
    void rejected(GroupResult<?> result) {
        if (state.get() != State.TAKEN_BACK) {
            if (future != null) {
                future.complete(result);
            }
            dropped();
        }
    }

    @Override
    void aborted(RejectedTaskException exception) {
        abortedBy = exception;
        returnToCaller();
    }

    /** It was not admitted, and the submitter is told so by an exception. */
    boolean returnToCaller() {
        boolean returns = state.compareAndSet(State.NEW, State.TAKEN_BACK);
        if (returns) {
            bind(null);
            command = null;
            view.taskDone();
        }
        return returns;
    }

    /** Removes it from its group if it has not started. */
    boolean takeBack(String reason) {
        if (!state.compareAndSet(State.NEW, State.TAKEN_BACK)) {
            return false;
        }
        bind(null);
        task.cancelWithoutWaiting(false, reason);
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
