package io.github.kobe.isolation;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What an {@link IsolationExecutor} goes by. Immutable, but for what suppliers supply. */
public final class IsolationPolicy {

    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private final String name;
    private final IntSupplier maxConcurrency;
    private final Supplier<Set<String>> whiteList;
    private final boolean live;
    private final Duration slowThreshold;
    private final Duration targetWait;
    private final double maxShare;
    private final @Nullable Duration taskExpiry;
    private final @Nullable Duration taskTimeout;
    private final int queueCapacity;
    private final int maxTrackedKeys;
    private final Duration statsWindow;
    private final @Nullable IsolationListener listener;

    private IsolationPolicy(Builder b) {
        name = b.name;
        maxConcurrency = b.maxConcurrency;
        whiteList = b.whiteList;
        live = b.liveConcurrency || b.liveWhiteList;
        slowThreshold = b.slowThreshold;
        targetWait = b.targetWait;
        maxShare = b.maxShare;
        taskExpiry = b.taskExpiry;
        taskTimeout = b.taskTimeout;
        queueCapacity = b.queueCapacity;
        maxTrackedKeys = b.maxTrackedKeys;
        statsWindow = b.statsWindow;
        listener = b.listener;
    }

    /** A builder with the defaults that its methods name. */
    public static Builder builder() {
        return new Builder();
    }

    /** As given to {@link Builder#name}. */
    public String name() {
        return name;
    }

    /** What {@link Builder#maxConcurrency(IntSupplier)} says now. */
    public int maxConcurrency() {
        return maxConcurrency.getAsInt();
    }

    /** What {@link Builder#whiteList(Supplier)} says now. */
    public Set<String> whiteList() {
        return Objects.requireNonNull(whiteList.get(), "whiteList");
    }

    /** Whether any setting comes from a supplier, and may change. */
    boolean isLive() {
        return live;
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

    /** As given to {@link Builder#listener}. */
    @Nullable
    IsolationListener listener() {
        return listener;
    }

    Thresholds standards() {
        return new Thresholds(slowThreshold.toNanos(), targetWait.toNanos(), maxShare, statsWindow.toNanos());
    }

    /** Its settings, but for the white list, and for the limit if either comes from a supplier. */
    @Override
    public String toString() {
        return "IsolationPolicy[name=" + name + (live ? ", live" : ", maxConcurrency=" + maxConcurrency())
                + ", slowThreshold=" + slowThreshold
                + ", targetWait=" + targetWait + ", maxShare=" + maxShare + ", taskExpiry=" + taskExpiry
                + ", taskTimeout=" + taskTimeout + ", queueCapacity=" + queueCapacity
                + ", maxTrackedKeys=" + maxTrackedKeys + ", statsWindow=" + statsWindow + "]";
    }

    /** Collects settings; checks each of them at once. */
    public static final class Builder {

        private static final int DEFAULT_CONCURRENCY = 64;
        private static final int DEFAULT_CAPACITY = 100_000;

        private String name = "isolation";
        private IntSupplier maxConcurrency = () -> DEFAULT_CONCURRENCY;
        private boolean liveConcurrency;
        private Supplier<Set<String>> whiteList = Set::of;
        private boolean liveWhiteList;
        private Duration slowThreshold = Duration.ofSeconds(1);
        private Duration targetWait = Duration.ofMillis(300);
        private double maxShare = 0.3;
        private @Nullable Duration taskExpiry;
        private @Nullable Duration taskTimeout;
        private int queueCapacity = DEFAULT_CAPACITY;
        private int maxTrackedKeys = DEFAULT_CAPACITY;
        private Duration statsWindow = Duration.ofSeconds(10);
        private @Nullable IsolationListener listener;

        private Builder() {}

        /** What the executor is called in messages. By default "isolation". */
        public Builder name(String name) {
            this.name = Objects.requireNonNull(name, "name");
            return this;
        }

        /**
         * How many tasks run at once, of all keys together. By default 64.
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
         * The same, asked for ten times a second while there are tasks, on a thread of its own. If it throws or says less than 1, what
         * it said before goes on; at first, that is an {@link IllegalArgumentException}.
         */
        public Builder maxConcurrency(IntSupplier maxConcurrency) {
            this.maxConcurrency = Objects.requireNonNull(maxConcurrency, "maxConcurrency");
            this.liveConcurrency = true;
            return this;
        }

        /**
         * From when on tasks of a key are slow, by their mean time and by the age of those that run. By default a second.
         *
         * @throws IllegalArgumentException if it is not positive, or more than 292 years
         */
        public Builder slowThreshold(Duration slowThreshold) {
            this.slowThreshold = checked("slowThreshold", slowThreshold);
            return this;
        }

        /**
         * How long a task may wait before it counts as late. By default 300 ms.
         *
         * @throws IllegalArgumentException if it is not positive, or more than 292 years
         */
        public Builder targetWait(Duration targetWait) {
            this.targetWait = checked("targetWait", targetWait);
            return this;
        }

        /**
         * The part of a lane that one key may have while others wait, the part of the budget that white-listed keys are served with
         * before all others, and the part of it that a key may take before any of its tasks has ended. By default 0.3.
         *
         * @throws IllegalArgumentException if it is not above 0 and at most 1
         */
        public Builder maxShare(double maxShare) {
            check(maxShare > 0 && maxShare <= 1, "maxShare", "above 0 and at most 1", maxShare);
            this.maxShare = maxShare;
            return this;
        }

        /**
         * Keys that are served first, whatever is known about them: with {@link #maxShare} of the budget, if it is free. None of it stands
         * idle for them. By default none.
         */
        public Builder whiteList(Set<String> whiteList) {
            Set<String> copy = Set.copyOf(whiteList);
            this.whiteList = () -> copy;
            this.liveWhiteList = false;
            return this;
        }

        /** The same, asked for as {@link #maxConcurrency(IntSupplier)} is. */
        public Builder whiteList(Supplier<Set<String>> whiteList) {
            this.whiteList = Objects.requireNonNull(whiteList, "whiteList");
            this.liveWhiteList = true;
            return this;
        }

        /**
         * How long a task waits at most; then it is given up. By default for ever.
         *
         * @throws IllegalArgumentException if it is not positive, or more than 292 years
         */
        public Builder taskExpiry(Duration taskExpiry) {
            this.taskExpiry = checked("taskExpiry", taskExpiry);
            return this;
        }

        /**
         * How long a task runs at most; then it ends as failed, with a {@link io.github.kobe.TaskTimeoutException}, and is interrupted.
         * It keeps its place until it really ends. By default for ever.
         *
         * @throws IllegalArgumentException if it is not positive, or more than 292 years
         */
        public Builder taskTimeout(Duration taskTimeout) {
            this.taskTimeout = checked("taskTimeout", taskTimeout);
            return this;
        }

        /**
         * How many tasks may wait, of all keys together. When it is full, a key with a shorter line than another one's gets a place of
         * that; else the new task is given up. By default 100,000.
         *
         * @throws IllegalArgumentException if it is negative
         */
        public Builder queueCapacity(int queueCapacity) {
            check(queueCapacity >= 0, "queueCapacity", "at least 0", queueCapacity);
            this.queueCapacity = queueCapacity;
            return this;
        }

        /**
         * How many keys are remembered when they have nothing to do. While there are more, each task that comes has two of them
         * forgotten. By default 100,000.
         *
         * @throws IllegalArgumentException if it is negative
         */
        public Builder maxTrackedKeys(int maxTrackedKeys) {
            check(maxTrackedKeys >= 0, "maxTrackedKeys", "at least 0", maxTrackedKeys);
            this.maxTrackedKeys = maxTrackedKeys;
            return this;
        }

        /**
         * How far back is looked to see what quick work needs. A key that has nothing to do is remembered for ten times as long. By default
         * ten seconds.
         *
         * @throws IllegalArgumentException if it is not positive, or more than 292 years
         */
        public Builder statsWindow(Duration statsWindow) {
            this.statsWindow = checked("statsWindow", statsWindow);
            return this;
        }

        /** Told of decisions. By default nobody is. */
        public Builder listener(IsolationListener listener) {
            this.listener = Objects.requireNonNull(listener, "listener");
            return this;
        }

        /** The policy. */
        public IsolationPolicy build() {
            return new IsolationPolicy(this);
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
