package io.github.kobe.scope;

import java.time.Duration;
import java.util.Objects;

/**
 * Told what happens to each task of a scope: at most one {@code onStart}, and exactly one of the others, which comes last, before
 * anyone who waits for the task hears of its end. A task that is cancelled before it runs is only told of by {@code onCancel}.
 *
 * <p>Calls for different tasks come from many threads at once. Be quick: a call for a task holds that task up. What a method
 * throws is reported through {@link System.Logger} and changes nothing; one that has not returned after a second is reported too,
 * and its task goes on without it. A hook has the {@link Context} of the task, and is in it: it cannot close the scope, and what it
 * submits is put in line if there is a limit.
 */
public interface ThreadHook {

    /** The task is about to run for the first time, on this thread. */
    default void onStart(TaskInfo info) {}

    /** The task returned; it took {@code duration} from its first start. */
    default void onSuccess(TaskInfo info, Duration duration) {}

    /** The task threw, took longer than it may, or found no thread. */
    default void onFailure(TaskInfo info, Throwable error, Duration duration) {}

    /** The task was cancelled; {@code duration} is zero if it never ran. */
    default void onCancel(TaskInfo info, Duration duration) {}

    /**
     * A hook that tells this one and then {@code next}, on the same thread. If one throws, {@link Error}s included, the other is told
     * all the same, and then it is thrown on; if both do, what this one threw, with the other's suppressed in it.
     */
    default ThreadHook andThen(ThreadHook next) {
        return new HookPair(this, Objects.requireNonNull(next, "next"));
    }
}
