package io.github.kobe;

import java.util.Objects;

/** How messages speak of a task. */
final class TaskDescription {

    private TaskDescription() {}

    static String of(TaskIdentity task) {
        return of(task.groupKey(), task.taskId(), task.tag());
    }

    /** Such as "task 't' of group 'g' [tag]"; without the tag if it is empty. */
    static String of(String groupKey, String taskId, String tag) {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(tag, "tag");
        return "task '" + taskId + "' of group '" + groupKey + "'" + (tag.isEmpty() ? "" : " [" + tag + "]");
    }
}
