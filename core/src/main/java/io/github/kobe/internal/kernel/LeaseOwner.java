package io.github.kobe.internal.kernel;

/** What holds permits of limits that are shared with other JVMs, for several executors of this one. Thread-safe. */
public interface LeaseOwner {

    /**
     * Returns the port for one more executor.
     *
     * @param executor the name of the executor, for statistics
     * @throws IllegalStateException if no executor can join any more
     */
    PermitLeases join(String executor);
}
