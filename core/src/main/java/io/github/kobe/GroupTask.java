package io.github.kobe;

import java.util.Objects;
import java.util.concurrent.Callable;

/**
 * A task and the group it belongs to, for {@link GroupExecutor#executeAll}.
 *
 * @param groupKey the group whose limits it runs under
 * @param taskId a name for it, which need not be unique
 * @param task what to run
 * @param options what it may take, and how it is treated
 * @param <T> the type of its value
 */
public record GroupTask<T>(String groupKey, String taskId, Callable<T> task, TaskOptions options) {

    /** Checks that nothing is {@code null}. */
    public GroupTask {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(task, "task");
        Objects.requireNonNull(options, "options");
    }

    /** A task with {@link TaskOptions#defaults()}. */
    public GroupTask(String groupKey, String taskId, Callable<T> task) {
        this(groupKey, taskId, task, TaskOptions.defaults());
    }
}
