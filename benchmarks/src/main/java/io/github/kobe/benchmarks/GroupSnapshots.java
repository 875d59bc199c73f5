package io.github.kobe.benchmarks;

import com.sun.management.ThreadMXBean;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.benchmarks.Row.Promise;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** The cost of a snapshot of every known group, which a monitoring system takes again and again. */
final class GroupSnapshots {

    static final int GROUPS = 100_000;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final String NAME = "groups() over 100,000 known groups";
    private static final String MILLIS = "millis";
    private static final String BYTES = "bytes";

    private static volatile @Nullable GroupStats lastSeen;

    private GroupSnapshots() {}

    static List<Row> rows(RunLength length) throws InterruptedException {
        Fork fork = Fork.run(length.pick(2, 1), GroupSnapshots.class, length.pick(20, 5), length.pick(20, 5));
        return List.of(
                new Row(NAME, Unit.MILLIS, null, fork.quartiles(MILLIS), Promise.atMost(50)),
                new Row(
                        "groups(): allocated per known group",
                        Unit.BYTES,
                        null,
                        fork.quartiles(BYTES),
                        Promise.atMost(250)));
    }

    static List<LibraryWorkload> libraryWorkloads(RunLength length) {
        return List.of(new LibraryWorkload(NAME, Unit.MILLIS, GroupSnapshots::millis).withFewRounds());
    }

    private static double millis() throws InterruptedException {
        try (GroupExecutor executor = withKnownGroups()) {
            snapshot(executor);
            long start = System.nanoTime();
            snapshot(executor);
            return (System.nanoTime() - start) / NANOS_PER_MILLI;
        }
    }

    /** Writes each to a field, since the compiler may not allocate what no other thread could see. */
    private static void snapshot(GroupExecutor executor) {
        int[] number = new int[1];
        executor.groups().forEach(group -> {
            lastSeen = group;
            number[0]++;
        });
        if (number[0] != GROUPS) {
            throw new IllegalStateException(number[0] + " groups are known instead of " + GROUPS);
        }
    }

    /** The forked JVM. Arguments: warm-up rounds, rounds. */
    public static void main(String[] args) throws InterruptedException {
        int warmups = Integer.parseInt(args[0]);
        int rounds = Integer.parseInt(args[1]);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (GroupExecutor executor = withKnownGroups()) {
            for (int round = -warmups; round < rounds; round++) {
                long bytes = threads.getCurrentThreadAllocatedBytes();
                long start = System.nanoTime();
                snapshot(executor);
                long nanos = System.nanoTime() - start;
                bytes = threads.getCurrentThreadAllocatedBytes() - bytes;
                if (round >= 0) {
                    Fork.print(MILLIS, nanos / NANOS_PER_MILLI);
                    Fork.print(BYTES, (double) bytes / GROUPS);
                }
            }
        }
    }

    /** Returns an executor that knows many groups, all of them idle. */
    static GroupExecutor withKnownGroups() throws InterruptedException {
        GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                GroupPolicy.builder().idleGroupTtl(Duration.ofHours(1)).build());
        CountDownLatch remaining = new CountDownLatch(GROUPS);
        for (int i = 0; i < GROUPS; i++) {
            executor.submit("group-" + i, Dispatch.countDown(remaining));
        }
        Await.zero(remaining);
        return executor;
    }
}
