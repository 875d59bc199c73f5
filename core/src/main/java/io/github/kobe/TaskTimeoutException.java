package io.github.kobe;

import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.Objects;

/**
 * A task ran for longer than its {@link TaskOptions#timeout}. It is the error of the task's result. It has no stack trace:
 * that would be the timer's. If earlier attempts failed, what they threw is suppressed in it.
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
     * The timeout of one task.
     *
     * @param groupKey its group
     * @param taskId its name
     * @param tag its tag, empty if it has none
     * @param timeout how long it was allowed to run
     * @param waited how long it waited to start
     * @param ran how long it had run by then
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

    /** The task's group. */
    public String groupKey() {
        return groupKey;
    }

    /** The task's name. */
    public String taskId() {
        return taskId;
    }

    /** The task's tag; empty if it has none. */
    public String tag() {
        return tag;
    }

    /** How long the task was allowed to run, over all attempts. */
    public Duration timeout() {
        return timeout;
    }

    /** How long the task waited before it first started. */
    public Duration waited() {
        return waited;
    }

    /** How long it was by then since the task first started. */
    public Duration ran() {
        return ran;
    }
}
