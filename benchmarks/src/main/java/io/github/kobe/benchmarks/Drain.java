package io.github.kobe.benchmarks;

import io.github.kobe.benchmarks.Row.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Empty tasks of one group that runs one at a time, against a semaphore written by hand. */
final class Drain {

    private static final int TASKS = 200_000;
    private static final String GROUP = "group";

    private Drain() {}

    static List<Row> rows(Effort effort) throws InterruptedException {
        List<Row> rows = new ArrayList<>();
        Rounds queued = sides(effort).run(effort.of(4, 2), effort.of(10, 3), Drain::nanosWhenQueued);
        rows.add(row("one group of limit 1, 200,000 queued, against a semaphore", queued, Promise.atLeast(1.0)));
        if (!effort.quick()) {
            Rounds unblocked = sides(effort).run(4, 10, Drain::nanosAsTheyCome);
            rows.add(row("the same 200,000, but nothing holds up the first", unblocked, null));
        }
        return rows;
    }

    private static Rounds sides(Effort effort) {
        return new Rounds()
                .side("semaphore", () -> new HandWritten(1))
                .sideUnlessQuick(effort, "seed-like", SeedLike.with(Integer.MAX_VALUE, key -> 1))
                .side(Library.NAME, Library.ofLimit(1));
    }

    private static Row row(String figure, Rounds rounds, @Nullable Promise promise) {
        return new Row(
                figure,
                Unit.TIMES,
                rounds.speedIfMeasured("seed-like", "semaphore"),
                rounds.speed(Library.NAME, "semaphore"),
                promise);
    }

    static double nanosWhenQueued(Contender contender) throws InterruptedException {
        return nanosWhenQueued(contender, TASKS);
    }

    /** The first starts when all are in line. */
    static double nanosWhenQueued(Contender contender, int tasks) throws InterruptedException {
        Blocker blocker = Blocker.in(contender, GROUP);
        CountDownLatch left = new CountDownLatch(tasks);
        long start = System.nanoTime();
        submitAll(contender, left, tasks);
        contender.awaitArrival(tasks + 1); // and the blocker
        blocker.release();
        Await.zero(left);
        return System.nanoTime() - start;
    }

    private static double nanosAsTheyCome(Contender contender) throws InterruptedException {
        CountDownLatch left = new CountDownLatch(TASKS);
        long start = System.nanoTime();
        submitAll(contender, left, TASKS);
        Await.zero(left);
        return System.nanoTime() - start;
    }

    private static void submitAll(Contender contender, CountDownLatch left, int tasks) {
        Callable<Boolean> task = () -> {
            left.countDown();
            return true;
        };
        for (int i = 0; i < tasks; i++) {
            contender.submit(GROUP, task);
        }
    }
}
