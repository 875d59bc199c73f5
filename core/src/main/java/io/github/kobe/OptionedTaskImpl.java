package io.github.kobe;

import io.github.kobe.internal.kernel.AttemptState;
import io.github.kobe.internal.kernel.TerminationCause;
import io.github.kobe.internal.util.Faults;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A task with options. */
class OptionedTaskImpl<T> extends GroupTaskImpl<T> {

    private final TaskOptions options;
    private final AttemptState plan;
    private final Faults faults;

    OptionedTaskImpl(
            String groupKey,
            String taskId,
            Object task,
            TaskOptions options,
            @Nullable ListenerNotifier announcer,
            Faults faults) {
        super(groupKey, taskId, task, announcer);
        this.options = options;
        this.faults = faults;
        this.plan = new AttemptState(options.terms());
    }

    @Override
    protected AttemptState attempts() {
        return plan;
    }

    @Override
    boolean mayRunAgain() {
        return options.retry().maxAttempts() > 1;
    }

    @Override
    protected Object execute() {
        AttemptCallbacks hooks = options.hooks();
        if (hooks == null) {
            return super.execute();
        }
        guard("before hook", () -> hooks.begins(this));
        Object result = super.execute();
        Throwable fault = errorOf(result);
        if (fault != null) {
            guard("recovery", () -> hooks.recovers(fault));
        }
        guard("after hook", () -> hooks.ends(this, fault));
        return result;
    }

    /** Whether the thread is interrupted is the task's business: a hook neither sees it nor changes it. */
    private void guard(String what, Runnable hook) {
        boolean interrupted = Thread.interrupted();
        try {
            hook.run();
        } catch (Throwable its) {
            faults.report(what, this, its);
        }
        Thread.interrupted();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    TaskContext context() {
        long start = plan.firstStartedAt();
        boolean bounded = start != 0 && options.timeout() != null;
        return new TaskContextImpl(
                this, options.priority(), bounded ? start + options.terms().timeoutNanos() : TaskContextImpl.NEVER);
    }

    @Override
    protected long retryDelay(Object result) {
        Throwable fault = errorOf(result);
        if (fault == null) {
            return -1;
        }
        int failed = plan.failedAttempts() + 1;
        long delay = Thread.currentThread().isInterrupted() ? -1 : delayAfter(failed, fault);
        if (delay < 0) {
            plan.withEarlierFailures(fault);
            dropWork();
            return -1;
        }
        plan.addFailure(fault);
        count(CounterSlots.RETRIED);
        if (announcer != null) {
            announcer.retries(this, failed, fault, Duration.ofNanos(delay));
            Thread.interrupted(); // of the listener's making
        }
        return delay;
    }

    private long delayAfter(int failed, Throwable fault) {
        try {
            return options.retry().nextDelayNanos(failed, fault);
        } catch (Throwable its) {
            faults.report("retry policy", this, its);
            return -1;
        }
    }

    @Override
    protected GroupResult<T> terminated(TerminationCause why) {
        return switch (why) {
            case DISPLACED -> super.terminated(why);
            case EXPIRED -> GroupResult.rejected(groupKey(), taskId(), rejection(RejectionReason.EXPIRED));
            case TIMED_OUT -> timedOut();
        };
    }

    private GroupResult<T> timedOut() {
        long now = System.nanoTime();
        long start = plan.firstStartedAt();
        long queued = plan.firstQueuedAt();
        Duration waited = queued == 0 ? Duration.ZERO : Duration.ofNanos(start - queued);
        Duration budget = Objects.requireNonNull(options.timeout());
        TaskTimeoutException error =
                new TaskTimeoutException(groupKey(), taskId(), tag(), budget, waited, Duration.ofNanos(now - start));
        return GroupResult.failed(groupKey(), taskId(), plan.withEarlierFailures(error), start, now);
    }

    @Override
    long firstQueuedAt() {
        return plan.firstQueuedAt();
    }

    @Override
    long firstStart() {
        return plan.firstStartedAt() == 0 ? super.firstStart() : plan.firstStartedAt();
    }

    @Override
    protected String counterTag() {
        return tag();
    }

    @Override
    public String tag() {
        return options.tag();
    }
}
