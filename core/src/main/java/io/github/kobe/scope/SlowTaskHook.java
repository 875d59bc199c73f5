package io.github.kobe.scope;

import io.github.kobe.internal.util.Checks;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A hook that reports tasks which took long, whatever their outcome. */
public final class SlowTaskHook implements ThreadHook {

    private final Duration threshold;
    private final Consumer<? super SlowTaskEvent> consumer;

    private SlowTaskHook(Duration threshold, Consumer<? super SlowTaskEvent> consumer) {
        this.threshold = threshold;
        this.consumer = consumer;
    }

    /**
     * Calls {@code consumer} for every task that took {@code threshold} or longer, when it has completed.
     *
     * @throws IllegalArgumentException if {@code threshold} is negative
     */
    public static SlowTaskHook create(Duration threshold, Consumer<? super SlowTaskEvent> consumer) {
        Objects.requireNonNull(threshold, "threshold");
        Objects.requireNonNull(consumer, "consumer");
        Checks.notNegative("threshold", threshold);
        return new SlowTaskHook(threshold, consumer);
    }

    /** The duration from which on a task is slow. */
    public Duration threshold() {
        return threshold;
    }

    @Override
    public void onSuccess(TaskInfo info, Duration duration) {
        report(info, Task.State.SUCCESS, duration, null);
    }

    @Override
    public void onFailure(TaskInfo info, Throwable error, Duration duration) {
        report(info, Task.State.FAILED, duration, error);
    }

    @Override
    public void onCancel(TaskInfo info, Duration duration) {
        report(info, Task.State.CANCELLED, duration, null);
    }

    private void report(TaskInfo info, Task.State state, Duration duration, @Nullable Throwable error) {
        if (duration.compareTo(threshold) >= 0) {
            consumer.accept(new SlowTaskEvent(info, state, duration, threshold, error));
        }
    }
}
