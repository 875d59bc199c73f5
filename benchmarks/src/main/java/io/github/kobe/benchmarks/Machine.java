package io.github.kobe.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryManagerMXBean;
import java.util.Locale;
import java.util.stream.Collectors;

/** The machine and the JVM of a run, as far as they affect the results. */
record Machine(int processors, long memoryMegabytes, long heapMegabytes, String java, String system, String collector) {

    static Machine current() {
        long memory = ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean os
                ? os.getTotalMemorySize() >> 20
                : 0;
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                memory,
                Runtime.getRuntime().maxMemory() >> 20,
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                System.getProperty("os.name") + " " + System.getProperty("os.arch"),
                ManagementFactory.getGarbageCollectorMXBeans().stream()
                        .map(MemoryManagerMXBean::getName)
                        .collect(Collectors.joining(", ")));
    }

    String description() {
        return String.format(
                Locale.ROOT,
                "%d processors, %,d MB of memory, %s; %s, heap of %,d MB, collectors: %s",
                processors,
                memoryMegabytes,
                system,
                java,
                heapMegabytes,
                collector);
    }
}
