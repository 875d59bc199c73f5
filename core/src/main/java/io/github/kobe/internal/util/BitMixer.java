package io.github.kobe.internal.util;

/** Scatters consecutive numbers, to sample some of many events. The sample then does not follow any pattern in which the events occur. */
public final class BitMixer {

    private static final long FACTOR = 0x9E37_79B9_7F4A_7C15L; // odd: 2^64 divided by the golden ratio

    private BitMixer() {}

    /** A hash of {@code number}. Its upper bits show no pattern for consecutive numbers. */
    public static long mix(long number) {
        long mixed = number * FACTOR;
        return (mixed ^ (mixed >>> Integer.SIZE)) * FACTOR;
    }
}
