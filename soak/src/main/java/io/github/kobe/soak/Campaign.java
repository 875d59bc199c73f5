package io.github.kobe.soak;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The whole run. It goes in rounds, each with executors of other settings; only the worker pool is the same from the first to the last. A
 * round goes in waves: actors do what they like, then everything comes to rest and is looked at, then a few drills show whether all is in
 * order. In the last wave of a round the executors are shut down under load.
 */
final class Campaign {

    private static final int WAVES = 4;
    private static final Duration SHORTEST_ROUND = Duration.ofMillis(1200);
    private static final Duration LONGEST_ROUND = Duration.ofSeconds(12);
    private static final int ROUNDS_AIMED_AT = 6;

    private final Options options;
    private final Recorder book;
    private final Watchdog patience;
    private final PrintStream out;
    private PoolFace pool;
    private int rounds;

    Campaign(Options options, Recorder book, PrintStream out) {
        this.options = options;
        this.book = book;
        this.out = out;
        this.patience = new Watchdog(book, options.patience(), out);
        this.pool = newPool();
    }

    private PoolFace newPool() {
        return new PoolFace(new PoolRig(new RandomSource(options.seed()), book, patience));
    }

    /** What the JVM held before and after it. */
    record Outcome(Footprint before, Footprint after, int rounds, Duration time) {}

    Outcome run() throws InterruptedException {
        long since = System.nanoTime();
        round(SHORTEST_ROUND); // loads classes, and fills what is filled once
        endPool();
        Footprint before = Footprint.now();
        pool = newPool();
        Duration length = roundTime();
        do {
            round(length);
            progress(since);
        } while (System.nanoTime() - since < options.time().toNanos());
        endPool();
        Footprint after = settle(before);
        return new Outcome(before, after, rounds, Duration.ofNanos(System.nanoTime() - since));
    }

    private Duration roundTime() {
        Duration part = options.time().dividedBy(ROUNDS_AIMED_AT);
        Duration atMost = part.compareTo(LONGEST_ROUND) > 0 ? LONGEST_ROUND : part;
        return atMost.compareTo(SHORTEST_ROUND) < 0 ? SHORTEST_ROUND : atMost;
    }

    private void endPool() {
        pool.close();
        pool.checkAtRest();
    }

    /** Waits for the last threads to go, and compares. */
    private Footprint settle(Footprint before) {
        patience.await(
                Check.THREADS_GONE,
                "the end of all threads",
                () -> Footprint.countPlatformThreads() <= before.platformThreads(),
                () -> "before " + before + ", now " + Footprint.now());
        Footprint after = Footprint.now();
        checkHeap(book, before, after);
        return after;
    }

    static void checkHeap(Recorder book, Footprint before, Footprint after) {
        book.check(Check.HEAP_BACK, after.hasHeapOf(before), 0, () -> "before " + before + ", after " + after);
    }

    private void progress(long since) {
        out.printf(
                "  round %d, %d of %d s: %,d operations, %,d checks, %d violations%n",
                rounds,
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - since),
                options.time().toSeconds(),
                Summary.sum(book.operations()),
                Summary.checks(book),
                book.violationCount());
        out.flush();
    }

    // ---- rounds --------------------------------------------------------------------------------------------------

    private void round(Duration length) throws InterruptedException {
        rounds++;
        RandomSource dice = new RandomSource(
                options.seed() + rounds); // so that what a round is like does not hang on how far the last one got
        int variant = (int) options.seed() + rounds;
        GroupRig gated = new GroupRig("groups under a global limit", true, variant, dice, book, patience);
        GroupRig free = new GroupRig("groups without one", false, variant + 2, dice, book, patience);
        List<Face> groups = List.of(new GroupFace(gated, dice), new GroupFace(free, dice));
        Face scopes = new ScopeFace(book, List.of(gated, free));
        Face isolation = new IsolationFace(new IsolationRig(dice, book, patience));
        Cast cast = new Cast(groups, scopes, pool, isolation, book, patience);
        for (int wave = 1; wave <= WAVES; wave++) {
            book.turnTo("seed " + options.seed() + ", round " + rounds + ", wave " + wave);
            boolean last = wave == WAVES;
            RandomSource ofDrills = dice.split();
            if (!cast.wave(length.dividedBy(WAVES), dice.split(), last)) {
                abandon(cast, ofDrills);
                return;
            }
            if (!last) {
                cast.faces().forEach(face -> face.drill(ofDrills));
            }
        }
    }

    /** What does not come to rest is left where it is, and the next round begins anew. */
    private void abandon(Cast cast, RandomSource dice) {
        for (Face face : cast.faces()) {
            if (face != pool && !face.isOver()) {
                face.shutDown(dice);
            }
        }
        pool = newPool();
    }
}
