package io.github.kobe.internal.fair;

/** A {@link FairnessState} that can be in an {@link IndexedHeap}. The lock that guards the heap guards the fields. */
public class HeapEntry extends FairnessState {

    /** Its index in the heap; -1 if it is in none. */
    int index = -1;

    /** The heap is sorted by this value, lowest first. */
    double rank;

    /** If two entries have the same rank, the one with the lower sequence is first. */
    long sequence;
}
