package io.github.kobe.scope;

import java.util.Optional;

/** Something that a scope runs later, once or again and again. The scope cancels it when it is cancelled or closed. */
public interface ScheduledTask {

    /**
     * Has it run no more. A run that is under way is interrupted.
     *
     * @return false if it had ended
     */
    boolean cancel();

    /** Whether it was cancelled, here or with its scope. */
    boolean isCancelled();

    /** Whether it will not run again: it was cancelled, it has run, or a run failed. */
    boolean isDone();

    /** What a run threw, which was the last one then; also if it was cancelled at that moment. */
    Optional<Throwable> failure();
}
