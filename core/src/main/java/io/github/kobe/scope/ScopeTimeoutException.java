package io.github.kobe.scope;

import java.time.Duration;

/** A scope's deadline passed before its tasks had completed; the others are cancelled. The message shows the scope's tree. */
public final class ScopeTimeoutException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final Duration deadline;

    /** @param deadline how long the scope was allowed to take */
    public ScopeTimeoutException(String message, Duration deadline) {
        super(message);
        this.deadline = deadline;
    }

    /** How long the scope was allowed to take. */
    public Duration deadline() {
        return deadline;
    }
}
