package io.github.kobe.isolation;

/** Hears of what an executor decides. */
@FunctionalInterface
public interface IsolationListener {

    /**
     * Called for every decision, in their order, one at a time, on a thread of its own, a moment after it was made. What it throws
     * is counted and logged. If it is slow, it falls behind and misses some.
     */
    void onDecision(Decision decision);
}
