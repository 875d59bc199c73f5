package io.github.kobe;

import io.github.kobe.internal.group.TaskDescription;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown to a caller that waits for a task that was rejected: it was not admitted, or it was removed from the queue before it started. The
 * message contains the reason and the numbers of that moment.
 */
public class RejectedTaskException extends RejectedExecutionException {

    private static final long serialVersionUID = 1;

    private final String groupKey;
    private final String taskId;
    private final String tag;
    private final @Nullable Rejection rejection;

    /**
     * Creates an exception with a reason as text, for a {@link RejectionHandler}.
     *
     * @param groupKey the task's group
     * @param taskId the task's name
     * @param reason the reason, as shown in the message
     */
    public RejectedTaskException(String groupKey, String taskId, String reason) {
        this(groupKey, taskId, "", reason, null);
    }

    /**
     * Creates an exception for a task without a tag.
     *
     * @param groupKey the task's group
     * @param taskId the task's name
     * @param rejection the reason, with numbers
     */
    public RejectedTaskException(String groupKey, String taskId, Rejection rejection) {
        this(groupKey, taskId, "", rejection);
    }

    /**
     * Creates an exception for a task.
     *
     * @param groupKey the task's group
     * @param taskId the task's name
     * @param tag the task's tag, empty if it has none
     * @param rejection the reason, with numbers
     */
    public RejectedTaskException(String groupKey, String taskId, String tag, Rejection rejection) {
        this(
                groupKey,
                taskId,
                tag,
                Objects.requireNonNull(rejection, "rejection").toString(),
                rejection);
    }

    private RejectedTaskException(
            String groupKey, String taskId, String tag, String reason, @Nullable Rejection rejection) {
        super(TaskDescription.of(groupKey, taskId, tag) + " rejected: " + reason);
        this.groupKey = groupKey;
        this.taskId = taskId;
        this.tag = tag;
        this.rejection = rejection;
    }

    /** Returns the group of the rejected task. */
    public String groupKey() {
        return groupKey;
    }

    /** Returns the name of the rejected task. */
    public String taskId() {
        return taskId;
    }

    /** Returns the tag of the rejected task; empty if it has none, or if a handler created this exception from text. */
    public String tag() {
        return tag;
    }

    /** Returns the reason with its numbers; {@code null} if a handler created this exception from text. */
    public @Nullable Rejection rejection() {
        return rejection;
    }

    /** Returns the reason; {@code null} if a handler created this exception from text. */
    public @Nullable RejectionReason reason() {
        return rejection == null ? null : rejection.reason();
    }
}
