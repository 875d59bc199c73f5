package io.github.kobe.benchmarks;

import io.github.kobe.benchmarks.Row.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/** What is left of a group that was used once and then left alone for its time to live. */
final class QuietHeap {

    private static final int GROUPS = 300_000;

    /** Longer than the submissions take, so that nearly all groups are there at once before they go. */
    private static final Duration TTL = Duration.ofMillis(500);

    private QuietHeap() {}

    static List<Row> rows(Effort effort) throws InterruptedException {
        Rounds rounds = new Rounds()
                .sideUnlessQuick(effort, "seed-like", SeedLike.with(Integer.MAX_VALUE, key -> 1))
                .side("ours", Library.with(policy -> policy.idleGroupTtl(TTL)))
                .run(1, effort.of(5, 1), QuietHeap::bytesPerGroup); // the JDK's scheduler grows in the first round
        List<Row> rows = new ArrayList<>();
        rows.add(new Row(
                "heap kept per quiet group, 300,000 used once",
                Unit.BYTES,
                rounds.costIfMeasured("seed-like"),
                rounds.cost("ours"),
                Promise.atMost(16)));
        if (!effort.quick()) {
            Rounds inUse =
                    new Rounds().side("ours", Library.ofLimit(Dispatch.LIMIT)).run(1, 1, QuietHeap::bytesPerGroupInUse);
            rows.add(new Row("heap per group of limit 8 in use", Unit.BYTES, null, inUse.cost("ours"), null));
        }
        return rows;
    }

    private static double bytesPerGroupInUse(Contender contender) throws InterruptedException {
        long before = Heap.settled();
        useEachOnce(contender);
        double bytes = (Heap.settled() - before) / (double) GROUPS;
        contender.submit("the contender is still in use", () -> true);
        return bytes;
    }

    private static double bytesPerGroup(Contender contender) throws InterruptedException {
        Thread.sleep(TTL); // the timer lets go of the contender of the round before
        long before = Heap.settled();
        useEachOnce(contender);
        contender.awaitQuiet();
        long after = Heap.settled();
        contender.submit("the contender is still in use", () -> true);
        return (after - before) / (double) GROUPS;
    }

    private static void useEachOnce(Contender contender) throws InterruptedException {
        CountDownLatch left = new CountDownLatch(GROUPS);
        Callable<Boolean> task = () -> {
            left.countDown();
            return true;
        };
        for (int i = 0; i < GROUPS; i++) {
            contender.submit("group-" + i, task);
        }
        Await.zero(left);
    }
}
