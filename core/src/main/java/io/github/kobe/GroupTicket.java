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

    private @Nullable Callable<T> task; // until it runs or is cancelled
    private long startTimeNanos; // 0 until it runs; a canceller that sees an old value reports a shorter run, no more

    GroupTicket(String groupKey, String taskId, Callable<T> task, @Nullable Announcer announcer) {
        this.groupKey = groupKey;
        this.taskId = taskId;
        this.task = task;
        this.announcer = announcer;
    }

    // ---- for the kernel ------------------------------------------------------------------------------------------

    @Override
    protected GroupResult<T> execute() {
        Callable<T> work = task;
        if (work == null) {
            return cancelled("cancelled"); // as it was a moment ago; nobody gets to see this
        }
        task = null; // a handle may be kept for long, what the task refers to should not
        long start = System.nanoTime();
        startTimeNanos = start;
        try {
            T value = work.call();
            return GroupResult.success(groupKey, taskId, value, start, System.nanoTime());
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
    protected String name() {
        return groupKey;
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
    protected void letGo() {
        task = null;
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
        return Objects.requireNonNull(task);
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
