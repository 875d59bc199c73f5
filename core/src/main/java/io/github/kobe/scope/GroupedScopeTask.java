package io.github.kobe.scope;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.TaskStatus;
import io.github.kobe.internal.kernel.TaskRunner;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A task that runs under the limits of a group: what it has instead of a thread is a place in that group's line.
 *
 * <p>Its work is done by a task of the group, its carrier, and it goes on, to its end or to another attempt, when the carrier has ended:
 * then the place in the group is free, and whoever waited for this task can count on it.
 */
final class GroupedScopeTask<T> extends ScopeTaskImpl<T> {

    private final GroupExecutor groups;
    private final String groupKey;
    private volatile @Nullable Ride ride; // the last one

    GroupedScopeTask(
            ScopeTasks crew,
            GroupExecutor groups,
            String groupKey,
            @Nullable String name,
            Callable<T> work,
            @Nullable TaskSettings wishes,
            ContextCarrier.@Nullable Captured captured) {
        super(crew, name, work, wishes, captured);
        this.groups = groups;
        this.groupKey = groupKey;
    }

    @Override
    boolean ownsItsThreads() {
        return false;
    }

    @Override
    void send(Handoff launch, TaskRunner runner) {
        Ride fresh = new Ride(launch);
        ride = fresh;
        fresh.begin();
    }

    private Ride ride() {
        return Objects.requireNonNull(ride);
    }

    /** One attempt. */
    private final class Ride {
        private final Handoff launch;
        private final Thread sender = Thread.currentThread();
        private volatile @Nullable Thread carriersThread;
        private volatile @Nullable TaskHandle<?> carrier;
        private volatile @Nullable TaskCompletion result; // what the work came to, if it ran
        private long doneAt;
        private @Nullable Runnable finish; // once the work is done

        /** Whether either the work is done or the carrier has ended: whoever comes second finishes it. */
        private final AtomicBoolean halfOver = new AtomicBoolean();

        Ride(Handoff launch) {
            this.launch = launch;
        }

        /** What becomes of it in the group shows in the carrier: if it never runs there, it ends here. */
        void begin() {
            TaskOptions options = TaskOptions.builder().priority(rank()).build();
            TaskHandle<?> handle = launch.enter(() -> groups.submit(groupKey, name(), this::work, options));
            if (handle != null) {
                carrier = handle;
                var unused = handle.toCompletableFuture().whenComplete(this::carrierEnded);
            }
        }

        /** What the attempt came to is what it is to the group: a result there, and an end here if there is not another attempt. */
        @SuppressWarnings("NullAway") // null if that is what the work returned
        private T work() throws Exception {
            carriersThread = Thread.currentThread();
            launch.runHere();
            TaskCompletion end = end() == null ? result : end();
            if (end != null && end.state() == State.CANCELLED) {
                throw new CancellationException(end.why());
            }
            if (end != null && end.error() instanceof Exception exception) {
                throw exception;
            }
            return end == null ? null : valueOf(end);
        }

        /** If its group was stopped the carrier has ended already, with the work still on its thread. */
        void workDone(Runnable toFinish) {
            if (!isOnCarriersThread()) {
                toFinish.run();
                return;
            }
            finish = toFinish;
            if (halfOver.getAndSet(true)) {
                toFinish.run();
            }
        }

        /** Else a hook has kept that thread, maybe for ever; or the group lets callers run, and there is no place to wait for. */
        @SuppressWarnings("ReferenceEquality") // threads are what they are
        private boolean isOnCarriersThread() {
            Thread here = Thread.currentThread();
            return here == carriersThread && here != sender;
        }

        private void carrierEnded(@Nullable GroupResult<?> groupResult, @Nullable Throwable fault) {
            if (halfOver.getAndSet(true)) {
                Objects.requireNonNull(finish).run();
            } else {
                launch.takeBack(() -> insteadOfRunning(groupResult, fault)); // unless it was on a thread, or called off
            }
        }
    }

    @Override
    protected Object execute() {
        Ride current = ride();
        TaskCompletion end = (TaskCompletion) super.execute();
        current.doneAt = crew().now();
        current.result = end; // after doneAt, which is read if there is a result
        return end;
    }

    /** A success stays one, however long the listeners of its group take. */
    @Override
    protected void attemptReturned(int place, Object result) {
        if (((TaskCompletion) result).isSuccess()) {
            cancelTimeLimits();
        }
        ride().workDone(() -> finishAttempt(place, result));
    }

    /** When its work was done, not when its carrier was. */
    @Override
    long workDoneAt() {
        Ride last = ride;
        return last == null || last.result == null ? super.workDoneAt() : last.doneAt;
    }

    @Override
    String budgetOwner() {
        return groupKey;
    }

    /** It has not run in the group, which may have a result for it all the same, by a handler. */
    private TaskCompletion insteadOfRunning(@Nullable GroupResult<?> result, @Nullable Throwable fault) {
        if (result != null && result.status() == TaskStatus.SUCCESS) {
            workThenValue = result.value();
            return TaskCompletion.SUCCESS;
        }
        if (result != null && result.status() == TaskStatus.CANCELLED) {
            return new TaskCompletion(State.CANCELLED, result.error(), "by its group", 0);
        }
        Throwable error = fault instanceof CompletionException wrapped ? wrapped.getCause() : fault;
        if (error == null && result != null && result.status() == TaskStatus.FAILED) {
            error = result.error();
        }
        if (error == null && result != null && result.rejection() != null) {
            error = new RejectedTaskException(result.groupKey(), result.taskId(), result.rejection());
        }
        return new TaskCompletion(State.FAILED, error == null ? new IllegalStateException("not let in") : error, "", 0);
    }

    @Override
    void calledOff() {
        Ride last = ride;
        TaskHandle<?> handle = last == null ? null : last.carrier;
        if (handle != null) {
            handle.cancel(false);
        }
    }
}
