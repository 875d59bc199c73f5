package io.github.kobe.internal.fair;

/** A group as a {@link ReadyQueue} sees it. */
public interface Competitor {

    /** The group's name. */
    String key();

    /** How many of the group's tasks are queued. May be out of date when it is returned. */
    int queued();

    /** The state that the ready queue made for this group by {@link ReadyQueue#newState}. Always the same object. */
    FairnessState fairnessState();
}
