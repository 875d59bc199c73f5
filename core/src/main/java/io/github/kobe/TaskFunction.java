package io.github.kobe;

/**
 * A task that wants to know how it stands: when its time is up, and whether anyone still wants its result.
 *
 * @param <T> the type of its value
 */
@FunctionalInterface
public interface TaskFunction<T> {

    /**
     * Does the work; anew at each attempt.
     *
     * @throws Exception if it failed; whatever is thrown, {@link Error}s included, ends up in the task's result
     */
    T apply(TaskContext context) throws Exception;
}
