package io.github.kobe.internal.fair;

/**
 * What a {@link ReadyQueue} stores about one group: the weight, and the fields that a strategy adds in its own subclass.
 *
 * <p>A subclass may use plain fields if only the thread that polled the group uses them. At most one thread has polled the group and not
 * yet added it or called {@link ReadyQueue#left}. The next poll of the group sees what that thread wrote.
 */
public class FairnessState {

    private volatile int weight = 1;

    /** The weight of the group relative to other groups; at least 1. */
    public final int weight() {
        return weight;
    }

    public void setWeight(int weight) {
        this.weight = weight;
    }

    /** Credit less what a start costs. A group that is first because it keeps permits may start while it still pays, so this may be lower than any int; then the rest is forgotten. */
    static int charge(int credit, int cost) {
        return (int) Math.max(-Integer.MAX_VALUE, (long) credit - cost);
    }
}
