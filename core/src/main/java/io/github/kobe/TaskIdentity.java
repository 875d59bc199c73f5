package io.github.kobe;

import java.util.Optional;

/**
 * Identifies a task. Immutable, and so safe for use by many threads. Not meant to be implemented outside this library.
 *
 * <p>All calls of a {@link TaskLifecycleListener} for one task get the same object, and it equals no other. So it can be the key of a map,
 * from {@code onSubmitted} to {@code onCompleted} or {@code onRejected}.
 */
public interface TaskIdentity {

    /** Returns the key of the task's group. */
    String groupKey();

    /** Returns the task's name, which need not be unique. */
    String taskId();

    /** Returns the task's {@link TaskOptions#tag tag}; empty if it has none. */
    String tag();

    /**
     * Returns the id of the {@link io.github.kobe.scope.ThreadScope} if this is an attempt of a task that the scope runs in a group; empty if
     * the task was submitted to the executor itself. The {@link io.github.kobe.scope.ThreadHook} of the scope hears of the same task, once
     * for all its attempts.
     */
    default Optional<String> scopeId() {
        return Optional.empty();
    }
}
