package io.github.kobe.internal.group;

import io.github.kobe.GroupResult;
import io.github.kobe.TaskStatus;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The future of a view's task. A cancel also cancels the task. Its outcome is held back until the task's permit is released. */
final class ViewFuture<T> extends FutureTask<T> {

    private final AtomicBoolean started = new AtomicBoolean();

    /** Written by the task's thread; the state of {@link ViewWork} publishes it. */
    private boolean holding;

    private @Nullable Runnable held; // completes this future
    private @Nullable Throwable heldError;
    private volatile @Nullable GroupTaskImpl<?> task;

    ViewFuture(Callable<T> callable) {
        super(callable);
    }

    void bind(@Nullable GroupTaskImpl<?> toTask) {
        task = toTask;
    }

    /** A held outcome leaves the superclass in its initial state, in which a second call would run the callable again. */
    @Override
    public void run() {
        if (started.compareAndSet(false, true)) {
            super.run();
        }
    }

    /** Runs it, and holds the outcome back until {@link #publish}. Returns what the callable threw. */
    @Nullable
    Throwable runHolding() {
        holding = true;
        run();
        return heldError;
    }

    @Override
    protected void set(T value) {
        if (holding) {
            held = () -> super.set(value);
        } else {
            super.set(value);
        }
    }

    @Override
    protected void setException(Throwable error) {
        if (holding) {
            heldError = error;
            held = () -> super.setException(error);
        } else {
            super.setException(error);
        }
    }

    void publish() {
        if (held != null) {
            held.run();
        }
        held = null;
        task = null;
    }

    /** Completes it with a result that was decided without running it. */
    @SuppressWarnings("unchecked") // a rejection handler is told the type of the value
    void complete(GroupResult<?> result) {
        Throwable error = result.error();
        if (result.status() == TaskStatus.SUCCESS) {
            super.set((T) result.value());
        } else if (result.status() == TaskStatus.FAILED && error != null) {
            super.setException(error);
        }
    }

    /** While it belongs to a task, the task interrupts its thread: that never interrupts another task. */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        GroupTaskImpl<?> bound = task;
        boolean cancelled = super.cancel(mayInterruptIfRunning && bound == null);
        if (cancelled && bound != null) {
            bound.cancelWithoutWaiting(mayInterruptIfRunning, "cancelled");
        }
        return cancelled;
    }
}
