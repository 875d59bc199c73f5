package io.github.kobe.isolation;

import io.github.kobe.ContextCarrier;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.SettingsText;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The settings of an {@link IsolationExecutor}. Immutable, except that suppliers may return other values later. */
public final class IsolationPolicy {

    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private final @Nullable String name;
    private final IntSupplier maxConcurrency;
    private final Supplier<Set<String>> whiteList;
    private final boolean liveConcurrency;
    private final boolean liveWhiteList;
    private final Duration slowThreshold;
    private final Duration targetWait;
    private final double maxShare;
    private final double whiteListShare;
    private final double newKeyShare;
    private final @Nullable Duration taskExpiry;
    private final @Nullable Duration taskTimeout;
    private final int queueCapacity;
    private final int maxTrackedKeys;
    private final Duration statsWindow;
    private final @Nullable IsolationListener listener;
    private final Duration closeTimeout;
    private final @Nullable TaskLifecycleListener taskLifecycleListener;
    private final @Nullable ContextCarrier contextCarrier;

    private IsolationPolicy(Builder b) {
        name = b.name;
        maxConcurrency = b.maxConcurrency;
        whiteList = b.whiteList;
        liveConcurrency = b.liveConcurrency;
        liveWhiteList = b.liveWhiteList;
        slowThreshold = b.slowThreshold;
        targetWait = b.targetWait;
        maxShare = b.maxShare;
        whiteListShare = b.whiteListShare;
        newKeyShare = b.newKeyShare;
        taskExpiry = b.taskExpiry;
        taskTimeout = b.taskTimeout;
        queueCapacity = b.queueCapacity;
        maxTrackedKeys = b.maxTrackedKeys;
        statsWindow = b.statsWindow;
        listener = b.listener;
        closeTimeout = b.closeTimeout;
        taskLifecycleListener = b.taskLifecycleListener;
        contextCarrier = b.contextCarrier;
    }

    /** A builder with the defaults that its methods name. */
    public static Builder builder() {
        return new Builder();
    }

    /** As given to {@link Builder#name}; {@code null} if there is none. {@link IsolationExecutor#name} is never {@code null}. */
    public @Nullable String name() {
        return name;
    }

    /** The current value of {@link Builder#maxConcurrency(IntSupplier)}. */
    public int maxConcurrency() {
        return maxConcurrency.getAsInt();
    }

    /** The current value of {@link Builder#whiteList(Supplier)}. */
    public Set<String> whiteList() {
        return Objects.requireNonNull(whiteList.get(), "whiteList");
    }

    /** Whether a setting comes from a supplier, so that it may change. */
    boolean isLive() {
        return liveConcurrency || liveWhiteList;
    }

    /** As given to {@link Builder#slowThreshold}. */
    public Duration slowThreshold() {
        return slowThreshold;
    }

    /** As given to {@link Builder#targetWait}. */
    public Duration targetWait() {
        return targetWait;
    }

    /** As given to {@link Builder#maxShare}. */
    public double maxShare() {
        return maxShare;
    }

    /** As given to {@link Builder#whiteListShare}. */
    public double whiteListShare() {
        return whiteListShare;
    }

    /** As given to {@link Builder#newKeyShare}. */
    public double newKeyShare() {
        return newKeyShare;
    }

    /** As given to {@link Builder#taskExpiry}; {@code null} if tasks do not expire. */
    public @Nullable Duration taskExpiry() {
        return taskExpiry;
    }

    /** As given to {@link Builder#taskTimeout}; {@code null} if tasks may run for ever. */
    public @Nullable Duration taskTimeout() {
        return taskTimeout;
    }

    /** As given to {@link Builder#queueCapacity}. */
    public int queueCapacity() {
        return queueCapacity;
    }

    /** As given to {@link Builder#maxTrackedKeys}. */
    public int maxTrackedKeys() {
        return maxTrackedKeys;
    }

    /** As given to {@link Builder#statsWindow}. */
    public Duration statsWindow() {
        return statsWindow;
    }

    /** As given to {@link Builder#closeTimeout}. */
    public Duration closeTimeout() {
        return closeTimeout;
    }

    /** As given to {@link Builder#listener}. */
    @Nullable
    IsolationListener listener() {
        return listener;
    }

    /** As given to {@link Builder#taskLifecycleListener}. */
    @Nullable
    TaskLifecycleListener taskLifecycleListener() {
        return taskLifecycleListener;
    }

    /** As given to {@link Builder#contextCarrier}. */
    @Nullable
    ContextCarrier contextCarrier() {
        return contextCarrier;
    }

    /**
     * Returns the limit, and each other setting that differs from its default, such as
     * "IsolationPolicy[max concurrency 50, queue capacity 1000, task timeout 30 s]". Of a setting that comes from a supplier: "live". Of a white list,
     * the first five keys.
     */
    @Override
    public String toString() {
        Builder defaults = builder();
        return new SettingsText("IsolationPolicy")
                .addUnless(null, "name", name)
                .add("max concurrency", liveConcurrency ? "live" : maxConcurrency())
                .addIf(liveWhiteList, "white list live")
                .addKeys("white list", liveWhiteList ? Set.of() : whiteList())
                .addUnless(defaults.slowThreshold, "slow threshold", slowThreshold)
                .addUnless(defaults.targetWait, "target wait", targetWait)
                .addUnless(defaults.maxShare, "max share", maxShare)
                .addUnless(defaults.whiteListShare, "white list share", whiteListShare)
                .addUnless(defaults.newKeyShare, "new key share", newKeyShare)
                .addUnless(null, "task expiry", taskExpiry)
                .addUnless(null, "task timeout", taskTimeout)
                .addUnless(defaults.queueCapacity, "queue capacity", queueCapacity)
                .addUnless(defaults.maxTrackedKeys, "max tracked keys", maxTrackedKeys)
                .addUnless(defaults.statsWindow, "stats window", statsWindow)
                .addUnless(defaults.closeTimeout, "close timeout", closeTimeout)
                .addIf(listener != null, "decision listener")
                .addIf(taskLifecycleListener != null, "listener")
                .addIf(contextCarrier != null, "context carrier")
                .toString();
    }

    /** Builds a policy. Each method checks its argument at once. */
    public static final class Builder {

        private static final int DEFAULT_CONCURRENCY = 64;
        private static final int DEFAULT_CAPACITY = 100_000;

        private @Nullable String name;
        private IntSupplier maxConcurrency = () -> DEFAULT_CONCURRENCY;
        private boolean liveConcurrency;
        private Supplier<Set<String>> whiteList = Set::of;
        private boolean liveWhiteList;
        private Duration slowThreshold = Duration.ofSeconds(1);
        private Duration targetWait = Duration.ofMillis(300);
        private double maxShare = 0.3;
        private double whiteListShare = 0.3;
        private double newKeyShare = 0.3;
        private @Nullable Duration taskExpiry;
        private @Nullable Duration taskTimeout;
        private int queueCapacity = DEFAULT_CAPACITY;
        private int maxTrackedKeys = DEFAULT_CAPACITY;
        private Duration statsWindow = Duration.ofSeconds(10);
        private @Nullable IsolationListener listener;
        private Duration closeTimeout = Duration.ZERO;
        private @Nullable TaskLifecycleListener taskLifecycleListener;
        private @Nullable ContextCarrier contextCarrier;

        private Builder() {}

        /**
         * The name of the executor, for metrics, log lines, messages and threads: the thread of a task is named after the executor and the key.
         * Default none: the executor is called "isolation-" and a number, and its threads are named after the key alone.
         *
         * @throws IllegalArgumentException if it is blank
         */
        public Builder name(String name) {
            this.name = Checks.notBlank("name", Objects.requireNonNull(name, "name"));
            return this;
        }

        /**
         * The maximum number of tasks that run at a time, of all keys together. Default 64.
         *
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder maxConcurrency(int maxConcurrency) {
            check(maxConcurrency >= 1, "maxConcurrency", "at least 1", maxConcurrency);
            this.maxConcurrency = () -> maxConcurrency;
            this.liveConcurrency = false;
            return this;
        }

        /**
         * As {@link #maxConcurrency(int)}, with a value that may change. The supplier is called ten times a second while there are tasks, on a
         * thread of its own. If it throws or returns less than 1, the previous value stays in force. If the first value is less than 1,
         * {@link IsolationExecutor#create} throws an {@link IllegalArgumentException}.
         */
        public Builder maxConcurrency(IntSupplier maxConcurrency) {
            this.maxConcurrency = Objects.requireNonNull(maxConcurrency, "maxConcurrency");
            this.liveConcurrency = true;
            return this;
        }

        /**
         * A key is slow if the mean time of its tasks, or the mean age of those that run, is at least this long. The age is checked also while
         * no task completes. Default one second.
         *
         * @throws IllegalArgumentException if it is not positive, or more than 292 years
         */
        public Builder slowThreshold(Duration slowThreshold) {
            this.slowThreshold = checked("slowThreshold", slowThreshold);
            return this;
        }

        /**
         * A task that is queued for longer than this is late. Default 300 ms.
         *
         * @throws IllegalArgumentException if it is not positive, or more than 292 years
         */
        public Builder targetWait(Duration targetWait) {
            this.targetWait = checked("targetWait", targetWait);
            return this;
        }

        /**
         * The fraction of a lane that one key may use while other keys are queued. A lane is a fifth of the budget. A task beyond that is in the
         * {@linkplain Lane backup lane}, and beyond the same fraction of the backup lane in {@link Lane#ISOLATION}. A key with more running
         * tasks than both allow is not treated as fast. It may take free permits all the same: only its tasks do not start first.
         * Default 0.3.
         *
         * @throws IllegalArgumentException if it is not above 0 and at most 1
         */
        public Builder maxShare(double maxShare) {
            this.maxShare = checkedShare("maxShare", maxShare);
            return this;
        }

        /**
         * The fraction of the budget on which the keys of the {@linkplain #whiteList white list} together start first, at least one permit.
         * Beyond it their tasks are queued like those of other keys. Default 0.3.
         *
         * @throws IllegalArgumentException if it is not above 0 and at most 1
         */
        public Builder whiteListShare(double whiteListShare) {
            this.whiteListShare = checkedShare("whiteListShare", whiteListShare);
            return this;
        }

        /**
         * The fraction of the budget that a key may have before its first task has completed, at least one permit. Its further tasks wait for
         * that completion, even if permits are free: a key that hangs from the start does not take more. Does not apply to white-listed keys.
         * Set 1 if the first task of a key may take long and permits must not be idle meanwhile. Default 0.3.
         *
         * @throws IllegalArgumentException if it is not above 0 and at most 1
         */
        public Builder newKeyShare(double newKeyShare) {
            this.newKeyShare = checkedShare("newKeyShare", newKeyShare);
            return this;
        }

        /**
         * Keys whose tasks start first, however long they take, on up to {@link #whiteListShare} of the budget. No permit is kept idle for them.
         * Default none.
         */
        public Builder whiteList(Set<String> whiteList) {
            Set<String> copy = Set.copyOf(whiteList);
            this.whiteList = () -> copy;
            this.liveWhiteList = false;
            return this;
        }

        /** As {@link #whiteList(Set)}, with a value that may change. The supplier is called as for {@link #maxConcurrency(IntSupplier)}. */
        public Builder whiteList(Supplier<Set<String>> whiteList) {
            this.whiteList = Objects.requireNonNull(whiteList, "whiteList");
            this.liveWhiteList = true;
            return this;
        }

        /**
         * The maximum time in the queue. A task that has not started by then is discarded. Default unlimited.
         *
         * @throws IllegalArgumentException if it is not positive, or more than 292 years
         */
        public Builder taskExpiry(Duration taskExpiry) {
            this.taskExpiry = checked("taskExpiry", taskExpiry);
            return this;
        }

        /**
         * The maximum running time. A task that takes longer fails with a {@link io.github.kobe.TaskTimeoutException} and is interrupted. It keeps
         * its permit until it returns. Default unlimited.
         *
         * @throws IllegalArgumentException if it is not positive, or more than 292 years
         */
        public Builder taskTimeout(Duration taskTimeout) {
            this.taskTimeout = checked("taskTimeout", taskTimeout);
            return this;
        }

        /**
         * The maximum number of queued tasks, of all keys together. If the queue is full and another key has more queued tasks, a task of that key
         * is discarded to make room; else the new task is discarded. Default 100,000.
         *
         * @throws IllegalArgumentException if it is negative
         */
        public Builder queueCapacity(int queueCapacity) {
            check(queueCapacity >= 0, "queueCapacity", "at least 0", queueCapacity);
            this.queueCapacity = queueCapacity;
            return this;
        }

        /**
         * The number of keys that are remembered. While there are more, each submission looks at eight keys, in turn, and forgets those that
         * are idle. Keys with tasks are never forgotten; {@link #queueCapacity} and {@link #maxConcurrency} bound their number. So there are
         * never many more keys than this number, or than the keys with tasks if those are more. Default 100,000.
         *
         * @throws IllegalArgumentException if it is negative
         */
        public Builder maxTrackedKeys(int maxTrackedKeys) {
            check(maxTrackedKeys >= 0, "maxTrackedKeys", "at least 0", maxTrackedKeys);
            this.maxTrackedKeys = maxTrackedKeys;
            return this;
        }

        /**
         * The period over which the demand of fast keys is measured. An idle key is remembered for ten times as long. Default ten seconds.
         *
         * @throws IllegalArgumentException if it is not positive, or more than 292 years
         */
        public Builder statsWindow(Duration statsWindow) {
            this.statsWindow = checked("statsWindow", statsWindow);
            return this;
        }

        /** Is notified of decisions about keys. Default none. */
        public Builder listener(IsolationListener listener) {
            this.listener = Objects.requireNonNull(listener, "listener");
            return this;
        }

        /** Is notified of each step of each task. Default none. */
        public Builder taskLifecycleListener(TaskLifecycleListener listener) {
            this.taskLifecycleListener = Objects.requireNonNull(listener, "taskLifecycleListener");
            return this;
        }

        /**
         * Carries context from submitters to tasks, their callbacks and fallbacks. For several, see {@link ContextCarrier#andThen}. Default
         * none: a task starts without anything of its submitter's thread.
         */
        public Builder contextCarrier(ContextCarrier carrier) {
            this.contextCarrier = Objects.requireNonNull(carrier, "contextCarrier");
            return this;
        }

        /**
         * How long {@link IsolationExecutor#close} lets running tasks finish before it interrupts them. Queued tasks are cancelled at once.
         * Default zero: {@code close} interrupts running tasks at once.
         *
         * @throws IllegalArgumentException if it is negative
         */
        public Builder closeTimeout(Duration closeTimeout) {
            Objects.requireNonNull(closeTimeout, "closeTimeout");
            check(!closeTimeout.isNegative(), "closeTimeout", "at least 0", closeTimeout);
            this.closeTimeout = closeTimeout;
            return this;
        }

        /** Builds the policy. */
        public IsolationPolicy build() {
            return new IsolationPolicy(this);
        }

        private static double checkedShare(String name, double value) {
            check(value > 0 && value <= 1, name, "above 0 and at most 1", value);
            return value;
        }

        private static Duration checked(String name, Duration value) {
            Objects.requireNonNull(value, name);
            check(value.isPositive() && value.compareTo(LONGEST) <= 0, name, "positive and at most 292 years", value);
            return value;
        }
    }

    static void check(boolean fine, String name, String should, Object value) {
        if (!fine) {
            throw new IllegalArgumentException(name + " must be " + should + ", but is " + value);
        }
    }
}
