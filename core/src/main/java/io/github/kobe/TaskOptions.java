package io.github.kobe;

import io.github.kobe.internal.kernel.AttemptLimits;
import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What one task may take and how it is treated. Immutable; made by a {@link Builder}. One object may serve any number of
 * tasks.
 */
public final class TaskOptions {

    private static final TaskOptions DEFAULTS = builder().build();

    private final int priority;
    private final @Nullable Duration timeout;
    private final @Nullable Duration maxQueueTime;
    private final RetryPolicy retry;
    private final @Nullable Consumer<Throwable> recovery;
    private final @Nullable Consumer<TaskIdentity> before;
    private final @Nullable BiConsumer<TaskIdentity, @Nullable Throwable> after;
    private final @Nullable Consumer<String> log;
    private final @Nullable AttemptCallbacks hooks; // the last four, if there are any
    private final String tag;
    private final AttemptLimits terms; // what of it the kernel asks for with each task

    private TaskOptions(Builder b) {
        priority = b.priority;
        timeout = b.timeout;
        maxQueueTime = b.maxQueueTime;
        retry = b.retry;
        recovery = b.recovery;
        before = b.before;
        after = b.after;
        log = b.log;
        hooks = recovery == null && before == null && after == null && log == null
                ? null
                : new AttemptCallbacks(before, after, recovery, log);
        tag = b.tag;
        terms = new AttemptLimits(priority, nanos(maxQueueTime), nanos(timeout), retry.keepsPermit(), false);
    }

    private static long nanos(@Nullable Duration budget) {
        return budget == null ? AttemptLimits.NONE : Durations.saturatedNanos(budget);
    }

    AttemptLimits terms() {
        return terms;
    }

    @Nullable
    AttemptCallbacks hooks() {
        return hooks;
    }

    /** Priority 0, no time limits, no retry, no recovery, no hooks, no tag. */
    public static TaskOptions defaults() {
        return DEFAULTS;
    }

    /** A builder with the defaults that its methods name. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder with the settings of this one. */
    public Builder toBuilder() {
        Builder b = new Builder();
        b.priority = priority;
        b.timeout = timeout;
        b.maxQueueTime = maxQueueTime;
        b.retry = retry;
        b.recovery = recovery;
        b.before = before;
        b.after = after;
        b.log = log;
        b.tag = tag;
        return b;
    }

    /** As given to {@link Builder#priority}. */
    public int priority() {
        return priority;
    }

    /** As given to {@link Builder#timeout}; {@code null} if there is none. */
    public @Nullable Duration timeout() {
        return timeout;
    }

    /** As given to {@link Builder#maxQueueTime}; {@code null} if there is none. */
    public @Nullable Duration maxQueueTime() {
        return maxQueueTime;
    }

    /** As given to {@link Builder#retry}. */
    public RetryPolicy retry() {
        return retry;
    }

    /** As given to {@link Builder#recovery}; {@code null} if there is none. */
    public @Nullable Consumer<Throwable> recovery() {
        return recovery;
    }

    /** As given to {@link Builder#before}; {@code null} if there is none. */
    public @Nullable Consumer<TaskIdentity> before() {
        return before;
    }

    /** As given to {@link Builder#after}; {@code null} if there is none. */
    public @Nullable BiConsumer<TaskIdentity, @Nullable Throwable> after() {
        return after;
    }

    /** As given to {@link Builder#log}; {@code null} if there is none. */
    public @Nullable Consumer<String> log() {
        return log;
    }

    /** As given to {@link Builder#tag}; empty if there is none. */
    public String tag() {
        return tag;
    }

    /** Whether the settings are the same; a recovery, hooks, and the functions of a retry policy, only as far as their own equals goes. */
    @Override
    public boolean equals(@Nullable Object o) {
        return o instanceof TaskOptions other
                && priority == other.priority
                && Objects.equals(timeout, other.timeout)
                && Objects.equals(maxQueueTime, other.maxQueueTime)
                && retry.equals(other.retry)
                && Objects.equals(hooks, other.hooks)
                && tag.equals(other.tag);
    }

    @Override
    public int hashCode() {
        return Objects.hash(priority, timeout, maxQueueTime, retry, hooks, tag);
    }

    /** What differs from the defaults. */
    @Override
    public String toString() {
        StringJoiner text = new StringJoiner(", ", "TaskOptions[", "]");
        if (priority != 0) {
            text.add("priority " + priority);
        }
        if (timeout != null) {
            text.add("timeout " + Durations.text(timeout));
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

    /** Collects the options of a task. Not safe for use by many threads. */
    public static final class Builder {

        private int priority;
        private @Nullable Duration timeout;
        private @Nullable Duration maxQueueTime;
        private RetryPolicy retry = RetryPolicy.noRetry();
        private @Nullable Consumer<Throwable> recovery;
        private @Nullable Consumer<TaskIdentity> before;
        private @Nullable BiConsumer<TaskIdentity, @Nullable Throwable> after;
        private @Nullable Consumer<String> log;
        private String tag = "";

        private Builder() {}

        /** Of the tasks that wait in a group, larger ones start first, equal ones in the order of submission. Default 0. */
        public Builder priority(int value) {
            priority = value;
            return this;
        }

        /**
         * How long the task may run, over all attempts and the delays between them; positive. After that its handle completes
         * {@link TaskStatus#FAILED} with a {@link TaskTimeoutException} and its thread is interrupted; it holds its place until it
         * really ends. Default unlimited.
         */
        public Builder timeout(Duration budget) {
            timeout = Objects.requireNonNull(budget, "timeout");
            return this;
        }

        /**
         * How long the task may wait to start; positive. One that has not started by then never does: it ends
         * {@link TaskStatus#REJECTED} for {@link RejectionReason#EXPIRED}. Default unlimited.
         */
        public Builder maxQueueTime(Duration time) {
            maxQueueTime = Objects.requireNonNull(time, "maxQueueTime");
            return this;
        }

        /** What happens if the task throws. Default {@link RetryPolicy#noRetry()}. */
        public Builder retry(RetryPolicy policy) {
            retry = Objects.requireNonNull(policy, "retry");
            return this;
        }

        /**
         * Told of whatever the task throws, {@link Error}s included. What it throws itself is reported through
         * {@link System.Logger} and changes nothing. Default none.
         */
        public Builder recovery(Consumer<Throwable> consumer) {
            recovery = Objects.requireNonNull(consumer, "recovery");
            return this;
        }

        /** Called on the task's thread right before each attempt. What it throws is reported and changes nothing. Default none. */
        public Builder before(Consumer<TaskIdentity> hook) {
            before = Objects.requireNonNull(hook, "before");
            return this;
        }

        /**
         * Called on the task's thread right after each attempt, with what that threw, {@code null} if it returned. What it throws
         * itself is reported and changes nothing. Default none.
         */
        public Builder after(BiConsumer<TaskIdentity, @Nullable Throwable> hook) {
            after = Objects.requireNonNull(hook, "after");
            return this;
        }

        /** Given a line for people when an attempt begins and when it ends, on the task's thread. Default none. */
        public Builder log(Consumer<String> function) {
            log = Objects.requireNonNull(function, "log");
            return this;
        }

        /** A word for the kind of task, shown in figures, to listeners and in messages. Default empty, which is none. */
        public Builder tag(String word) {
            tag = Objects.requireNonNull(word, "tag");
            return this;
        }

        /**
         * Makes the options.
         *
         * @throws IllegalArgumentException if a setting is out of range; the message has its name and its value
         */
        public TaskOptions build() {
            if (timeout != null) {
                Checks.positive("timeout", timeout);
            }
            if (maxQueueTime != null) {
                Checks.positive("maxQueueTime", maxQueueTime);
            }
            return new TaskOptions(this);
        }
    }
}
