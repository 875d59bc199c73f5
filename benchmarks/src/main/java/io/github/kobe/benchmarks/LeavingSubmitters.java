package io.github.kobe.benchmarks;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.benchmarks.Row.Promise;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/**
 * The cost of a submitter that stops waiting under {@code BLOCK}, by the number of blocked submitters. Each is in a group of its own behind
 * a full global queue, and all leave together, as they do when their time is over.
 */
final class LeavingSubmitters {

    private static final int FEW = 1_000;
    private static final int MANY = 20_000;
    private static final Duration LONG = Duration.ofHours(1);

    private LeavingSubmitters() {}

    static List<Row> rows(RunLength length) throws InterruptedException {
        Fork fork = Fork.run(length.pick(2, 1), LeavingSubmitters.class, length.pick(5, 2), length.pick(10, 3));
        String name = String.format(Locale.ROOT, "blocked submitters that leave together, %,d", MANY);
        return List.of(
                new Row(
                        name + String.format(Locale.ROOT, " against %,d, cost of each", FEW),
                        Unit.COST_RATIO,
                        null,
                        fork.ratio(key(MANY), key(FEW)),
                        Promise.atMost(5)),
                new Row(name + ", cost of each", Unit.NANOS, null, fork.quartiles(key(MANY)), null));
    }

    private static String key(int submitters) {
        return "submitters@" + submitters;
    }

    /** The forked JVM. Arguments: warm-up rounds, rounds. */
    public static void main(String[] args) throws InterruptedException {
        int warmups = Integer.parseInt(args[0]);
        int rounds = Integer.parseInt(args[1]);
        for (int round = -warmups; round < rounds; round++) {
            double few = nanosPerSubmitter(FEW);
            double many = nanosPerSubmitter(MANY);
            if (round >= 0) {
                Fork.print(key(FEW), few);
                Fork.print(key(MANY), many);
            }
        }
    }

    private static double nanosPerSubmitter(int number) throws InterruptedException {
        GroupPolicy policy = GroupPolicy.builder()
                .globalMaxInFlight(1)
                .globalQueueThreshold(0)
                .rejectionPolicy(RejectionPolicy.BLOCK)
                .maxBlockTime(LONG)
                .build();
        CountDownLatch never = new CountDownLatch(1);
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            executor.submit("running", "running", () -> {
                never.await();
                return true;
            });
            List<Thread> submitters = IntStream.range(0, number)
                    .mapToObj(i -> Thread.startVirtualThread(() -> executor.submit("group-" + i, "task", () -> true)))
                    .toList();
            while (executor.stats().blockedSubmitters() < number) {
                Thread.sleep(1); // until all are blocked; not measured
            }
            long start = System.nanoTime();
            submitters.forEach(Thread::interrupt);
            for (Thread submitter : submitters) {
                submitter.join();
            }
            return (double) (System.nanoTime() - start) / number;
        }
    }
}
