package io.github.kobe.soak;

/**
 * What the JVM holds at rest.
 *
 * @param platformThreads those that are not the JVM's own to come and go: carriers of virtual threads, the common pool, compilers
 * @param heapBytes what is reachable
 */
record Footprint(int platformThreads, long heapBytes) {

    /** What a heap may differ by that is in order: caches of the JDK, profiles, the books that are kept here. */
    private static final long HEAP_SLACK = 16L << 20;

    static Footprint now() {
        return new Footprint(countPlatformThreads(), heapAfterCollection());
    }

    static int countPlatformThreads() {
        int count = 0;
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (!isOfJvm(thread)) {
                count++;
            }
        }
        return count;
    }

    private static boolean isOfJvm(Thread thread) {
        String name = thread.getName();
        ThreadGroup group = thread.getThreadGroup();
        return group == null
                || group.getName().equals("system")
                || group.getName().equals("InnocuousThreadGroup")
                || group.getName().equals("CarrierThreads")
                || name.startsWith("ForkJoinPool")
                || name.equals("group-concurrency-timer"); // one for all, and it leaves by itself
    }

    /** All platform threads with their stacks. A dump of virtual ones as well may crash the JVM, which 25.0.3 does at times. */
    static String dumpOfThreads() {
        StringBuilder text = new StringBuilder();
        Thread.getAllStackTraces().forEach((thread, stack) -> append(text, thread, stack));
        return text.toString();
    }

    static void append(StringBuilder text, Thread thread, StackTraceElement[] stack) {
        text.append('\n').append(thread).append(' ').append(thread.getState()).append('\n');
        for (StackTraceElement element : stack) {
            text.append("    at ").append(element).append('\n');
        }
    }

    /** Numbers are given one after the other: the difference of two is how many threads were made in between, and one. */
    static long numberOfNextThread() {
        return Thread.ofVirtual().unstarted(() -> {}).threadId();
    }

    /** The least of a few: what hangs on references of the JDK goes with a later collection. */
    private static long heapAfterCollection() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }

    boolean hasHeapOf(Footprint before) {
        return heapBytes <= before.heapBytes * 3 / 2 + HEAP_SLACK;
    }

    @Override
    public String toString() {
        return platformThreads + " platform threads, " + (heapBytes >> 10) + " KiB";
    }
}
