package io.github.kobe;

import io.github.kobe.internal.Ticket;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A task of a group, and its handle: one object, since there is one for each of what may be millions of waiting tasks. */
class GroupTicket<T> extends Ticket<GroupResult<T>> implements TaskHandle<T> {

    private final String groupKey;
    private final String taskId;
    private final @Nullable Announcer announcer;

    /** In place of a result that is all in the fields: most are never looked at, so it is made when one is. */
    private static final Object SUCCEEDED = new Object();

    /** The task until it runs, then nothing, then its value; a handle may be kept for long, what a task refers to should not. */
    private @Nullable Object taskThenValue;

    private long startTimeNanos; // 0 until it runs; a canceller that sees an old value reports a shorter run, no more
    private long endTimeNanos; // if it succeeded

    GroupTicket(String groupKey, String taskId, Callable<T> task, @Nullable Announcer announcer) {
        this.groupKey = groupKey;
        this.taskId = taskId;
        this.taskThenValue = task;
        this.announcer = announcer;
    }

    // ---- for the kernel ------------------------------------------------------------------------------------------

    @Override
    protected Object execute() {
        Object task = taskThenValue;
        if (task == null) {
            return cancelled("cancelled"); // as it was a moment ago; nobody gets to see this
        }
        taskThenValue = null;
        long start = System.nanoTime();
        startTimeNanos = start;
        try {
            taskThenValue = asTask(task).call();
            endTimeNanos = System.nanoTime();
            return SUCCEEDED;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return GroupResult.cancelled(groupKey, taskId, e, start, System.nanoTime());
        } catch (CancellationException e) {
            return GroupResult.cancelled(groupKey, taskId, e, start, System.nanoTime());
        } catch (Throwable e) {
            return GroupResult.failed(groupKey, taskId, e, start, System.nanoTime());
        }
    }

    @Override
    protected GroupResult<T> failed(Throwable fault) {
        long now = System.nanoTime();
        return GroupResult.failed(groupKey, taskId, fault, startOr(now), now);
    }

    @Override
    protected GroupResult<T> cancelled(String why) {
        long now = System.nanoTime();
        return GroupResult.cancelled(groupKey, taskId, new TaskCancelledException(this, why), startOr(now), now);
    }

    private long startOr(long now) {
        return startTimeNanos == 0 ? now : startTimeNanos;
    }

    @Override
    protected boolean isObserved() {
        return announcer != null;
    }

    @Override
    protected boolean announceStart(Runnable takeOver) {
        return announcer == null || announcer.started(this, takeOver);
    }

    @Override
    @SuppressWarnings("unchecked") // the fields were written before SUCCEEDED was put where the caller found it
    protected GroupResult<T> unpack(Object packed) {
        return packed == SUCCEEDED
                ? GroupResult.success(groupKey, taskId, (T) taskThenValue, startTimeNanos, endTimeNanos)
                : (GroupResult<T>) packed;
    }

    @Override
    protected void letGo() {
        taskThenValue = null;
    }

    @Override
    protected void announceEnd(GroupResult<T> result) {
        if (announcer == null || announcer.ended(this, result, rejectionReason(), () -> publish(result))) {
            publish(result);
        }
    }

    /** Hands the end to those who wait. */
    void publish(GroupResult<T> result) {
        complete(result);
    }

    /** Why it was not let in; only asked if it was not. */
    String rejectionReason() {
        return "";
    }

    /** The work, of a ticket that has not run. */
    final Callable<T> task() {
        return asTask(Objects.requireNonNull(taskThenValue));
    }

    @SuppressWarnings("unchecked")
    private Callable<T> asTask(Object task) {
        return (Callable<T>) task;
    }

    // ---- for the user --------------------------------------------------------------------------------------------

    @Override
    public String groupKey() {
        return groupKey;
    }

    @Override
    public String taskId() {
        return taskId;
    }

    @Override
    public GroupResult<T> await() throws InterruptedException {
        try {
            return completion().get();
        } catch (ExecutionException e) {
            throw rejection(e);
        }
    }

    @Override
    public GroupResult<T> await(long timeout, TimeUnit unit) throws InterruptedException {
        Objects.requireNonNull(unit, "unit");
        try {
            return completion().get(timeout, unit);
        } catch (ExecutionException e) {
            throw rejection(e);
        } catch (TimeoutException e) {
            return notSeenToEnd(new TimeoutException("task '" + taskId + "' of group '" + groupKey
                    + "' has not ended within " + timeout + " " + unit + "; it goes on"));
        }
    }

    @Override
    public GroupResult<T> join() {
        try {
            return await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return notSeenToEnd(e);
        }
    }

    @Override
    public GroupResult<T> join(long timeout, TimeUnit unit) {
        try {
            return await(timeout, unit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return notSeenToEnd(e);
        }
    }

    private GroupResult<T> notSeenToEnd(Exception why) {
        long now = System.nanoTime();
        return GroupResult.cancelled(groupKey, taskId, why, now, now);
    }

    /** Only a rejection ever ends a ticket with an exception. */
    private static RejectedTaskException rejection(ExecutionException e) {
        return (RejectedTaskException) Objects.requireNonNull(e.getCause());
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return cancel(mayInterruptIfRunning, "cancelled");
    }

    @Override
    public boolean isDone() {
        return isEnded();
    }

    @Override
    public Future<GroupResult<T>> future() {
        return new HandleFuture<>(this, completion());
    }

    @Override
    public CompletableFuture<GroupResult<T>> toCompletableFuture() {
        CompletableFuture<GroupResult<T>> view = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                GroupTicket.this.cancel(mayInterruptIfRunning);
                return super.cancel(mayInterruptIfRunning);
            }
        };
        completeLater(view);
        return view;
    }

    @Override
    public String toString() {
        return "task '" + taskId + "' of group '" + groupKey + "', " + (isDone() ? "ended" : "not ended");
    }
}
