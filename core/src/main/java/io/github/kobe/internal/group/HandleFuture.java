package io.github.kobe.internal.group;

import io.github.kobe.GroupResult;
import io.github.kobe.TaskHandle;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A handle as a plain future; see {@link TaskHandle#future()}. */
final class HandleFuture<T extends @Nullable Object> implements Future<GroupResult<T>> {

    private final GroupTaskImpl<T> handle;
    private final CompletableFuture<GroupResult<T>> completion;

    HandleFuture(GroupTaskImpl<T> handle, CompletableFuture<GroupResult<T>> completion) {
        this.handle = handle;
        this.completion = completion;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return handle.cancel(mayInterruptIfRunning);
    }

    @Override
    public boolean isCancelled() {
        return isDone() && !completion.isCompletedExceptionally() && isCancelled(completion.join());
    }

    @Override
    public boolean isDone() {
        return handle.isDone();
    }

    @Override
    public GroupResult<T> get() throws InterruptedException, ExecutionException {
        try {
            return throwIfCancelled(handle.awaitOutcome(Long.MAX_VALUE));
        } catch (TimeoutException e) {
            throw new AssertionError("there is no time limit", e);
        }
    }

    @Override
    public GroupResult<T> get(long timeout, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        return throwIfCancelled(
                handle.awaitOutcome(Objects.requireNonNull(unit, "unit").toNanos(timeout)));
    }

    private static boolean isCancelled(GroupResult<?> result) {
        return result.error() instanceof TaskCancelledException;
    }

    private static <T extends @Nullable Object> GroupResult<T> throwIfCancelled(GroupResult<T> result) {
        if (result.error() instanceof TaskCancelledException e) {
            throw (CancellationException) new CancellationException(e.getMessage()).initCause(e);
        }
        return result;
    }
}
