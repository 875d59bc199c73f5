package io.github.kobe.isolation;

/** Is notified of the decisions of an executor. */
@FunctionalInterface
public interface IsolationListener {

    /**
     * Called for every decision, in order, one at a time, on a thread of its own, shortly after the decision. What it throws is counted and
     * logged. If more than 1,024 decisions are pending because the listener is slow, further ones are dropped.
     */
    void onDecision(Decision decision);
}
