package io.github.kobe;

import io.github.kobe.internal.group.TaskDescription;
import io.github.kobe.internal.util.Checks;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.Objects;

/**
 * The error in the result of a task that ran longer than its {@link TaskOptions#timeout}, or whose last attempt ran longer than its
 * {@link TaskOptions#attemptTimeout}; then {@link #attempt} is positive. It has no stack trace, because that would be the stack of the timer.
 * What earlier attempts threw is added as suppressed.
 */
public class TaskTimeoutException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String groupKey;
    private final String taskId;
    private final String tag;
    private final Duration timeout;
    private final Duration waited;
    private final Duration ran;
    private final int attempt;

    /**
     * Creates an exception for a task.
     *
     * @param groupKey the task's group
     * @param taskId the task's name
     * @param tag the task's tag, empty if it has none
     * @param timeout how long the task was allowed to run
     * @param waited how long the task was queued before it started
     * @param ran how long the task had run when it timed out
     */
    public TaskTimeoutException(
            String groupKey, String taskId, String tag, Duration timeout, Duration waited, Duration ran) {
        this(groupKey, taskId, tag, timeout, waited, ran, 0);
    }

    /**
     * Creates an exception for an attempt of a task.
     *
     * @param groupKey the task's group
     * @param taskId the task's name
     * @param tag the task's tag, empty if it has none
     * @param timeout how long the attempt was allowed to run
     * @param waited how long the task was queued before its first attempt
     * @param ran how long the attempt had run when it timed out
     * @param attempt the number of the attempt, from 1; 0 if the whole task timed out
     * @throws IllegalArgumentException if {@code attempt} is negative
     */
    public TaskTimeoutException(
            String groupKey, String taskId, String tag, Duration timeout, Duration waited, Duration ran, int attempt) {
        super(message(TaskDescription.of(groupKey, taskId, tag), timeout, waited, ran, attempt), null, true, false);
        this.attempt = attempt;
        this.groupKey = groupKey;
        this.taskId = taskId;
        this.tag = tag;
        this.timeout = timeout;
        this.waited = waited;
        this.ran = ran;
    }

    private static String message(String task, Duration timeout, Duration waited, Duration ran, int attempt) {
        Objects.requireNonNull(timeout, "timeout");
        Objects.requireNonNull(waited, "waited");
        Objects.requireNonNull(ran, "ran");
        Checks.atLeast(0, "attempt", attempt);
        return (attempt == 0 ? "" : "attempt " + attempt + " of ") + task + " exceeded its timeout of "
                + Durations.text(timeout) + ": waited " + Durations.text(waited) + ", ran " + Durations.text(ran);
    }

    /** Returns the task's group. */
    public String groupKey() {
        return groupKey;
    }

    /** Returns the task's name. */
    public String taskId() {
        return taskId;
    }

    /** Returns the task's tag; empty if it has none. */
    public String tag() {
        return tag;
    }

    /** Returns how long the task was allowed to run, including all attempts; how long the attempt, if {@link #attempt} is positive. */
    public Duration timeout() {
        return timeout;
    }

    /** Returns how long the task was queued before its first attempt. Time in the queue between attempts is not part of it. */
    public Duration waited() {
        return waited;
    }

    /**
     * Returns the time from the start of the first attempt to the timeout, including delays and time in the queue between attempts. If
     * {@link #attempt} is positive: from the start of that attempt.
     */
    public Duration ran() {
        return ran;
    }

    /** Returns the number of the attempt that exceeded {@link TaskOptions#attemptTimeout}, from 1; 0 if the task exceeded its timeout. */
    public int attempt() {
        return attempt;
    }
}
