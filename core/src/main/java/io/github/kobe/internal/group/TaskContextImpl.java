package io.github.kobe.internal.group;

import io.github.kobe.TaskContext;
import io.github.kobe.internal.time.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The context that a task's function is called with. */
final class TaskContextImpl implements TaskContext {

    static final long NO_DEADLINE = 0;

    private final GroupTaskImpl<?> task;
    private final int priority;
    private final Timer timer;
    private final long deadlineNanos;

    /** @param deadlineNanos by {@code timer}, or {@link #NO_DEADLINE} */
    TaskContextImpl(GroupTaskImpl<?> task, int priority, Timer timer, long deadlineNanos) {
        this.task = task;
        this.priority = priority;
        this.timer = timer;
        this.deadlineNanos = deadlineNanos;
    }

    @Override
    public String groupKey() {
        return task.groupKey();
    }

    @Override
    public String taskId() {
        return task.taskId();
    }

    @Override
    public String tag() {
        return task.tag();
    }

    @Override
    public Optional<String> scopeId() {
        return task.scopeId();
    }

    @Override
    public int priority() {
        return priority;
    }

    @Override
    public Optional<Instant> deadline() {
        return deadlineNanos == NO_DEADLINE
                ? Optional.empty()
                : Optional.of(Instant.now().plusNanos(remainingNanos()));
    }

    @Override
    public Optional<Duration> timeLeft() {
        return deadlineNanos == NO_DEADLINE
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(Math.max(0, remainingNanos())));
    }

    private long remainingNanos() {
        return deadlineNanos - timer.nanoTime();
    }

    @Override
    public boolean isCancelled() {
        return task.isDone() || task.isAttemptTimedOut();
    }

    @Override
    public String toString() {
        return "context of " + task;
    }
}
