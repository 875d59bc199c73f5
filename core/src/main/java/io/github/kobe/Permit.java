package io.github.kobe;

/**
 * A permit of a group, held until this object is closed. See {@link GroupExecutor#acquire}.
 *
 * <p>Safe for use by several threads. Any thread may close it, not only the one that acquired it. Actions before the close happen-before
 * the start of the task that gets the permit next. Not meant to be implemented outside this library.
 */
public interface Permit extends AutoCloseable {

    /** Returns the key of the permit's group. */
    String groupKey();

    /**
     * Detaches the permit from the thread that acquired it, for an operation that continues elsewhere: the next {@link GroupExecutor#acquire}
     * of the thread takes another permit instead of sharing this one. The permit is held until it is closed, as before.
     *
     * @return this permit
     */
    Permit detach();

    /** Releases the permit. Only the first call has an effect. May be called after a shutdown of the executor. Never throws. */
    @Override
    void close();
}
