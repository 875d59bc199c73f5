package io.github.kobe.isolation;

/** Called instead of a task that was discarded. */
@FunctionalInterface
public interface Fallback {

    /**
     * Called once, on a thread of its own, without a lock, so it may block. It runs inside the context that the task
     * {@linkplain io.github.kobe.ContextCarrier carries}. What it throws is counted and logged.
     *
     * @param key the key of the task
     * @param reason why it was discarded
     */
    void onDiscarded(String key, DiscardReason reason);
}
