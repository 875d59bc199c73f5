package io.github.kobe;

import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;

/** A task was not let in. The message says why, with the numbers of that moment. */
public class RejectedTaskException extends RejectedExecutionException {

    private static final long serialVersionUID = 1;

    private final String groupKey;
    private final String taskId;

    /**
     * A rejection of one task.
     *
     * @param groupKey its group
     * @param taskId its name
     * @param reason why, for people
     */
    public RejectedTaskException(String groupKey, String taskId, String reason) {
        super("task '" + taskId + "' of group '" + groupKey + "' rejected: " + reason);
        this.groupKey = Objects.requireNonNull(groupKey, "groupKey");
        this.taskId = Objects.requireNonNull(taskId, "taskId");
    }

    /** The group of the rejected task. */
    public String groupKey() {
        return groupKey;
    }

    /** The name of the rejected task. */
    public String taskId() {
        return taskId;
    }
}
