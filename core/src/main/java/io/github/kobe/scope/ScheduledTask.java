package io.github.kobe.scope;

import java.util.Optional;

/** A task that a scope runs later, once or repeatedly. It is cancelled when its scope is cancelled or closed. */
public interface ScheduledTask {

    /**
     * Cancels further runs. A current run is interrupted.
     *
     * @return false if it was done
     */
    boolean cancel();

    /** Whether it was cancelled, here or with its scope. */
    boolean isCancelled();

    /** Whether it will not run again: it was cancelled, it has run, or a run failed. */
    boolean isDone();

    /** What a run threw; no run follows it. Also present if the schedule was cancelled at that moment. */
    Optional<Throwable> failure();
}
