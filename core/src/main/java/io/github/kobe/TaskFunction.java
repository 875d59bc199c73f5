package io.github.kobe;

import org.jspecify.annotations.Nullable;

/**
 * A task that is given its {@link TaskContext}, to check its deadline and whether it was cancelled.
 *
 * @param <T> the type of its value
 */
@FunctionalInterface
public interface TaskFunction<T extends @Nullable Object> {

    /**
     * Runs the task. Called once for each attempt.
     *
     * @throws Exception if the task fails; anything thrown, also an {@link Error}, becomes the error of the task's result
     */
    T apply(TaskContext context) throws Exception;
}
