package io.github.kobe;

import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.Objects;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * The options of a request for a permit: maximum wait, priority, cost, name, tag, and whether listeners are called. Immutable. Created by a {@link Builder}. One object may be
 * used for any number of requests.
 */
public final class PermitOptions {

    private static final PermitOptions DEFAULTS = builder().build();

    private final @Nullable Duration maxWait;
    private final int priority;
    private final int cost;
    private final String taskId;
    private final String tag;
    private final boolean announce;

    private PermitOptions(Builder b) {
        maxWait = b.maxWait;
        priority = b.priority;
        cost = b.cost;
        taskId = b.taskId;
        tag = b.tag;
        announce = b.announce;
    }

    /** Returns the defaults: no maximum wait, priority 0, cost 1, the name "permit", no tag, not announced. */
    public static PermitOptions defaults() {
        return DEFAULTS;
    }

    /** Creates a builder. Each of its methods documents its default. */
    public static Builder builder() {
        return new Builder();
    }

    /** Creates a builder with these options. */
    public Builder toBuilder() {
        Builder b = new Builder();
        b.maxWait = maxWait;
        b.priority = priority;
        b.cost = cost;
        b.taskId = taskId;
        b.tag = tag;
        b.announce = announce;
        return b;
    }

    /** Returns the value of {@link Builder#maxWait}; {@code null} if there is none. */
    public @Nullable Duration maxWait() {
        return maxWait;
    }

    /** Returns the value of {@link Builder#priority}. */
    public int priority() {
        return priority;
    }

    /** Returns the value of {@link Builder#cost}. */
    public int cost() {
        return cost;
    }

    /** Returns the value of {@link Builder#taskId}. */
    public String taskId() {
        return taskId;
    }

    /** Returns the value of {@link Builder#tag}; empty if there is none. */
    public String tag() {
        return tag;
    }

    /** Returns the value of {@link Builder#announce}. */
    public boolean announce() {
        return announce;
    }

    /** Returns whether the options are equal. */
    @Override
    public boolean equals(@Nullable Object o) {
        return o instanceof PermitOptions other
                && Objects.equals(maxWait, other.maxWait)
                && priority == other.priority
                && cost == other.cost
                && taskId.equals(other.taskId)
                && tag.equals(other.tag)
                && announce == other.announce;
    }

    @Override
    public int hashCode() {
        return Objects.hash(maxWait, priority, cost, taskId, tag, announce);
    }

    /** Returns the options that differ from the defaults. */
    @Override
    public String toString() {
        StringJoiner text = new StringJoiner(", ", "PermitOptions[", "]");
        if (maxWait != null) {
            text.add("max wait " + Durations.text(maxWait));
        }
        if (priority != 0) {
            text.add("priority " + priority);
        }
        if (cost != 1) {
            text.add("cost " + cost);
        }
        if (!taskId.equals(DEFAULTS.taskId)) {
            text.add("task '" + taskId + "'");
        }
        if (!tag.isEmpty()) {
            text.add("tag '" + tag + "'");
        }
        if (announce) {
            text.add("announced");
        }
        return text.toString();
    }

    /** Builds {@link PermitOptions}. Not safe for use by many threads. */
    public static final class Builder {

        private @Nullable Duration maxWait;
        private int priority;
        private int cost = 1;
        private String taskId = "permit";
        private String tag = "";
        private boolean announce;

        private Builder() {}

        /**
         * Sets how long to wait for the permit, including the time that the caller blocks under {@link RejectionPolicy#BLOCK}; zero or more.
         * When the time is over, the request is rejected with {@link RejectionReason#EXPIRED}. If the time is zero, the request takes a
         * permit only if one is free now, and displaces no queued task. Default none: {@code acquire}, {@code acquireAsync} and
         * {@code call} wait without a time limit, and {@code tryAcquire} does not wait.
         */
        public Builder maxWait(Duration time) {
            maxWait = Objects.requireNonNull(time, "maxWait");
            return this;
        }

        /**
         * Sets the priority. Queued requests and tasks of a group get their permits by descending priority, then in the order of submission.
         * Default 0.
         */
        public Builder priority(int value) {
            priority = value;
            return this;
        }

        /**
         * Sets how many permits are taken, as {@link TaskOptions.Builder#cost} does for a task, at least 1. They are one {@link Permit}, which releases all of
         * them. A thread that holds a permit of the group shares it, whatever the cost is. Default 1.
         */
        public Builder cost(int permits) {
            cost = permits;
            return this;
        }

        /** Sets the name of the request, for messages and listeners; it need not be unique. Default "permit". */
        public Builder taskId(String name) {
            taskId = Objects.requireNonNull(name, "taskId");
            return this;
        }

        /** Sets a name for the kind of request. Statistics, listeners and messages show it. Default empty, which means no tag. */
        public Builder tag(String name) {
            tag = Objects.requireNonNull(name, "tag");
            return this;
        }

        /**
         * Sets whether the {@link TaskLifecycleListener} is called for this request as for a task: when it is submitted, when it gets its
         * permit, and when the permit is closed, or the request rejected or cancelled. The result of a permit that is closed is
         * {@link TaskStatus#SUCCESS}; that of a {@code call} is the outcome of its task. The listener is called on the thread that makes the
         * step, and delays that thread until it returns. Default no.
         */
        public Builder announce(boolean yes) {
            announce = yes;
            return this;
        }

        /**
         * Creates the options.
         *
         * @throws IllegalArgumentException if {@code maxWait} is negative, or {@code cost} less than 1; the message contains the name and the value
         */
        public PermitOptions build() {
            Checks.atLeast(1, "cost", cost);
            if (maxWait != null) {
                Checks.notNegative("maxWait", maxWait);
            }
            return new PermitOptions(this);
        }
    }
}
