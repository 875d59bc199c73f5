package io.github.kobe;

import io.github.kobe.internal.group.TaskDescription;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.Objects;

/**
 * The error in the result of a task that ran longer than its {@link TaskOptions#timeout}. It has no stack trace, because that would be
 * the stack of the timer. What earlier attempts threw is added as suppressed.
 */
public class TaskTimeoutException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String groupKey;
    private final String taskId;
    private final String tag;
    private final Duration timeout;
    private final Duration waited;
    private final Duration ran;

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
        super(message(TaskDescription.of(groupKey, taskId, tag), timeout, waited, ran), null, true, false);
        this.groupKey = groupKey;
        this.taskId = taskId;
        this.tag = tag;
        this.timeout = timeout;
        this.waited = waited;
        this.ran = ran;
    }

    private static String message(String task, Duration timeout, Duration waited, Duration ran) {
        Objects.requireNonNull(timeout, "timeout");
        Objects.requireNonNull(waited, "waited");
        Objects.requireNonNull(ran, "ran");
        return task + " exceeded its timeout of " + Durations.text(timeout) + ": waited " + Durations.text(waited)
                + ", ran " + Durations.text(ran);
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

    /** Returns how long the task was allowed to run, including all attempts. */
    public Duration timeout() {
        return timeout;
    }

    /** Returns how long the task was queued before its first attempt. */
    public Duration waited() {
        return waited;
    }

    /** Returns the time from the start of the first attempt to the timeout. */
    public Duration ran() {
        return ran;
    }
}
