package io.github.kobe.benchmarks;

/** Whether to measure in full, which takes a quarter of an hour, or quickly, which takes under two minutes and is less exact. */
record RunLength(boolean quick) {

    String name() {
        return quick ? "Quick" : "Full";
    }

    int pick(int inFullRun, int inQuickRun) {
        return quick ? inQuickRun : inFullRun;
    }
}
