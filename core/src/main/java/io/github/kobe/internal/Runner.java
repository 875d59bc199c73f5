package io.github.kobe.internal;

/** The port to threads. */
@FunctionalInterface
public interface Runner {

    /**
     * Runs {@code work} soon, on a thread that carries nothing over from the calling one, and returns without waiting for it.
     *
     * @param name what a thread dump should call the thread
     * @throws RuntimeException or an {@link Error} if no thread can be had; then {@code work} never runs
     */
    void start(Runnable work, String name);

    /** A fresh virtual thread for each piece of work: no inherited thread-locals, interrupt flag clear. */
    static Runner freshVirtualThreads() {
        return (work, name) -> Thread.ofVirtual()
                .name(name)
                .inheritInheritableThreadLocals(false)
                .start(work);
    }
}
