package io.github.kobe.internal.group;

import io.github.kobe.TaskIdentity;
import java.util.Objects;

/** Describes a task in messages. */
public final class TaskDescription {

    private TaskDescription() {}

    /** As {@link #of(String, String, String)}. */
    public static String of(TaskIdentity task) {
        return of(task.groupKey(), task.taskId(), task.tag());
    }

    /** Returns, for example, "task 't' of group 'g' [tag]"; an empty tag is left out. */
    public static String of(String groupKey, String taskId, String tag) {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(tag, "tag");
        return "task '" + taskId + "' of group '" + groupKey + "'" + (tag.isEmpty() ? "" : " [" + tag + "]");
    }
}
