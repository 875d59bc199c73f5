package io.github.kobe.internal.fair;

/** A {@link FairnessState} that can be in a {@link IndexedHeap}. The fields are used under whatever guards the heap. */
public class HeapEntry extends FairnessState {

    /** Where it is in the heap, or -1. */
    int index = -1;

    /** The key by which it is where it is in the heap. */
    double rank;

    /** Of two with the same rank the one with the lower sequence is first. */
    long sequence;

    /** Where it belongs in a heap; for one that is in none, or that tells its heap that it {@link IndexedHeap#moved}. */
    public final void setRank(double rank, long sequence) {
        this.rank = rank;
        this.sequence = sequence;
    }

    /** The key by which it is where it is in the heap. */
    public final double rank() {
        return rank;
    }

    /** Whether it is in a heap. */
    public final boolean isInHeap() {
        return index >= 0;
    }
}
