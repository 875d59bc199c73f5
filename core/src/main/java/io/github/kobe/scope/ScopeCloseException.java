package io.github.kobe.scope;

import java.util.List;

/**
 * A scope was closed, and tasks of it are left after the grace: they ignore interruption, no thread has taken them yet, or a hook that was
 * called for them has not returned. The message says where they are.
 */
public final class ScopeCloseException extends IllegalStateException {

    private static final long serialVersionUID = 1;

    private final transient List<Task<?>> stillRunning;

    /** @param stillRunning the tasks that are on a thread */
    public ScopeCloseException(String message, List<Task<?>> stillRunning) {
        super(message);
        this.stillRunning = List.copyOf(stillRunning);
    }

    /** The tasks whose code was on a thread when the grace had passed. For waiting threads they have completed, as cancelled. */
    public List<Task<?>> stillRunning() {
        return stillRunning;
    }
}
