package io.github.kobe.soak;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** Seeded chance. For one thread. */
final class RandomSource {

    private final SplittableRandom random;

    RandomSource(long seed) {
        this(new SplittableRandom(seed));
    }

    private RandomSource(SplittableRandom random) {
        this.random = random;
    }

    /** Other dice, for another thread, which fall as these would have it. */
    RandomSource split() {
        return new RandomSource(random.split());
    }

    /** From 0 to {@code n - 1}. */
    int below(int n) {
        return random.nextInt(n);
    }

    /** From {@code least} to {@code most}. */
    int between(int least, int most) {
        return random.nextInt(least, most + 1);
    }

    boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    <T> T oneOf(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    @SafeVarargs
    @SuppressWarnings("varargs") // only read
    final <T> T oneOf(T... all) {
        return all[random.nextInt(all.length)];
    }

    Duration micros(int least, int most) {
        return Duration.ofNanos(1000L * between(least, most));
    }
}
