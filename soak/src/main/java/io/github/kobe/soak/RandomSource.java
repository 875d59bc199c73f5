package io.github.kobe.soak;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** Seeded random numbers. Not thread-safe: each thread uses its own instance, see {@link #split()}. */
final class RandomSource {

    private final SplittableRandom random;

    RandomSource(long seed) {
        this(new SplittableRandom(seed));
    }

    private RandomSource(SplittableRandom random) {
        this.random = random;
    }

    /** Returns a new source for another thread. Its seed is taken from this source. */
    RandomSource split() {
        return new RandomSource(random.split());
    }

    /** Returns a number from 0 to {@code bound - 1}. */
    int below(int bound) {
        return random.nextInt(bound);
    }

    /** Returns a number from {@code min} to {@code max}, both included. */
    int between(int min, int max) {
        return random.nextInt(min, max + 1);
    }

    /** Returns true with a probability of {@code 1 / n}. */
    boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    <T> T oneOf(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read
    final <T> T oneOf(T... values) {
        return values[random.nextInt(values.length)];
    }

    /** Returns a duration from {@code min} to {@code max} microseconds, both included. */
    Duration micros(int min, int max) {
        return Duration.ofNanos(1000L * between(min, max));
    }
}
