package io.github.kobe.soak;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the JVM holds at rest.
 *
 * @param platformThreads those that are not the JVM's own to come and go: carriers of virtual threads, the common pool, compilers
 * @param virtualThreads all that are alive
 * @param heapBytes what is reachable
 */
record Footprint(int platformThreads, int virtualThreads, long heapBytes) {

    /** What a heap may differ by that is in order: caches of the JDK, profiles, the books that are kept here. */
    private static final long HEAP_SLACK = 16L << 20;

    static Footprint now() {
        return new Footprint(countPlatformThreads(), countVirtualThreads(), heapAfterCollection());
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

    static int countVirtualThreads() {
        return (int) dumpOfThreads()
                .lines()
                .filter(line -> line.startsWith("#") && line.contains(" virtual"))
                .count();
    }

    /** All threads with their stacks, virtual ones included. */
    static String dumpOfThreads() {
        try {
            Path directory = Files.createTempDirectory("soak");
            Path file = directory.resolve("threads.txt");
            try {
                ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                        .dumpThreads(file.toString(), ThreadDumpFormat.TEXT_PLAIN);
                return Files.readString(file);
            } finally {
                Files.deleteIfExists(file);
                Files.deleteIfExists(directory);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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

    /** Whether this, which comes after {@code before}, has no more threads than that. */
    boolean hasThreadsOf(Footprint before) {
        return platformThreads <= before.platformThreads && virtualThreads <= before.virtualThreads;
    }

    boolean hasHeapOf(Footprint before) {
        return heapBytes <= before.heapBytes * 3 / 2 + HEAP_SLACK;
    }

    @Override
    public String toString() {
        return platformThreads + " platform and " + virtualThreads + " virtual threads, " + (heapBytes >> 10) + " KiB";
    }
}
