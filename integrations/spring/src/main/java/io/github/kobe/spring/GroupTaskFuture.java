package io.github.kobe.spring;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.TaskRejectedException;

/** The future of a task's value. A cancel reaches the task, and a thread that waits lends its permits to the task. */
final class GroupTaskFuture<T extends @Nullable Object> extends CompletableFuture<T> {

    private final TaskHandle<T> handle;

    private GroupTaskFuture(TaskHandle<T> handle) {
        this.handle = handle;
    }

    /**
     * Returns the future of a submitted task.
     *
     * @param onDone called when the task has completed, also if it was rejected
     * @throws TaskRejectedException if the task was rejected already
     */
    @SuppressWarnings("FutureReturnValueIgnored") // the stage has no result
    static <T extends @Nullable Object> GroupTaskFuture<T> of(TaskHandle<T> handle, Runnable onDone) {
        GroupTaskFuture<T> future = new GroupTaskFuture<>(handle);
        CompletableFuture<GroupResult<T>> result = handle.toCompletableFuture();
        result.whenComplete((value, fault) -> {
            onDone.run();
            future.complete(value, fault);
        });
        if (result.isCompletedExceptionally() && result.exceptionNow() instanceof RejectedTaskException rejected) {
            throw rejection(rejected);
        }
        return future;
    }

    private void complete(@Nullable GroupResult<T> result, @Nullable Throwable fault) {
        if (result == null) {
            completeExceptionally(fault instanceof RejectedTaskException e ? rejection(e) : fault);
            return;
        }
        switch (result.status()) {
            case SUCCESS -> complete(result.value());
            case CANCELLED -> super.cancel(false);
            case REJECTED -> completeExceptionally(rejection(rejected(result)));
            case FAILED -> completeExceptionally(result.error());
        }
    }

    private static RejectedTaskException rejected(GroupResult<?> result) {
        return result.rejection() == null
                ? new RejectedTaskException(result.groupKey(), result.taskId(), "discarded")
                : new RejectedTaskException(result.groupKey(), result.taskId(), result.rejection());
    }

    private static TaskRejectedException rejection(RejectedTaskException cause) {
        return new TaskRejectedException(String.valueOf(cause.getMessage()), cause);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        handle.cancel(mayInterruptIfRunning);
        return super.cancel(mayInterruptIfRunning);
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        if (!isDone()) {
            awaitTask();
        }
        return super.get();
    }

    private void awaitTask() throws InterruptedException {
        try {
            handle.await();
        } catch (RejectedTaskException e) {
            // the future has it
        }
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        long deadline = System.nanoTime() + unit.toNanos(timeout);
        if (!isDone()) {
            try {
                handle.await(timeout, unit);
            } catch (RejectedTaskException e) {
                // the future has it
            }
        }
        return super.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    }
}
