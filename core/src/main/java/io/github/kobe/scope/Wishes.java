package io.github.kobe.scope;

import io.github.kobe.RetryPolicy;
import io.github.kobe.internal.Durations;
import io.github.kobe.internal.Plan;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a task has beyond its work: a priority, further attempts, a budget. Most have none of it. */
final class Wishes {

    final Plan plan;
    final RetryPolicy retry;
    final @Nullable Duration timeout;

    private Wishes(int priority, RetryPolicy retry, @Nullable Duration timeout) {
        this.retry = retry;
        this.timeout = timeout;
        long nanos = timeout == null ? Plan.NONE : Durations.saturatedNanos(timeout);
        this.plan = new Plan(new Plan.Terms(priority, Plan.NONE, nanos, retry.keepsPlace(), true));
    }

    /** {@code null} if there are none. */
    static @Nullable Wishes of(TaskPriority priority, RetryPolicy retry, @Nullable Duration timeout) {
        boolean none = priority == TaskPriority.NORMAL && retry.maxAttempts() == 1 && timeout == null;
        return none ? null : new Wishes(priority.rank(), retry, timeout);
    }
}
