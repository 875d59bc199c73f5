package io.github.kobe.micrometer;

import io.github.kobe.GroupResult;
import io.github.kobe.Rejection;
import io.micrometer.observation.Observation;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What is known of an observed task. The outcome is known when the observation stops. */
public class TaskObservationContext extends Observation.Context {

    private final String executorName;
    private final String groupKey;
    private final String taskId;
    private final String tag;
    private volatile @Nullable GroupResult<?> result;
    private volatile @Nullable Rejection rejection;

    /**
     * Creates a context.
     *
     * @param executorName the name of the executor
     * @param groupKey the group of the task
     * @param taskId the name of the task
     * @param tag the tag of the task; empty if it has none
     */
    public TaskObservationContext(String executorName, String groupKey, String taskId, String tag) {
        this.executorName = Objects.requireNonNull(executorName, "executorName");
        this.groupKey = Objects.requireNonNull(groupKey, "groupKey");
        this.taskId = Objects.requireNonNull(taskId, "taskId");
        this.tag = Objects.requireNonNull(tag, "tag");
    }

    /** Returns the name of the executor. */
    public String getExecutorName() {
        return executorName;
    }

    /** Returns the group of the task. */
    public String getGroupKey() {
        return groupKey;
    }

    /** Returns the name of the task. */
    public String getTaskId() {
        return taskId;
    }

    /** Returns the tag of the task; empty if it has none. */
    public String getTag() {
        return tag;
    }

    /** Returns the result; {@code null} while there is none, and if the task was rejected. */
    public @Nullable GroupResult<?> getResult() {
        return result;
    }

    /** Returns why the task was rejected; {@code null} if it was not. */
    public @Nullable Rejection getRejection() {
        return rejection;
    }

    void setResult(GroupResult<?> value) {
        result = value;
    }

    void setRejection(Rejection value) {
        rejection = value;
    }
}
