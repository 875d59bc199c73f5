package io.github.kobe.scope;

import io.github.kobe.GroupExecutor;
import io.github.kobe.RetryPolicy;
import io.github.kobe.internal.util.Checks;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a scope was told by its {@code with} methods. Guarded by the scope's monitor, and final from its first submission on. */
final class ScopeSettings {

    Scheduler scheduler = Scheduler.detect();
    FailurePolicy failurePolicy = FailurePolicy.FAIL_FAST;
    RetryPolicy retryPolicy = RetryPolicy.noRetry();
    TaskPriority defaultPriority = TaskPriority.NORMAL;
    int concurrencyLimit = Integer.MAX_VALUE;
    boolean queuesAlways;
    Duration deadline = Duration.ofSeconds(30);
    Duration closeGrace = Duration.ofSeconds(30);

    @Nullable
    ThreadHook hook;

    ContextCarrier carrier = Context.carrier();

    @Nullable
    GroupExecutor groups;

    /** What a task has beyond its work; what is not said of it is as the scope has it. {@code null} if that is nothing. */
    @Nullable
    TaskSettings wishes(@Nullable TaskPriority priority, @Nullable RetryPolicy retry, @Nullable Duration timeout) {
        if (timeout != null) {
            Checks.positive("timeout", timeout);
        }
        return TaskSettings.of(
                priority == null ? defaultPriority : priority, retry == null ? retryPolicy : retry, timeout);
    }
}
