package io.github.kobe.scope;

import io.github.kobe.ContextCarrier;
import io.github.kobe.GroupExecutor;
import io.github.kobe.RetryPolicy;
import io.github.kobe.UndesiredResultException;
import io.github.kobe.internal.kernel.AttemptLimits;
import io.github.kobe.internal.kernel.AttemptState;
import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The settings of a scope, made by its {@code with} methods. Guarded by the scope's monitor, and final from its first submission on. */
final class ScopeSettings {

    Scheduler scheduler = Scheduler.detect();
    FailurePolicy failurePolicy = FailurePolicy.FAIL_FAST;
    RetryPolicy retryPolicy = RetryPolicy.noRetry();

    @Nullable
    Duration attemptTimeout;

    TaskPriority defaultPriority = TaskPriority.NORMAL;
    int concurrencyLimit = Integer.MAX_VALUE;
    boolean queuesAlways;
    Duration deadline = Duration.ofSeconds(30);
    Duration closeGrace = Duration.ofSeconds(30);

    @Nullable
    ThreadHook hook;

    ContextCarrier carrier = Context.CARRIER;

    @Nullable
    GroupExecutor groups;

    /** The priority, retries and timeout of one task, and the state of its attempts. */
    static final class PerTask {
        final AttemptState attempts;
        final RetryPolicy retry;
        final @Nullable Duration timeout;
        final @Nullable Duration attemptTimeout;

        /** Set after an attempt whose value the policy retries. For the thread that has the task. */
        @Nullable
        UndesiredResult undesired;

        private PerTask(
                int priority, RetryPolicy retry, @Nullable Duration timeout, @Nullable Duration attemptTimeout) {
            this.retry = retry;
            this.timeout = timeout;
            this.attemptTimeout = attemptTimeout;
            this.attempts = new AttemptState(new AttemptLimits(
                    priority, AttemptLimits.NONE, nanos(timeout), nanos(attemptTimeout), retry.keepsPermit(), true));
        }

        private static long nanos(@Nullable Duration limit) {
            return limit == null ? AttemptLimits.NONE : Durations.saturatedNanos(limit);
        }
    }

    /**
     * An attempt returned a value that is retried.
     *
     * @param work for the next attempt, while the task has the value in its field
     */
    record UndesiredResult(UndesiredResultException fault, Object work) {}

    /** Settings of a new task; {@code null} stands for the scope's default. Returns {@code null} if all are those of a plain task. */
    @Nullable
    PerTask forTask(@Nullable TaskPriority priority, @Nullable RetryPolicy retry, @Nullable Duration timeout) {
        if (timeout != null) {
            Checks.positive("timeout", timeout);
        }
        TaskPriority itsPriority = priority == null ? defaultPriority : priority;
        RetryPolicy itsRetry = retry == null ? retryPolicy : retry;
        boolean isPlain = itsPriority == TaskPriority.NORMAL
                && itsRetry.maxAttempts() == 1
                && timeout == null
                && attemptTimeout == null;
        return isPlain ? null : new PerTask(itsPriority.rank(), itsRetry, timeout, attemptTimeout);
    }
}
