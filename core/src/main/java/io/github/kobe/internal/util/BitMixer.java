package io.github.kobe.internal.util;

/** Numbers that follow each other, made into numbers that do not: for choosing some of many without favouring any rhythm in which they come. */
public final class BitMixer {

    private static final long FACTOR = 0x9E37_79B9_7F4A_7C15L; // odd, and neither small nor regular

    private BitMixer() {}

    /** Always the same for {@code number}; its upper bits are anybody's guess. */
    public static long mix(long number) {
        long mixed = number * FACTOR;
        return (mixed ^ (mixed >>> Integer.SIZE)) * FACTOR;
    }
}
