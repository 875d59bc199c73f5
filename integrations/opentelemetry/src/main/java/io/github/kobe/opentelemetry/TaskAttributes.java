package io.github.kobe.opentelemetry;

import io.opentelemetry.api.common.AttributeKey;
import java.time.Duration;

/** The attributes of spans and of their events. {@link TracingListener} documents them. */
final class TaskAttributes {

    static final AttributeKey<String> EXECUTOR_NAME = AttributeKey.stringKey("group_concurrency.executor.name");
    static final AttributeKey<String> GROUP = AttributeKey.stringKey("group_concurrency.group");
    static final AttributeKey<String> TASK_ID = AttributeKey.stringKey("group_concurrency.task.id");
    static final AttributeKey<String> SCOPE_ID = AttributeKey.stringKey("group_concurrency.scope.id");
    static final AttributeKey<Double> WAIT_TIME = AttributeKey.doubleKey("group_concurrency.wait_time");
    static final AttributeKey<Long> ATTEMPTS = AttributeKey.longKey("group_concurrency.attempts");
    static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("group_concurrency.outcome");
    static final AttributeKey<String> REJECTION_REASON = AttributeKey.stringKey("group_concurrency.rejection.reason");
    static final AttributeKey<String> REJECTION_LIMITED_BY =
            AttributeKey.stringKey("group_concurrency.rejection.limited_by");
    static final AttributeKey<String> REJECTION_SHARED_LIMIT =
            AttributeKey.stringKey("group_concurrency.rejection.shared_limit");
    static final AttributeKey<Double> RETRY_DELAY = AttributeKey.doubleKey("group_concurrency.retry.delay");
    static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");

    private TaskAttributes() {}

    /** OpenTelemetry's unit of time is the second. */
    static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}
