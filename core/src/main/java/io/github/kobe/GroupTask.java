package io.github.kobe;

import io.github.kobe.internal.util.TaskNames;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A task with its group, for {@link GroupExecutor#executeAll} and {@link GroupExecutor#completions}.
 *
 * @param groupKey the group whose limits apply
 * @param taskId a name for the task; it need not be unique
 * @param task the code to run
 * @param options priority, time limits, retries, callbacks and tag
 * @param <T> the type of its value
 */
public record GroupTask<T extends @Nullable Object>(
        String groupKey, String taskId, Callable<T> task, TaskOptions options) {

    /** Checks that no component is {@code null}. */
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

    /** A task without a name of its own; named as by {@link GroupExecutor#submit(String, Callable)}. */
    public GroupTask(String groupKey, Callable<T> task) {
        this(groupKey, task, TaskOptions.defaults());
    }

    /** As {@link #GroupTask(String, Callable)}, with options. */
    public GroupTask(String groupKey, Callable<T> task, TaskOptions options) {
        this(groupKey, TaskNames.nameOf(task), task, options);
    }
}
