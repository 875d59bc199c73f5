package io.github.kobe.micrometer;

/** Counts by slot, see {@link CountSlots}. Immutable. */
final class Counts {

    private final long[] slots;

    private Counts(long[] slots) {
        this.slots = slots;
    }

    static Counts copyOf(long[] slots) {
        return new Counts(slots.clone());
    }

    long get(int slot) {
        return slots[slot];
    }
}
