package io.github.kobe.scope;

import io.github.kobe.GroupExecutor;
import io.github.kobe.RetryPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a scope was told by its {@code with} methods. Guarded by the scope's monitor, and final from its first submission on. */
final class Settings {

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
}
