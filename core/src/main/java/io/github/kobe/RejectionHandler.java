package io.github.kobe;

import java.util.concurrent.Callable;

/**
 * Decides how a task ends that was not let in. Wins over a {@link RejectionPolicy}.
 *
 * <p>It is called on a thread of its own, which holds no place and counts under no limit, so it may take its time, run the
 * task, or submit again; each rejected task has such a thread. Cancelling the task's handle and shutting the executor or the group
 * down interrupt it. The reason of the rejection goes to {@link TaskLifecycleListener#onRejected}.
 */
public interface RejectionHandler {

    /**
     * Ends the task.
     *
     * @param groupKey the task's group
     * @param taskId the task's name
     * @param task the task, not run so far
     * @param <T> the type of its value
     * @return how it ends. If this is {@code null} or something other than {@link RejectedTaskException} is thrown, that is
     *     reported and the task ends {@link TaskStatus#REJECTED}
     * @throws RejectedTaskException to have {@link TaskHandle#await()} throw it
     */
    <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task);
}
