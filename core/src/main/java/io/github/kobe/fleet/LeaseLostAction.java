package io.github.kobe.fleet;

/** What happens to the running tasks of a node when its lease is over. */
public enum LeaseLostAction {
    /** They go on. Other nodes may be granted their permits, so for a while more tasks may run than the limit allows. */
    KEEP,
    /** They are cancelled and interrupted: their handles complete CANCELLED. Permits of calling threads are not affected. */
    INTERRUPT
}
