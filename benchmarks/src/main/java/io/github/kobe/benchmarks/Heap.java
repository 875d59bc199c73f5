package io.github.kobe.benchmarks;

/** Measures the heap that live objects use. */
final class Heap {

    private static final int MAX_COLLECTIONS = 10;
    private static final long STABLE_BYTES = 64 * 1024;

    private Heap() {}

    /** Collects garbage until the used heap is stable and returns it. */
    static long usedAfterGc() {
        long before = Long.MAX_VALUE;
        long now = collectAndRead();
        for (int i = 1; i < MAX_COLLECTIONS && Math.abs(before - now) > STABLE_BYTES; i++) {
            before = now;
            now = collectAndRead();
        }
        return now;
    }

    private static long collectAndRead() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
