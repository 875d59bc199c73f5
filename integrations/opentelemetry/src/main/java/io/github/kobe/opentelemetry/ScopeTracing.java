package io.github.kobe.opentelemetry;

import io.github.kobe.ContextCarrier;
import io.github.kobe.opentelemetry.ScopeTaskContext.GroupOfTask;
import io.github.kobe.scope.TaskInfo;
import io.github.kobe.scope.ThreadHook;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.context.Context;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Gives each task of a scope a span. A scope needs both parts: the carrier keeps the submitter's context until a hook makes the span. */
final class ScopeTracing implements ThreadHook {

    private final SpanFactory spans;

    ScopeTracing(SpanFactory spans) {
        this.spans = spans;
    }

    /** Captures the context of the calling thread. */
    ContextCarrier.@Nullable Captured capture() {
        Context current = Context.current();
        return spans.traces(current)
                ? new ScopeTaskContext(current)
                : OtelContextCarrier.create().capture();
    }

    @Override
    public void onStart(TaskInfo info) {
        ScopeTaskContext carried = ScopeTaskContext.current(info.scopeId());
        TaskSpan span = carried == null ? null : carried.start(info, () -> newSpan(info, carried));
        if (span != null) {
            span.started(waited(info));
        }
    }

    @Override
    public void onRetry(TaskInfo info, int failedAttempts, Throwable fault, Duration delay) {
        ScopeTaskContext carried = ScopeTaskContext.current(info.scopeId());
        TaskSpan span = carried == null ? null : carried.running(info);
        if (span != null) {
            span.retry(failedAttempts, fault, delay);
        }
    }

    @Override
    public void onSuccess(TaskInfo info, Duration duration) {
        end(info, TaskSpan::succeeded);
    }

    @Override
    public void onFailure(TaskInfo info, Throwable error, Duration duration) {
        end(info, span -> span.failed(error));
    }

    @Override
    public void onCancel(TaskInfo info, Duration duration) {
        end(info, TaskSpan::cancelled);
    }

    private void end(TaskInfo info, Consumer<TaskSpan> end) {
        ScopeTaskContext carried = ScopeTaskContext.current(info.scopeId());
        if (carried != null) {
            end.accept(carried.complete(info, () -> newSpan(info, carried)));
        }
    }

    private static Duration waited(TaskInfo info) {
        Duration waited = Duration.between(info.createdAt(), Instant.now());
        return waited.isNegative() ? Duration.ZERO : waited; // the wall clock may go back
    }

    private TaskSpan newSpan(TaskInfo info, ScopeTaskContext carried) {
        Context context = carried.submitterContext();
        SpanBuilder builder = spans.builder(context, "")
                .setStartTimestamp(info.createdAt())
                .setAttribute(TaskAttributes.SCOPE_ID, info.scopeId())
                .setAttribute(TaskAttributes.TASK_ID, info.name());
        GroupOfTask group = carried.group();
        if (group != null) {
            builder.setAttribute(TaskAttributes.GROUP, group.groupKey());
            if (group.executorName() != null) {
                builder.setAttribute(TaskAttributes.EXECUTOR_NAME, group.executorName());
            }
        }
        return new TaskSpan(builder.startSpan(), context);
    }
}
