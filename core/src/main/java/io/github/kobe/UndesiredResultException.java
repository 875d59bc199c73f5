package io.github.kobe;

import org.jspecify.annotations.Nullable;

/**
 * Stands for an attempt that returned a value that {@link RetryPolicy.Builder#retryOnResult} retries. Listeners and
 * {@link RetryPolicy.Builder#delayFrom} get it as the failure of that attempt. If a later attempt throws, it is among the suppressed
 * exceptions. It is never the error of a result: if there is no further attempt, the value is the outcome. It has no stack trace.
 */
public class UndesiredResultException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient @Nullable Object value;

    /**
     * Creates an exception for an attempt.
     *
     * @param value what the attempt returned
     */
    public UndesiredResultException(@Nullable Object value) {
        super(
                "the attempt returned "
                        + (value == null
                                ? "null"
                                : "a value of " + value.getClass().getName()) + " that is retried",
                null,
                true,
                false);
        this.value = value;
    }

    /** Returns what the attempt returned; {@code null} also after deserialization. */
    public @Nullable Object value() {
        return value;
    }
}
