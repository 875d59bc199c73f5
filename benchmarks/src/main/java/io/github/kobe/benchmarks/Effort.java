package io.github.kobe.benchmarks;

/** How much to measure: a few minutes of it, or under one for a first impression. */
record Effort(boolean quick) {

    int of(int full, int inAHurry) {
        return quick ? inAHurry : full;
    }
}
