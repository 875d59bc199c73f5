package io.github.kobe;

import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The options of a task: priority, cost, time limits, retries, callbacks and tag. Immutable. Created by a {@link Builder}. One object may be
 * used for any number of tasks.
 */
public final class TaskOptions {

    private static final TaskOptions DEFAULTS = builder().build();

    private final int priority;
    private final int cost;
    private final @Nullable Duration timeout;
    private final @Nullable Duration attemptTimeout;
    private final @Nullable Duration maxQueueTime;
    private final RetryPolicy retry;
    private final @Nullable Consumer<Throwable> recovery;
    private final @Nullable Consumer<TaskIdentity> before;
    private final @Nullable BiConsumer<TaskIdentity, @Nullable Throwable> after;
    private final @Nullable Consumer<String> log;
    private final String tag;

    private TaskOptions(Builder b) {
        priority = b.priority;
        cost = b.cost;
        timeout = b.timeout;
        attemptTimeout = b.attemptTimeout;
        maxQueueTime = b.maxQueueTime;
        retry = b.retry;
        recovery = b.recovery;
        before = b.before;
        after = b.after;
        log = b.log;
        tag = b.tag;
    }

    /** Returns the defaults: priority 0, cost 1, no time limits, no retry, no callbacks, no tag. */
    public static TaskOptions defaults() {
        return DEFAULTS;
    }

    /** Creates a builder. Each of its methods documents its default. */
    public static Builder builder() {
        return new Builder();
    }

    /** Creates a builder with these options. */
    public Builder toBuilder() {
        Builder b = new Builder();
        b.priority = priority;
        b.cost = cost;
        b.timeout = timeout;
        b.attemptTimeout = attemptTimeout;
        b.maxQueueTime = maxQueueTime;
        b.retry = retry;
        b.recovery = recovery;
        b.before = before;
        b.after = after;
        b.log = log;
        b.tag = tag;
        return b;
    }

    /** Returns the value of {@link Builder#priority}. */
    public int priority() {
        return priority;
    }

    /** Returns the value of {@link Builder#cost}. */
    public int cost() {
        return cost;
    }

    /** Returns the value of {@link Builder#timeout}; {@code null} if there is none. */
    public @Nullable Duration timeout() {
        return timeout;
    }

    /** Returns the value of {@link Builder#attemptTimeout}; {@code null} if there is none. */
    public @Nullable Duration attemptTimeout() {
        return attemptTimeout;
    }

    /** Returns the value of {@link Builder#maxQueueTime}; {@code null} if there is none. */
    public @Nullable Duration maxQueueTime() {
        return maxQueueTime;
    }

    /** Returns the value of {@link Builder#retry}. */
    public RetryPolicy retry() {
        return retry;
    }

    /** Returns the value of {@link Builder#recovery}; {@code null} if there is none. */
    public @Nullable Consumer<Throwable> recovery() {
        return recovery;
    }

    /** Returns the value of {@link Builder#before}; {@code null} if there is none. */
    public @Nullable Consumer<TaskIdentity> before() {
        return before;
    }

    /** Returns the value of {@link Builder#after}; {@code null} if there is none. */
    public @Nullable BiConsumer<TaskIdentity, @Nullable Throwable> after() {
        return after;
    }

    /** Returns the value of {@link Builder#log}; {@code null} if there is none. */
    public @Nullable Consumer<String> log() {
        return log;
    }

    /** Returns the value of {@link Builder#tag}; empty if there is none. */
    public String tag() {
        return tag;
    }

    /** Returns whether the options are equal. Callbacks and the functions of a retry policy are compared by their own {@code equals}. */
    @Override
    public boolean equals(@Nullable Object o) {
        if (o == this) {
            return true;
        }
        return o instanceof TaskOptions other
                && priority == other.priority
                && cost == other.cost
                && Objects.equals(timeout, other.timeout)
                && Objects.equals(attemptTimeout, other.attemptTimeout)
                && Objects.equals(maxQueueTime, other.maxQueueTime)
                && retry.equals(other.retry)
                && Objects.equals(recovery, other.recovery)
                && Objects.equals(before, other.before)
                && Objects.equals(after, other.after)
                && Objects.equals(log, other.log)
                && tag.equals(other.tag);
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                priority, cost, timeout, attemptTimeout, maxQueueTime, retry, recovery, before, after, log, tag);
    }

    /** Returns the options that differ from the defaults. */
    @Override
    public String toString() {
        StringJoiner text = new StringJoiner(", ", "TaskOptions[", "]");
        if (priority != 0) {
            text.add("priority " + priority);
        }
        if (cost != 1) {
            text.add("cost " + cost);
        }
        if (timeout != null) {
            text.add("timeout " + Durations.text(timeout));
        }
        if (attemptTimeout != null) {
            text.add("attempt timeout " + Durations.text(attemptTimeout));
        }
        if (maxQueueTime != null) {
            text.add("max queue time " + Durations.text(maxQueueTime));
        }
        if (retry.maxAttempts() > 1) {
            text.add("retry " + retry);
        }
        if (recovery != null) {
            text.add("recovery");
        }
        if (before != null || after != null || log != null) {
            text.add("hooks");
        }
        if (!tag.isEmpty()) {
            text.add("tag '" + tag + "'");
        }
        return text.toString();
    }

    /** Builds {@link TaskOptions}. Not safe for use by many threads. */
    public static final class Builder {

        private int priority;
        private int cost = 1;
        private @Nullable Duration timeout;
        private @Nullable Duration attemptTimeout;
        private @Nullable Duration maxQueueTime;
        private RetryPolicy retry = RetryPolicy.noRetry();
        private @Nullable Consumer<Throwable> recovery;
        private @Nullable Consumer<TaskIdentity> before;
        private @Nullable BiConsumer<TaskIdentity, @Nullable Throwable> after;
        private @Nullable Consumer<String> log;
        private String tag = "";

        private Builder() {}

        /** Sets the priority. Queued tasks of a group start by descending priority, then in the order of submission. Default 0. */
        public Builder priority(int value) {
            priority = value;
            return this;
        }

        /**
         * Sets how many permits the task takes of its group, of each shared limit of the group and of the global limit, at least 1. Default 1. It starts when
         * all of them are free at once. If the cost is higher than one of these limits, the task could never start: it is rejected with
         * {@link RejectionReason#TOO_COSTLY}. If a limit is lowered later, the task stays queued until the limit is raised again.
         *
         * <p>While a costly task is the first one of its group, no later task of the group starts. While it is its turn at a limit, that limit saves up permits for it, and no
         * other task takes them.
         *
         * <p>Only tasks of a {@link GroupExecutor} may cost more than 1. The other executors throw {@link IllegalArgumentException}.
         */
        public Builder cost(int permits) {
            cost = permits;
            return this;
        }

        /**
         * Sets how long the task may take from its first start; positive. This includes all attempts, the delays between them, and the time
         * that the task is queued for another attempt. It does not include the time in the queue before the first start. When the time is
         * over, the handle completes as {@link TaskStatus#FAILED} with a {@link TaskTimeoutException}, and the task's thread is
         * interrupted. The task keeps its permit until its code returns. Default unlimited.
         */
        public Builder timeout(Duration time) {
            timeout = Objects.requireNonNull(time, "timeout");
            return this;
        }

        /**
         * Sets how long each attempt may run, beside {@link #timeout}; positive. When the time is over, the attempt's thread is interrupted.
         * When its code has returned, whatever it returns or throws, the attempt has failed with a {@link TaskTimeoutException}, and
         * {@link #retry} decides whether there is another. If the number of attempts is reached, the handle completes at once, as under
         * {@link #timeout}. Code that ignores the interrupt delays the next attempt: limit the whole task too. Default unlimited.
         */
        public Builder attemptTimeout(Duration time) {
            attemptTimeout = Objects.requireNonNull(time, "attemptTimeout");
            return this;
        }

        /**
         * Sets how long the task may be queued for its first start; positive. If it has not started by then, it never runs: it is
         * {@link TaskStatus#REJECTED} with {@link RejectionReason#EXPIRED}. A task that is queued for another attempt does not expire.
         * Default unlimited.
         */
        public Builder maxQueueTime(Duration time) {
            maxQueueTime = Objects.requireNonNull(time, "maxQueueTime");
            return this;
        }

        /** Sets whether and when the task is retried if it throws or returns an undesired value. Default {@link RetryPolicy#noRetry()}. */
        public Builder retry(RetryPolicy policy) {
            retry = Objects.requireNonNull(policy, "retry");
            return this;
        }

        /**
         * Sets a callback that is given whatever the task throws, also an {@link Error}. It is called on the task's thread. What the
         * callback throws is logged through {@link System.Logger} and changes nothing else. Default none.
         */
        public Builder recovery(Consumer<Throwable> consumer) {
            recovery = Objects.requireNonNull(consumer, "recovery");
            return this;
        }

        /**
         * Sets a callback that is called on the task's thread before each attempt. What it throws is logged and changes nothing else.
         * Default none.
         */
        public Builder before(Consumer<TaskIdentity> hook) {
            before = Objects.requireNonNull(hook, "before");
            return this;
        }

        /**
         * Sets a callback that is called on the task's thread after each attempt, with what the attempt threw, or {@code null} if it
         * returned. What the callback throws is logged and changes nothing else. Default none.
         */
        public Builder after(BiConsumer<TaskIdentity, @Nullable Throwable> hook) {
            after = Objects.requireNonNull(hook, "after");
            return this;
        }

        /** Sets a callback that is given a log message on the task's thread when an attempt begins and when it completes. Default none. */
        public Builder log(Consumer<String> function) {
            log = Objects.requireNonNull(function, "log");
            return this;
        }

        /** Sets a name for the kind of task. Statistics, listeners and messages show it. Default empty, which means no tag. */
        public Builder tag(String name) {
            tag = Objects.requireNonNull(name, "tag");
            return this;
        }

        /**
         * Creates the options.
         *
         * @throws IllegalArgumentException if a setting is out of range; the message contains its name and its value
         */
        public TaskOptions build() {
            Checks.atLeast(1, "cost", cost);
            if (timeout != null) {
                Checks.positive("timeout", timeout);
            }
            if (attemptTimeout != null) {
                Checks.positive("attemptTimeout", attemptTimeout);
            }
            if (maxQueueTime != null) {
                Checks.positive("maxQueueTime", maxQueueTime);
            }
            return new TaskOptions(this);
        }
    }
}
