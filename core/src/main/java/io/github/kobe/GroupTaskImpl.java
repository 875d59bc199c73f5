package io.github.kobe;

import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.KernelTask;
import io.github.kobe.internal.kernel.TaskBody;
import io.github.kobe.internal.kernel.TerminationCause;
import io.github.kobe.internal.util.CancellingFuture;
import io.github.kobe.internal.util.ClassPreloader;
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
class GroupTaskImpl<T> extends KernelTask<GroupResult<T>> implements TaskHandle<T> {

    static {
        ClassPreloader.load(ListenerNotifier.class); // every ticket is told of it, and most have none
    }

    private final String groupKey;
    private final String taskId;
    final @Nullable ListenerNotifier announcer;

    /** A value is in the field; see {@link #unpack}. */
    private static final Outcome SUCCEEDED = new Outcome(TaskStatus.SUCCESS, null);

    /** How the work came out. With the fields of the ticket it makes a result; most are never looked at, so that is left for later. */
    private record Outcome(TaskStatus status, @Nullable Throwable error) {}

    /** The task until it runs, then nothing, then its value; a handle may be kept for long, what a task refers to should not. */
    private @Nullable Object taskThenValue;

    /** @param task a {@link Callable} or else a {@link TaskFunction} */
    GroupTaskImpl(String groupKey, String taskId, Object task, @Nullable ListenerNotifier announcer) {
        this.groupKey = groupKey;
        this.taskId = taskId;
        this.taskThenValue = task;
        this.announcer = announcer;
    }

    /** For one that knows its work itself. */
    GroupTaskImpl(String groupKey, String taskId, @Nullable ListenerNotifier announcer) {
        this.groupKey = groupKey;
        this.taskId = taskId;
        this.announcer = announcer;
    }

    // ---- for the kernel ------------------------------------------------------------------------------------------

    @Override
    protected Object execute() {
        Object task = taskThenValue;
        if (task == null) {
            return SUCCEEDED; // it has just been cancelled, so nobody gets to see this
        }
        if (!mayRunAgain()) {
            taskThenValue = null;
        }
        try {
            taskThenValue = perform(task);
            return SUCCEEDED;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return outcomeOf(e);
        } catch (Throwable e) {
            return outcomeOf(e);
        }
    }

    /** The packed result of work that threw {@code fault}, or nothing. */
    static Object outcomeOf(@Nullable Throwable fault) {
        if (fault == null) {
            return SUCCEEDED;
        }
        boolean gaveUp = fault instanceof InterruptedException || fault instanceof CancellationException;
        return new Outcome(gaveUp ? TaskStatus.CANCELLED : TaskStatus.FAILED, fault);
    }

    /** Whether the task may be needed once more after an attempt. */
    boolean mayRunAgain() {
        return false;
    }

    @Override
    protected Object failed(Throwable fault) {
        return new Outcome(TaskStatus.FAILED, fault);
    }

    /** What the work threw, if {@code result} is that of work that threw. */
    static @Nullable Throwable errorOf(Object result) {
        return result instanceof Outcome outcome ? outcome.error : null;
    }

    @Override
    protected GroupResult<T> cancelled(String why) {
        long now = System.nanoTime();
        long start = firstStart() == 0 ? now : firstStart();
        long end = Math.max(now, start); // it may have started after the clock was read
        return GroupResult.cancelled(groupKey, taskId, new TaskCancelledException(this, why), start, end);
    }

    /** The end of one that the kernel turned out of the line; there is no other without options. */
    @Override
    protected GroupResult<T> terminated(TerminationCause why) {
        return GroupResult.rejected(groupKey, taskId, rejection(RejectionReason.GROUP_QUEUE_FULL));
    }

    /** With the numbers of its group as they are now; it has waited in line until now, if at all. */
    final Rejection rejection(RejectionReason reason) {
        Group group = group();
        long since = firstQueuedAt();
        if (since == 0) {
            return RejectionFactory.of(
                    reason, group, group == null ? 0 : group.oldestWaitingNanos()); // or about that long
        }
        return RejectionFactory.of(reason, group, System.nanoTime() - since);
    }

    /** When it was first put in line; 0 if it was not. */
    long firstQueuedAt() {
        return lastQueuedAt();
    }

    /** When it started to run; 0 if it has not. */
    long firstStart() {
        return startedAt();
    }

    /** Whoever finds an outcome finds the fields as the work left them, since they were written before it. */
    @Override
    @SuppressWarnings("unchecked")
    protected GroupResult<T> unpack(Object packed) {
        if (!(packed instanceof Outcome outcome)) {
            return (GroupResult<T>) packed;
        }
        T value = outcome.status == TaskStatus.SUCCESS ? (T) taskThenValue : null;
        return new GroupResult<>(groupKey, taskId, outcome.status, value, outcome.error, firstStart(), completedAt());
    }

    @Override
    protected int counterSlot(Object result) {
        if (result instanceof Outcome outcome) {
            return outcome.status == TaskStatus.SUCCESS
                    ? CounterSlots.SUCCEEDED
                    : CounterSlots.of(outcome.status, RejectionReason.GROUP_QUEUE_FULL);
        }
        GroupResult<?> whole = (GroupResult<?>) result;
        if (whole.error() instanceof TaskTimeoutException) {
            return CounterSlots.TIMED_OUT;
        }
        Rejection rejection = whole.rejection() == null ? rejection() : whole.rejection();
        return CounterSlots.of(
                whole.status(), rejection == null ? RejectionReason.GROUP_QUEUE_FULL : rejection.reason());
    }

    @Override
    protected boolean hasListeners() {
        return announcer != null;
    }

    @Override
    protected boolean notifyStarted(Runnable takeOver) {
        return announcer == null || announcer.started(this, takeOver);
    }

    @Override
    protected void dropWork() {
        taskThenValue = null;
    }

    @Override
    protected void notifyCompleted(GroupResult<T> result) {
        if (announcer == null || announcer.ended(this, result, () -> publish(result))) {
            publish(result);
        }
    }

    /** Hands the end to those who wait. */
    void publish(GroupResult<T> result) {
        publishResult(result);
    }

    /** Why it was not let in; {@code null} if it was. */
    @Nullable
    Rejection rejection() {
        return null;
    }

    /** As a cancel, but without waiting for observers; does nothing if it was never handed in. */
    final void withdraw(boolean interrupt, String why) {
        if (group() != null) {
            tryCancel(interrupt, why);
        }
    }

    /** It was handed in, and not let in. */
    final void countTurnedAway() {
        count(CounterSlots.TURNED_AWAY);
    }

    /** The work, of a ticket that has not run. */
    Callable<T> task() {
        return asTask(Objects.requireNonNull(taskThenValue));
    }

    @SuppressWarnings("unchecked")
    private Callable<T> asTask(Object task) {
        return task instanceof Callable<?> callable ? (Callable<T>) callable : () -> (T) perform(task);
    }

    @SuppressWarnings("NullAway") // a value may be null
    private Object perform(Object task) throws Exception {
        if (task instanceof TaskBody<?> work) {
            return perform(work);
        }
        return task instanceof Callable<?> callable ? callable.call() : ((TaskFunction<?>) task).apply(context());
    }

    /** What its task is told. */
    TaskContext context() {
        return new TaskContextImpl(this, 0, TaskContextImpl.NEVER);
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
    public String tag() {
        return "";
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
            return notSeenToEnd(
                    new TimeoutException(text() + " has not ended within " + timeout + " " + unit + "; it goes on"));
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
        return isCompletedNow();
    }

    @Override
    public Future<GroupResult<T>> future() {
        return new HandleFuture<>(this, completion());
    }

    @Override
    public CompletableFuture<GroupResult<T>> toCompletableFuture() {
        CompletableFuture<GroupResult<T>> view = new CancellingFuture<>(this::cancel);
        completeDependent(view);
        return view;
    }

    @Override
    public String toString() {
        return text() + ", " + (isCompleted() ? "ended" : "not ended");
    }

    private String text() {
        return TaskDescription.of(groupKey, taskId, tag());
    }
}
