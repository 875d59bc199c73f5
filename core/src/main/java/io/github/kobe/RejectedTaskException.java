package io.github.kobe;

import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** A task was not let in, or thrown out before it started. The message says why, with the numbers of that moment. */
public class RejectedTaskException extends RejectedExecutionException {

    private static final long serialVersionUID = 1;

    private final String groupKey;
    private final String taskId;
    private final String tag;
    private final @Nullable Rejection rejection;

    /**
     * A rejection of one task, in the words of a {@link RejectionHandler}.
     *
     * @param groupKey its group
     * @param taskId its name
     * @param reason why, for people
     */
    public RejectedTaskException(String groupKey, String taskId, String reason) {
        this(groupKey, taskId, "", reason, null);
    }

    /**
     * A rejection of one task without a tag.
     *
     * @param groupKey its group
     * @param taskId its name
     * @param rejection why
     */
    public RejectedTaskException(String groupKey, String taskId, Rejection rejection) {
        this(groupKey, taskId, "", rejection);
    }

    /**
     * A rejection of one task.
     *
     * @param groupKey its group
     * @param taskId its name
     * @param tag its tag, empty if it has none
     * @param rejection why
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

    /** The group of the rejected task. */
    public String groupKey() {
        return groupKey;
    }

    /** The name of the rejected task. */
    public String taskId() {
        return taskId;
    }

    /** The tag of the rejected task; empty if it has none, or if a handler made this from text. */
    public String tag() {
        return tag;
    }

    /** Why, with the numbers; {@code null} if a handler made this from text. */
    public @Nullable Rejection rejection() {
        return rejection;
    }

    /** Why; {@code null} if a handler made this from text. */
    public @Nullable RejectionReason reason() {
        return rejection == null ? null : rejection.reason();
    }
}
