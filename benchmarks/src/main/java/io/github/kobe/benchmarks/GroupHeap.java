package io.github.kobe.benchmarks;

import io.github.kobe.benchmarks.Row.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

/** The heap of a group that is in use, and what is left after it was used once and then idle for its time to live. */
final class GroupHeap {

    private static final int GROUPS = 300_000;

    /** Longer than the submissions take, so that nearly all groups exist at the same time before they are removed. */
    private static final Duration TTL = Duration.ofMillis(500);

    private static final String IDLE = "heap kept per idle group, 300,000 used once";
    private static final String IN_USE = "heap per group of limit 8 in use";

    private GroupHeap() {}

    static List<Row> rows(RunLength length) throws InterruptedException {
        InterleavedRounds rounds = new InterleavedRounds()
                .addUnlessQuick(
                        length,
                        ThreeSemaphoresAdapter.EARLIER_DESIGN,
                        ThreeSemaphoresAdapter.with(Integer.MAX_VALUE, key -> 1))
                .add(GroupExecutorAdapter.NAME, withTtl())
                .run(
                        1,
                        length.pick(5, 1),
                        GroupHeap::bytesPerIdleGroup); // the JDK's scheduler grows in the first round
        List<Row> rows = new ArrayList<>();
        rows.add(new Row(
                IDLE,
                Unit.BYTES,
                rounds.costIfMeasured(ThreeSemaphoresAdapter.EARLIER_DESIGN),
                rounds.cost(GroupExecutorAdapter.NAME),
                Promise.atMost(16)));
        if (!length.quick()) {
            InterleavedRounds inUse = new InterleavedRounds()
                    .add(GroupExecutorAdapter.NAME, GroupExecutorAdapter.withLimit(Dispatch.LIMIT))
                    .run(1, 1, GroupHeap::bytesPerGroupInUse);
            rows.add(new Row(IN_USE, Unit.BYTES, null, inUse.cost(GroupExecutorAdapter.NAME), Promise.atMost(520)));
        }
        return rows;
    }

    static List<LibraryWorkload> libraryWorkloads(RunLength length) {
        return List.of(
                LibraryWorkload.of(IDLE, Unit.BYTES, 1, withTtl(), GroupHeap::bytesPerIdleGroup)
                        .withFewRounds(),
                LibraryWorkload.of(
                                IN_USE,
                                Unit.BYTES,
                                1,
                                GroupExecutorAdapter.withLimit(Dispatch.LIMIT),
                                GroupHeap::bytesPerGroupInUse)
                        .withFewRounds());
    }

    private static Supplier<ExecutorAdapter> withTtl() {
        return GroupExecutorAdapter.with(policy -> policy.idleGroupTtl(TTL));
    }

    private static double bytesPerGroupInUse(ExecutorAdapter executor) throws InterruptedException {
        long before = Heap.usedAfterGc();
        useEachGroupOnce(executor);
        long after = Heap.usedAfterGc();
        keepAlive(executor);
        return (after - before) / (double) GROUPS;
    }

    private static double bytesPerIdleGroup(ExecutorAdapter executor) throws InterruptedException {
        Thread.sleep(TTL); // until the timer has dropped the executor of the round before
        long before = Heap.usedAfterGc();
        useEachGroupOnce(executor);
        executor.awaitIdleGroupsRemoved();
        long after = Heap.usedAfterGc();
        keepAlive(executor);
        return (after - before) / (double) GROUPS;
    }

    /** Uses the executor, so that it is not garbage before. */
    private static void keepAlive(ExecutorAdapter executor) {
        executor.submit("group", () -> true);
    }

    private static void useEachGroupOnce(ExecutorAdapter executor) throws InterruptedException {
        CountDownLatch remaining = new CountDownLatch(GROUPS);
        Callable<Boolean> task = Dispatch.countDown(remaining);
        for (int i = 0; i < GROUPS; i++) {
            executor.submit("group-" + i, task);
        }
        Await.zero(remaining);
    }
}
