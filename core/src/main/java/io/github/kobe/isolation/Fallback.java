package io.github.kobe.isolation;

/** What to do instead of a task that was given up. */
@FunctionalInterface
public interface Fallback {

    /**
     * Called once, on a thread of its own, under no lock: if it blocks, it holds up nobody. What it throws is counted and logged.
     *
     * @param key the key of the task
     * @param reason why it was given up
     */
    void onDiscarded(String key, DiscardReason reason);
}
