package io.github.kobe.opentelemetry;

import io.github.kobe.ContextCarrier;
import io.github.kobe.GroupResult;
import io.github.kobe.Rejection;
import io.github.kobe.TaskIdentity;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.opentelemetry.ScopeTaskContext.GroupOfTask;
import io.github.kobe.scope.ThreadScope;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.context.Context;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Gives each task a span of OpenTelemetry, from its submission to its outcome. The listener makes the span, and {@link #carrier} makes it the
 * current one while the task runs:
 *
 * <pre>{@code
 * TracingListener tracing = TracingListener.builder(openTelemetry).executorName("orders").build();
 * GroupPolicy policy = GroupPolicy.builder()
 *         .name("orders")
 *         .taskLifecycleListener(tracing)
 *         .contextCarrier(tracing.carrier())
 *         .build();
 * }</pre>
 *
 * <p>The span is called {@code task}, or {@code task <tag>} if the task has a tag; keys and ids are attributes only. Its kind is INTERNAL. By
 * default it is a child of the span that is current for the submitter. If there is none, the task has no span, unless
 * {@link Builder#rootSpans} says so.
 *
 * <table>
 * <caption>Attributes</caption>
 * <tr><th>attribute</th><th>value</th></tr>
 * <tr><td>{@code group_concurrency.executor.name}</td><td>{@link Builder#executorName}, if it is set</td></tr>
 * <tr><td>{@code group_concurrency.group}</td><td>the key of the group</td></tr>
 * <tr><td>{@code group_concurrency.task.id}</td><td>the name of the task</td></tr>
 * <tr><td>{@code group_concurrency.scope.id}</td><td>the scope, of a task of a {@link ThreadScope}</td></tr>
 * <tr><td>{@code group_concurrency.wait_time}</td><td>seconds before the first start, or before the rejection</td></tr>
 * <tr><td>{@code group_concurrency.attempts}</td><td>how many attempts were started; not of a task of a scope</td></tr>
 * <tr><td>{@code group_concurrency.outcome}</td><td>{@code success}, {@code failure}, {@code timeout}, {@code cancelled} or {@code rejected}</td></tr>
 * <tr><td>{@code group_concurrency.rejection.reason}</td><td>such as {@code group_queue_full}, of a rejected task</td></tr>
 * <tr><td>{@code group_concurrency.rejection.limited_by}</td><td>the limit that had no room, such as {@code global}, of a rejected
 * task</td></tr>
 * <tr><td>{@code group_concurrency.rejection.shared_limit}</td><td>the name and the value, such as {@code tenant 'acme'}, if a shared limit had no
 * room or was paused</td></tr>
 * <tr><td>{@code error.type}</td><td>the class of the exception, of a failure, a timeout or a rejection</td></tr>
 * </table>
 *
 * <p>Events are {@code started} and, for each attempt that failed and is followed by another, {@code retry}. The event {@code retry} has
 * {@code group_concurrency.attempts}, the number of failed attempts; {@code error.type}, the class of the exception; and
 * {@code group_concurrency.retry.delay}, the seconds before the next attempt. The status of the span is ERROR after a failure, a timeout and a
 * rejection.
 *
 * <p>The task's span is current in each attempt, in the rejection handler, and in the callbacks of the task, as {@link ContextCarrier} says. A
 * task that its submitter runs, under {@code CALLER_RUNS} or {@code call}, leaves the submitter's span current. A span ends when the outcome is
 * decided; code of a cancelled task may still run then.
 *
 * <p>Safe for use by many threads. One listener may serve several executors and scopes. It keeps the span of each task that has been submitted
 * and not completed. If it is removed from an executor, the spans of the tasks in flight never end: remove it when the executor is idle.
 */
public final class TracingListener implements TaskLifecycleListener {

    private static final String INSTRUMENTATION_NAME = "io.github.kobe.opentelemetry";
    private static final ContextCarrier PLAIN_CARRIER = OtelContextCarrier.create();

    private final SpanFactory factory;
    private final ScopeTracing scopeTracing;
    private final ContextCarrier carrier = new SpanCarrier(PLAIN_CARRIER::capture, this::capture);
    private final @Nullable String executorName;

    /** The executor calls the listener with the same object for the same task, and tells it exactly once that the task has completed. */
    private final Map<TaskIdentity, TaskSpan> spans = new ConcurrentHashMap<>();

    private TracingListener(Builder builder) {
        this.factory = new SpanFactory(
                builder.openTelemetry.getTracer(INSTRUMENTATION_NAME), builder.relation, builder.rootSpans);
        this.scopeTracing = new ScopeTracing(factory);
        this.executorName = builder.executorName;
    }

    /** Creates a listener with the defaults of {@link #builder}. */
    public static TracingListener create(OpenTelemetry openTelemetry) {
        return builder(openTelemetry).build();
    }

    /** Creates a builder of a listener whose spans go to {@code openTelemetry}. */
    public static Builder builder(OpenTelemetry openTelemetry) {
        return new Builder(Objects.requireNonNull(openTelemetry, "openTelemetry"));
    }

    /**
     * Returns a carrier for the executors of this listener. It carries the OpenTelemetry context of the submitter, with the task's own span as
     * the current one. A task that has no span gets the submitter's context as it is.
     */
    public ContextCarrier carrier() {
        return carrier;
    }

    /**
     * Has the tasks of {@code scope} traced: adds a hook and a carrier. The scope needs no other carrier of OpenTelemetry. A task has one span,
     * for all its attempts, also if it runs in a group of an executor that has a {@code TracingListener}; that span then has the attributes of
     * the group. In a scope that is not traced, such an executor makes a span for each attempt, which is not the current one.
     *
     * <pre>{@code
     * try (ThreadScope scope = tracing.trace(ThreadScope.open())) {
     *     scope.await(scope.submit(() -> callTheOtherService()));
     * }
     * }</pre>
     *
     * @return {@code scope}
     * @throws IllegalStateException if the scope has tasks already, or is closed
     */
    public ThreadScope trace(ThreadScope scope) {
        Objects.requireNonNull(scope, "scope");
        return scope.withContextCarrier(new SpanCarrier(scopeTracing::capture, this::capture))
                .withHook(scopeTracing);
    }

    @Override
    public void onSubmitted(TaskIdentity task) {
        Context context = Context.current();
        if (isTracedByScope(task) || !factory.traces(context)) {
            return;
        }
        SpanBuilder builder = factory.builder(context, task.tag())
                .setAttribute(TaskAttributes.GROUP, task.groupKey())
                .setAttribute(TaskAttributes.TASK_ID, task.taskId());
        if (executorName != null) {
            builder.setAttribute(TaskAttributes.EXECUTOR_NAME, executorName);
        }
        spans.put(task, new TaskSpan(builder.startSpan(), context));
    }

    /** An attempt of a scope's task is part of the span that the task has, or will have when it starts. */
    private boolean isTracedByScope(TaskIdentity task) {
        ScopeTaskContext scopeTask =
                task.scopeId().map(ScopeTaskContext::current).orElse(null);
        if (scopeTask == null) {
            return false;
        }
        scopeTask.inGroup(new GroupOfTask(executorName, task.groupKey()));
        return true;
    }

    @Override
    public void onStarted(TaskIdentity task, Duration waited) {
        TaskSpan span = spans.get(task);
        if (span != null) {
            span.started(waited);
        }
    }

    @Override
    public void onRetry(TaskIdentity task, int failedAttempts, Throwable fault, Duration delay) {
        TaskSpan span = spans.get(task);
        if (span != null) {
            span.retry(failedAttempts, fault, delay);
        }
    }

    @Override
    public void onCompleted(TaskIdentity task, GroupResult<?> result) {
        TaskSpan span = spans.remove(task);
        if (span != null) {
            span.completed(result);
        }
    }

    @Override
    public void onRejected(TaskIdentity task, Rejection rejection) {
        TaskSpan span = spans.remove(task);
        if (span != null) {
            span.rejected(rejection);
        }
    }

    /** Returns how many spans have not ended. For tests. */
    int openSpans() {
        return spans.size();
    }

    /** The executor calls the listener before it captures the context, so the span is there. */
    private ContextCarrier.@Nullable Captured capture(TaskIdentity task) {
        TaskSpan span = spans.get(task);
        if (span == null) {
            return PLAIN_CARRIER.capture();
        }
        Context context = span.context();
        return () -> OtelContextCarrier.install(context);
    }

    /** Builds a {@link TracingListener}. Not safe for use by many threads. */
    public static final class Builder {

        private final OpenTelemetry openTelemetry;
        private @Nullable String executorName;
        private SpanRelation relation = SpanRelation.CHILD;
        private boolean rootSpans;

        private Builder(OpenTelemetry openTelemetry) {
            this.openTelemetry = openTelemetry;
        }

        /**
         * The name of the executor in spans, best the one that the executor has. Default none.
         *
         * @throws IllegalArgumentException if it is blank
         */
        public Builder executorName(String name) {
            if (Objects.requireNonNull(name, "executorName").isBlank()) {
                throw new IllegalArgumentException("executorName must not be blank, but is '" + name + "'");
            }
            this.executorName = name;
            return this;
        }

        /** How the span of a task relates to that of its submitter. Default {@link SpanRelation#CHILD}. */
        public Builder relation(SpanRelation spanRelation) {
            this.relation = Objects.requireNonNull(spanRelation, "relation");
            return this;
        }

        /**
         * Whether a task that is submitted outside any span has a span too, which is the root of a new trace. Default false: work in the
         * background does not fill the trace store.
         */
        public Builder rootSpans(boolean on) {
            this.rootSpans = on;
            return this;
        }

        /** Creates the listener. The builder may be used again. */
        public TracingListener build() {
            return new TracingListener(this);
        }
    }
}
