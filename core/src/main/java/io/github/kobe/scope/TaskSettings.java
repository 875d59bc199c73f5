package io.github.kobe.scope;

import io.github.kobe.RetryPolicy;
import io.github.kobe.internal.kernel.AttemptLimits;
import io.github.kobe.internal.kernel.AttemptState;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a task has beyond its work: a priority, further attempts, a budget. Most have none of it. */
final class TaskSettings {

    final AttemptState plan;
    final RetryPolicy retry;
    final @Nullable Duration timeout;

    private TaskSettings(int priority, RetryPolicy retry, @Nullable Duration timeout) {
        this.retry = retry;
        this.timeout = timeout;
        long nanos = timeout == null ? AttemptLimits.NONE : Durations.saturatedNanos(timeout);
        this.plan = new AttemptState(new AttemptLimits(priority, AttemptLimits.NONE, nanos, retry.keepsPermit(), true));
    }

    /** {@code null} if there are none. */
    static @Nullable TaskSettings of(TaskPriority priority, RetryPolicy retry, @Nullable Duration timeout) {
        boolean none = priority == TaskPriority.NORMAL && retry.maxAttempts() == 1 && timeout == null;
        return none ? null : new TaskSettings(priority.rank(), retry, timeout);
    }
}
