package io.github.kobe.benchmarks;

import io.github.kobe.benchmarks.Row.Promise;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/** Empty tasks over many groups, against bare virtual threads without any limit. */
final class Dispatch {

    private static final int TASKS = 200_000;
    private static final int GROUPS = 1000;
    static final int LIMIT = 8;

    private Dispatch() {}

    static List<Row> rows(Effort effort) throws InterruptedException {
        Rounds rounds = new Rounds()
                .side("bare", BareThreads::new)
                .side("seed-like", SeedLike.with(Integer.MAX_VALUE, key -> LIMIT))
                .side(Library.NAME, Library.ofLimit(LIMIT))
                .run(effort.of(20, 8), effort.of(60, 15), work());
        return List.of(new Row(
                "dispatch, 1000 groups of limit 8, against bare threads",
                Unit.TIMES,
                rounds.speed("seed-like", "bare"),
                rounds.speed(Library.NAME, "bare"),
                Promise.atLeast(0.9)));
    }

    static Workload work() {
        String[] keys = new String[GROUPS];
        Arrays.setAll(keys, i -> "group-" + i);
        return contender -> nanos(contender, keys);
    }

    private static double nanos(Contender contender, String[] keys) throws InterruptedException {
        CountDownLatch left = new CountDownLatch(TASKS);
        Callable<Boolean> task = () -> {
            left.countDown();
            return true;
        };
        long start = System.nanoTime();
        for (int i = 0; i < TASKS; i++) {
            contender.submit(keys[i % keys.length], task);
        }
        Await.zero(left);
        return System.nanoTime() - start;
    }
}
