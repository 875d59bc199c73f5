package io.github.kobe.benchmarks;

/** How much to measure: a quarter of an hour of it, or under two minutes of it for a first impression. */
record Effort(boolean quick) {

    String name() {
        return quick ? "Quick" : "Full";
    }

    int of(int full, int inAHurry) {
        return quick ? inAHurry : full;
    }
}
