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
        Fork fork = Fork.run(effort.of(4, 1), Dispatch.class, effort.of(12, 12), effort.of(16, 10));
        return List.of(new Row(
                "dispatch, 1000 groups of limit 8, against bare threads",
                Unit.TIMES,
                fork.spread("seed-like"),
                fork.spread(Library.NAME),
                Promise.atLeast(0.9)));
    }

    /** One fork. */
    public static void main(String[] args) throws InterruptedException {
        Rounds rounds = new Rounds()
                .side("bare", BareThreads::new)
                .side("seed-like", SeedLike.with(Integer.MAX_VALUE, key -> LIMIT))
                .side(Library.NAME, Library.ofLimit(LIMIT))
                .run(Integer.parseInt(args[0]), Integer.parseInt(args[1]), work());
        for (String side : List.of("seed-like", Library.NAME)) {
            for (double speed : rounds.speeds(side, "bare")) {
                Fork.report(side, speed);
            }
        }
    }

    static Workload work() {
        String[] keys = keys();
        return contender -> nanos(contender, keys);
    }

    /** The groups, in the order in which they get tasks, again and again. */
    static String[] keys() {
        String[] keys = new String[GROUPS];
        Arrays.setAll(keys, i -> "group-" + i);
        return keys;
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
