package io.github.kobe;

/** Which task it is. Safe for use by many threads; never changes. Not meant to be implemented outside this library. */
public interface TaskIdentity {

    /** The task's group. */
    String groupKey();

    /** The task's name. */
    String taskId();

    /** The task's {@link TaskOptions#tag tag}; empty if it has none. */
    String tag();
}
