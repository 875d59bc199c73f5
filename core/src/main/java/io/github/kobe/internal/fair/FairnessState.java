package io.github.kobe.internal.fair;

/**
 * What a {@link ReadyQueue} keeps about one group: its weight, and whatever else the strategy adds in a subclass of its own.
 *
 * <p>A subclass's fields may be plain where they are only used by a thread that has the group in its hands: between taking it
 * out and putting it back, or letting it go, there is never more than one, and each sees what the one before it wrote.
 */
public class FairnessState {

    private volatile int weight = 1;

    /** The group's part relative to others, at least 1. */
    public final int weight() {
        return weight;
    }

    public void setWeight(int weight) {
        this.weight = weight;
    }
}
