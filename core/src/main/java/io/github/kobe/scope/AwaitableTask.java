package io.github.kobe.scope;

import io.github.kobe.internal.kernel.KernelTask;
import io.github.kobe.internal.util.CancellingFuture;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The half of a task that others have: what it is called, how it stands, what it came to. How long it took is in {@link TimedTask}, how
 * it runs in {@link ScopeTaskImpl}.
 */
abstract sealed class AwaitableTask<T> extends KernelTask<TaskCompletion> implements Task<T> permits TimedTask {

    private final ScopeTasks crew;
    private long id; // 0 until it is let in
    private final @Nullable String name;

    /** The work until it runs, then nothing, then its value: a task may be kept for long, what its work refers to should not. */
    @Nullable
    Object workThenValue;

    boolean begun; // written by its thread

    AwaitableTask(ScopeTasks crew, @Nullable String name, Callable<T> work) {
        this.crew = crew;
        this.name = name;
        this.workThenValue = work;
    }

    final ScopeTasks crew() {
        return crew;
    }

    @Override
    protected final void admitted(long number) {
        id = number;
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public String name() {
        return name == null ? "task-" + id : name;
    }

    @Override
    public State state() {
        TaskCompletion end = isCompletedNow() ? outcomeOrNull() : null;
        return end != null ? end.state() : begun ? State.RUNNING : State.PENDING;
    }

    /** How it ended; {@code null} if it has not. */
    final @Nullable TaskCompletion end() {
        return outcomeOrNull();
    }

    /** Whether it has ended, and succeeded. */
    final boolean hasSucceeded() {
        TaskCompletion end = outcomeOrNull();
        return end != null && end.isSuccess();
    }

    /** Whether it has ended, and by a failure. */
    final boolean hasFailed() {
        TaskCompletion end = outcomeOrNull();
        return end != null && end.isFailure();
    }

    @Override
    public boolean cancel() {
        return cancel(true, "by its handle");
    }

    final boolean cancelFor(String why) {
        return cancel(true, why);
    }

    /** The same, without waiting until hooks have been told: for one who did not ask for it, and may be the timer's thread. */
    final void stopFor(String why) {
        tryCancel(true, why);
    }

    @Override
    public T await() {
        TaskCompletion end = outcomeOrNull();
        return valueOf(end == null ? awaitEnd() : end);
    }

    private TaskCompletion awaitEnd() {
        try {
            return completion().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancelledException("interrupted while it waited for " + text() + ", which goes on", e);
        } catch (ExecutionException e) {
            throw new AssertionError("nothing ends it with an exception", e);
        }
    }

    /** The value; or throws what a waiter gets instead. */
    @SuppressWarnings({"unchecked", "NullAway"}) // null if that is what the work returned
    final T valueOf(TaskCompletion end) {
        Throwable error = exceptionOf(end);
        if (error instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (error instanceof Error unchecked) {
            throw unchecked;
        }
        if (error != null) {
            throw new TaskExecutionException(text() + " failed: " + error, error);
        }
        return (T) workThenValue;
    }

    private @Nullable Throwable exceptionOf(TaskCompletion end) {
        if (end.state() != State.CANCELLED) {
            return end.error();
        }
        return new CancelledException(text() + " was cancelled: " + end.why(), end.error());
    }

    @Override
    public CompletableFuture<T> toCompletableFuture() {
        CompletableFuture<T> view = new CancellingFuture<>(interrupt -> cancel());
        whenKnown(end -> transfer(end, view));
        return view;
    }

    /** Has {@code action} told how it ended, when all who wait know. */
    final void whenKnown(Consumer<TaskCompletion> action) {
        CompletableFuture<TaskCompletion> end = new CompletableFuture<>();
        var unused = end.thenAccept(action);
        completeDependent(end);
    }

    @SuppressWarnings("unchecked")
    private void transfer(TaskCompletion end, CompletableFuture<T> to) {
        Throwable error = exceptionOf(end);
        if (error == null) {
            to.complete((T) workThenValue);
        } else {
            to.completeExceptionally(error);
        }
    }

    /** Such as "task 'a' of scope-1". */
    final String text() {
        return "task '" + name() + "' of " + crew.scopeId();
    }

    /** Such as "task 'a' of scope-1, RUNNING". */
    @Override
    public String toString() {
        return text() + ", " + state();
    }
}
