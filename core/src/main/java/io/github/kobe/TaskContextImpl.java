package io.github.kobe;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** What a ticket tells its own task. */
final class TaskContextImpl implements TaskContext {

    /** No deadline. */
    static final long NEVER = 0;

    private final GroupTaskImpl<?> ticket;
    private final int priority;
    private final long deadlineNanos;

    TaskContextImpl(GroupTaskImpl<?> ticket, int priority, long deadlineNanos) {
        this.ticket = ticket;
        this.priority = priority;
        this.deadlineNanos = deadlineNanos;
    }

    @Override
    public String groupKey() {
        return ticket.groupKey();
    }

    @Override
    public String taskId() {
        return ticket.taskId();
    }

    @Override
    public String tag() {
        return ticket.tag();
    }

    @Override
    public int priority() {
        return priority;
    }

    @Override
    public Optional<Instant> deadline() {
        return deadlineNanos == NEVER
                ? Optional.empty()
                : Optional.of(Instant.now().plusNanos(nanosLeft()));
    }

    @Override
    public Optional<Duration> timeLeft() {
        return deadlineNanos == NEVER ? Optional.empty() : Optional.of(Duration.ofNanos(Math.max(0, nanosLeft())));
    }

    private long nanosLeft() {
        return deadlineNanos - System.nanoTime();
    }

    @Override
    public boolean isCancelled() {
        return ticket.isDone();
    }

    @Override
    public String toString() {
        return "context of " + ticket;
    }
}
