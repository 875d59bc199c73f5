package io.github.kobe;

/**
 * What was added to an executor, such as a listener. Closing it removes that again. Safe for use by several threads.
 */
public interface Registration extends AutoCloseable {

    /** Removes what was added. A second call has no effect. Does not block, never throws. */
    @Override
    void close();
}
