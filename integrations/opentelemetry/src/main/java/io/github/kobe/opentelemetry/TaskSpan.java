package io.github.kobe.opentelemetry;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.Rejection;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTimeoutException;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The span of one task. Its owner calls one of the methods that end it, once. A step that overlaps with the end, such as the start of a task
 * that is cancelled at this moment, may come after it; the span then ignores it.
 */
final class TaskSpan {

    private static final String SUCCESS = "success";
    private static final String FAILURE = "failure";
    private static final String TIMEOUT = "timeout";
    private static final String CANCELLED = "cancelled";
    private static final String REJECTED = "rejected";

    private final Span span;
    private final Context context;
    private volatile boolean hasWaitTime;

    TaskSpan(Span span, Context submitterContext) {
        this.span = span;
        this.context = submitterContext.with(span);
    }

    /** The submitter's context with this span in place of the submitter's. */
    Context context() {
        return context;
    }

    /** The first attempt is about to run. */
    void started(Duration waited) {
        waited(waited);
        span.addEvent("started");
    }

    void retry(int failedAttempts, Throwable fault, Duration delay) {
        span.addEvent(
                "retry",
                Attributes.of(
                        TaskAttributes.ATTEMPTS, (long) failedAttempts,
                        TaskAttributes.ERROR_TYPE, fault.getClass().getName(),
                        TaskAttributes.RETRY_DELAY, TaskAttributes.seconds(delay)));
    }

    /** Ends it with the result of a task that was not rejected. */
    void completed(GroupResult<?> result) {
        waited(result.waited());
        span.setAttribute(TaskAttributes.ATTEMPTS, (long) result.attempts());
        Throwable error = result.error();
        if (result.status() == TaskStatus.SUCCESS) {
            succeeded();
        } else if (result.status() == TaskStatus.CANCELLED) {
            cancelled();
        } else if (error != null) {
            failure(error); // also if it is the rejection of another task: this one ran
        } else {
            end(FAILURE); // a rejection handler made this result without an error
        }
    }

    void succeeded() {
        end(SUCCESS);
    }

    /** A cancellation is not an error: a caller asked for it. */
    void cancelled() {
        end(CANCELLED);
    }

    /** Ends it with the failure of a task of a scope. A rejection counts as one by the group of the task: a hook cannot tell them apart. */
    void failed(Throwable error) {
        if (error instanceof RejectedTaskException rejected) {
            rejected(rejected.rejection());
        } else {
            failure(error);
        }
    }

    private void failure(Throwable error) {
        error(error.getClass(), error.getMessage());
        span.recordException(error);
        end(error instanceof TaskTimeoutException ? TIMEOUT : FAILURE);
    }

    void rejected(@Nullable Rejection rejection) {
        if (rejection != null) {
            waited(rejection.waited());
            span.setAttribute(
                    TaskAttributes.REJECTION_REASON, rejection.reason().name().toLowerCase(Locale.ROOT));
            span.setAttribute(
                    TaskAttributes.REJECTION_LIMITED_BY,
                    rejection.limitedBy().name().toLowerCase(Locale.ROOT));
            if (!rejection.sharedLimit().isEmpty()) {
                span.setAttribute(TaskAttributes.REJECTION_SHARED_LIMIT, rejection.sharedLimit());
            }
        }
        error(RejectedTaskException.class, rejection == null ? null : rejection.toString());
        end(REJECTED);
    }

    /** The first value stays: a result may not know the time if the task was cancelled at the moment when its code returned. */
    private void waited(Duration waited) {
        if (!hasWaitTime) {
            hasWaitTime = true;
            span.setAttribute(TaskAttributes.WAIT_TIME, TaskAttributes.seconds(waited));
        }
    }

    private void error(Class<? extends Throwable> type, @Nullable String message) {
        span.setAttribute(TaskAttributes.ERROR_TYPE, type.getName());
        span.setStatus(StatusCode.ERROR, message == null ? "" : message);
    }

    private void end(String outcome) {
        span.setAttribute(TaskAttributes.OUTCOME, outcome);
        span.end();
    }
}
