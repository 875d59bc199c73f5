package io.github.kobe.benchmarks;

/** How much of the heap is in use by what is alive. */
final class Heap {

    private static final int MOST_COLLECTIONS = 10;
    private static final long CALM = 64 * 1024;

    private Heap() {}

    /** Collects until that changes next to nothing any more. */
    static long settled() {
        long before = Long.MAX_VALUE;
        long now = collected();
        for (int i = 1; i < MOST_COLLECTIONS && Math.abs(before - now) > CALM; i++) {
            before = now;
            now = collected();
        }
        return now;
    }

    private static long collected() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
