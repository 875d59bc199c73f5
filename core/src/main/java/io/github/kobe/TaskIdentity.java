package io.github.kobe;

/** Identifies a task. Immutable, and so safe for use by many threads. Not meant to be implemented outside this library. */
public interface TaskIdentity {

    /** Returns the key of the task's group. */
    String groupKey();

    /** Returns the task's name, which need not be unique. */
    String taskId();

    /** Returns the task's {@link TaskOptions#tag tag}; empty if it has none. */
    String tag();
}
