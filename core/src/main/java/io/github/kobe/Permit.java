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

    /** Releases the permit. Only the first call has an effect. May be called after a shutdown of the executor. Never throws. */
    @Override
    void close();
}
