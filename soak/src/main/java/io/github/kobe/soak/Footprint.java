package io.github.kobe.soak;

/**
 * Threads and heap of the JVM at one point in time.
 *
 * @param platformThreads live platform threads, without those that the JVM starts and stops by itself: carriers of virtual threads, the
 *     common pool, compilers
 * @param heapBytes size of the reachable objects
 */
record Footprint(int platformThreads, long heapBytes) {

    /** Growth of the heap that is accepted: caches of the JDK, profiles, and the counts of the {@link CheckRecorder}. */
    private static final long HEAP_TOLERANCE = 16L << 20;

    static Footprint now() {
        return new Footprint(countPlatformThreads(), heapAfterCollection());
    }

    static int countPlatformThreads() {
        int count = 0;
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (!isManagedByJvm(thread)) {
                count++;
            }
        }
        return count;
    }

    private static boolean isManagedByJvm(Thread thread) {
        String name = thread.getName();
        ThreadGroup group = thread.getThreadGroup();
        return group == null
                || group.getName().equals("system")
                || group.getName().equals("InnocuousThreadGroup")
                || group.getName().equals("CarrierThreads")
                || name.startsWith("ForkJoinPool")
                || name.equals("group-concurrency-timer"); // one per JVM; it terminates by itself when it is idle
    }

    /** Returns the stack traces of all platform threads. Virtual threads are left out: dumping them can crash JDK 25.0.3. */
    static String threadDump() {
        StringBuilder text = new StringBuilder();
        Thread.getAllStackTraces().forEach((thread, stack) -> appendStackTrace(text, thread, stack));
        return text.toString();
    }

    static void appendStackTrace(StringBuilder text, Thread thread, StackTraceElement[] stack) {
        text.append('\n').append(thread).append(' ').append(thread.getState()).append('\n');
        for (StackTraceElement element : stack) {
            text.append("    at ").append(element).append('\n');
        }
    }

    /** Returns the id of a new thread. Ids are consecutive. The difference of two ids tells how many threads were created. */
    static long newThreadId() {
        return Thread.ofVirtual().unstarted(() -> {}).threadId();
    }

    /** Returns the minimum after several collections. One collection does not free objects that are behind references of the JDK. */
    private static long heapAfterCollection() {
        long min = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            min = Math.min(min, runtime.totalMemory() - runtime.freeMemory());
        }
        return min;
    }

    /** Returns whether the heap has not grown since {@code before}, within the tolerance. */
    boolean isHeapRestoredTo(Footprint before) {
        return heapBytes <= before.heapBytes * 3 / 2 + HEAP_TOLERANCE;
    }

    @Override
    public String toString() {
        return platformThreads + " platform threads, " + (heapBytes >> 10) + " KiB";
    }
}
