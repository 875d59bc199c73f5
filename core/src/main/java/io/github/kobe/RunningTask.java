package io.github.kobe;

import io.github.kobe.internal.group.TaskDescription;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.Objects;

/**
 * A task whose code was on a thread when a snapshot was taken.
 *
 * @param groupKey the key of the task's group
 * @param taskId the task's name, which need not be unique
 * @param tag the task's {@link TaskOptions#tag tag}; empty if it has none
 * @param running how long its current attempt has been running
 * @param threadName the name of its thread
 * @param threadId the {@link Thread#threadId() identifier} of its thread, as in a thread dump
 */
public record RunningTask(
        String groupKey, String taskId, String tag, Duration running, String threadName, long threadId) {

    /** Throws {@link NullPointerException} if a component is {@code null}. */
    public RunningTask {
        Objects.requireNonNull(groupKey, "groupKey");
        Objects.requireNonNull(taskId, "taskId");
        Objects.requireNonNull(tag, "tag");
        Objects.requireNonNull(running, "running");
        Objects.requireNonNull(threadName, "threadName");
    }

    /** Returns a text such as "task 'import' of group 'vip' [mail], running for 2 s on thread #35 'vip'". */
    @Override
    public String toString() {
        return TaskDescription.of(groupKey, taskId, tag) + ", running for " + Durations.text(running) + " on thread #"
                + threadId + " '" + threadName + "'";
    }
}
