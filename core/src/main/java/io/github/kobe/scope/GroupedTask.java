package io.github.kobe.scope;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.TaskStatus;
import io.github.kobe.internal.Runner;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** A task that runs under the limits of a group: what it has instead of a thread is a place in that group's line. */
final class GroupedTask<T> extends ScopeTask<T> {

    private final GroupExecutor groups;
    private final String groupKey;
    private volatile @Nullable TaskHandle<?> carrier;
    private volatile @Nullable End attempt; // what the last one came to, if it ran

    GroupedTask(
            Crew crew,
            GroupExecutor groups,
            String groupKey,
            @Nullable String name,
            Callable<T> work,
            @Nullable Wishes wishes,
            ContextCarrier.@Nullable Captured captured) {
        super(crew, name, work, wishes, captured);
        this.groups = groups;
        this.groupKey = groupKey;
    }

    @Override
    boolean ownsItsThreads() {
        return false;
    }

    /** What becomes of it in the group shows in the handle: if it never runs there, it ends here. */
    @Override
    void send(Launch launch, Runner runner) {
        TaskOptions options = TaskOptions.builder().priority(rank()).build();
        TaskHandle<?> handle = groups.submit(groupKey, name(), () -> ride(launch), options);
        carrier = handle;
        var unused = handle.toCompletableFuture().whenComplete((result, fault) -> {
            if (result == null || result.status() != TaskStatus.SUCCESS) { // else it is, or was, on a thread
                launch.takeBack(refusal(result, fault));
            }
        });
    }

    /** What the attempt came to is what it is to the group: a result there, and an end here if there is not another attempt. */
    @SuppressWarnings("NullAway") // null if that is what the work returned
    private T ride(Launch launch) throws Exception {
        launch.runHere();
        End end = end() == null ? attempt : end();
        if (end != null && end.state() == State.CANCELLED) {
            throw new CancellationException(end.why());
        }
        if (end != null && end.error() instanceof Exception exception) {
            throw exception;
        }
        return end == null ? null : valueOf(end);
    }

    @Override
    protected Object execute() {
        Object result = super.execute();
        attempt = (End) result;
        return result;
    }

    @Override
    String budgetOwner() {
        return groupKey;
    }

    private static End refusal(@Nullable GroupResult<?> result, @Nullable Throwable fault) {
        if (result != null && result.status() == TaskStatus.CANCELLED) {
            return new End(State.CANCELLED, result.error(), "by its group", 0);
        }
        Throwable error = fault instanceof CompletionException wrapped ? wrapped.getCause() : fault;
        if (error == null && result != null && result.rejection() != null) {
            error = new RejectedTaskException(result.groupKey(), result.taskId(), result.rejection());
        }
        return new End(State.FAILED, error == null ? new IllegalStateException("not let in") : error, "", 0);
    }

    @Override
    void calledOff() {
        TaskHandle<?> handle = carrier;
        if (handle != null) {
            handle.cancel(false);
        }
    }
}
