package io.github.kobe.opentelemetry;

import io.github.kobe.ContextCarrier;
import io.github.kobe.scope.TaskInfo;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The context that a task of a traced scope carries, and the task's span. Hooks find it in the current context, so no map of all tasks is
 * needed: it is garbage with its task. All runs of a schedule share one.
 *
 * <p>The span is made when the task starts, because a submission may still fail after the context was captured. Until then the context is
 * that of the submitter.
 *
 * <p>A hook before ours that blocks for more than a second is overtaken: the task then completes before our {@code onStart} is called. Both
 * hold the monitor, and {@code onStart} does nothing if the task has completed. So each task has one span, and it ends.
 */
final class ScopeTaskContext implements ContextCarrier.Captured {

    private static final ContextKey<ScopeTaskContext> KEY = ContextKey.named("group-concurrency-scope-task");

    private final Context submitterContext; // with this object in it
    private volatile Context context; // the task's span in place of the submitter's, from the start on
    private volatile @Nullable String scopeId; // null until the first hook is called
    private volatile @Nullable GroupOfTask group; // null unless the task runs in a traced group
    private final Map<Long, TaskSpan> running = new HashMap<>(2); // by number of the task; guarded by the monitor
    private long lastCompleted; // guarded by the monitor

    /** Where a task of a scope runs. */
    record GroupOfTask(@Nullable String executorName, String groupKey) {}

    /** The context of the submitter, which is the calling thread. It keeps no other object of this class: chains of tasks may be long. */
    ScopeTaskContext(Context submitterContext) {
        this.submitterContext = submitterContext.with(KEY, this);
        this.context = this.submitterContext;
    }

    /** Of the task of {@code scopeId} that the calling thread calls a hook or a listener for; {@code null} if the scope is not traced. */
    static @Nullable ScopeTaskContext current(String scopeId) {
        ScopeTaskContext found = Context.current().get(KEY);
        if (found == null) {
            return null;
        }
        String owner = found.scopeId;
        return owner == null || owner.equals(scopeId) ? found : null; // else of a task around this scope
    }

    @Override
    public ContextCarrier.Installed install() {
        return OtelContextCarrier.install(context);
    }

    /** What the span of the task is a child of, or linked to. */
    Context submitterContext() {
        return submitterContext;
    }

    void inGroup(GroupOfTask where) {
        group = where;
    }

    @Nullable
    GroupOfTask group() {
        return group;
    }

    /** Returns the span of a task that starts; {@code null} if it has completed. */
    synchronized @Nullable TaskSpan start(TaskInfo task, Supplier<TaskSpan> maker) {
        if (task.taskId() <= lastCompleted) {
            return null;
        }
        scopeId = task.scopeId();
        TaskSpan span = maker.get();
        running.put(task.taskId(), span);
        context = span.context();
        return span;
    }

    /** Returns the span of a task that has started and not completed; {@code null} if there is none. */
    synchronized @Nullable TaskSpan running(TaskInfo task) {
        return running.get(task.taskId());
    }

    /** Returns the span of a task that has completed, made now if the task never started. The caller ends it. */
    synchronized TaskSpan complete(TaskInfo task, Supplier<TaskSpan> maker) {
        scopeId = task.scopeId();
        lastCompleted = Math.max(lastCompleted, task.taskId());
        TaskSpan span = running.remove(task.taskId());
        return span == null ? maker.get() : span;
    }
}
