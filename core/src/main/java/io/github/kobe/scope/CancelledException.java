package io.github.kobe.scope;

import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** A task or its scope was cancelled, or a waiting thread was interrupted. A task that throws it counts as cancelled. */
public final class CancelledException extends CancellationException {

    private static final long serialVersionUID = 1;

    /** Says what was cancelled, and why. */
    public CancelledException(String message) {
        super(message);
    }

    /** Says what was cancelled, why, and the cause. */
    public CancelledException(String message, @Nullable Throwable cause) {
        super(message);
        if (cause != null) {
            initCause(cause);
        }
    }
}
