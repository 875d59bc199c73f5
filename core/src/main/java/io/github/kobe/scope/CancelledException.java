package io.github.kobe.scope;

import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** A task was cancelled, or the scope it belongs to, or the thread that waited was interrupted. A task that throws it is cancelled. */
public final class CancelledException extends CancellationException {

    private static final long serialVersionUID = 1;

    /** Says what was cancelled, and why. */
    public CancelledException(String message) {
        super(message);
    }

    /** Says what was cancelled, why, and what came before it. */
    public CancelledException(String message, @Nullable Throwable cause) {
        super(message);
        if (cause != null) {
            initCause(cause);
        }
    }
}
