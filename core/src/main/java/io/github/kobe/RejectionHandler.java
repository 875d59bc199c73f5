package io.github.kobe;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Decides the outcome of a rejected task. Overrides the {@link RejectionPolicy}.
 *
 * <p>The handler is called on a new thread for each rejected task. That thread holds no permit and counts under no limit, so the handler
 * may block, run the task, or submit it again. The thread is interrupted if the task's handle is cancelled, or if the group or the
 * executor is shut down. The handler is called by many threads at once, each time inside the context that the task
 * {@linkplain ContextCarrier carries}.
 */
public interface RejectionHandler {

    /**
     * Returns the outcome of the task.
     *
     * @param groupKey the task's group
     * @param taskId the task's name
     * @param task the task, which has not run
     * @param <T> the type of its value
     * @return the outcome. If the handler returns {@code null}, or throws anything but {@link RejectedTaskException}, the fault is
     *     reported and the outcome is {@link TaskStatus#REJECTED}
     * @throws RejectedTaskException if {@link TaskHandle#await()} shall throw it
     */
    <T extends @Nullable Object> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task);

    /**
     * As {@link #onRejected(String, String, Callable)}, which it calls unless it is overridden, with the reason. The executor calls this method.
     *
     * @param rejection why the task was rejected, with the numbers of about that moment
     */
    default <T extends @Nullable Object> GroupResult<T> onRejected(
            String groupKey, String taskId, Callable<T> task, Rejection rejection) {
        return onRejected(groupKey, taskId, task);
    }
}
