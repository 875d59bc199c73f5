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
final class SoakRun {

    private static final int WAVES = 4;
    private static final Duration SHORTEST_ROUND = Duration.ofMillis(1200);
    private static final Duration LONGEST_ROUND = Duration.ofSeconds(12);
    private static final int ROUNDS_AIMED_AT = 6;

    private final Options options;
    private final Recorder recorder;
    private final Watchdog patience;
    private final PrintStream out;
    private PoolWorkload pool;
    private int rounds;

    SoakRun(Options options, Recorder recorder, PrintStream out) {
        this.options = options;
        this.recorder = recorder;
        this.out = out;
        this.patience = new Watchdog(recorder, options.waitTimeout(), out);
        this.pool = newPool();
    }

    private PoolWorkload newPool() {
        return new PoolWorkload(new RandomSource(options.seed()), recorder, patience);
    }

    /** What the JVM held before and after it. */
    record Result(Footprint before, Footprint after, int rounds, Duration time) {}

    Result run() throws InterruptedException {
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
        return new Result(before, after, rounds, Duration.ofNanos(System.nanoTime() - since));
    }

    private Duration roundTime() {
        Duration part = options.time().dividedBy(ROUNDS_AIMED_AT);
        Duration atMost = part.compareTo(LONGEST_ROUND) > 0 ? LONGEST_ROUND : part;
        return atMost.compareTo(SHORTEST_ROUND) < 0 ? SHORTEST_ROUND : atMost;
    }

    private void endPool() {
        pool.close();
        pool.checkIdle();
    }

    /** Waits for the last threads to go, and compares. */
    private Footprint settle(Footprint before) {
        patience.await(
                Check.NO_THREAD_LEFT,
                "the end of all threads",
                () -> Footprint.countPlatformThreads() <= before.platformThreads(),
                () -> "before " + before + ", now " + Footprint.now());
        Footprint after = Footprint.now();
        checkHeap(recorder, before, after);
        return after;
    }

    static void checkHeap(Recorder recorder, Footprint before, Footprint after) {
        recorder.check(
                Check.HEAP_RESTORED, after.isHeapRestoredTo(before), 0, () -> "before " + before + ", after " + after);
    }

    private void progress(long since) {
        out.printf(
                "  round %d, %d of %d s: %,d operations, %,d checks, %d violations%n",
                rounds,
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - since),
                options.time().toSeconds(),
                Summary.sum(recorder.operations()),
                recorder.checkCount(),
                recorder.violationCount());
        out.flush();
    }

    // ---- rounds --------------------------------------------------------------------------------------------------

    private void round(Duration length) throws InterruptedException {
        rounds++;
        RandomSource random = new RandomSource(
                options.seed() + rounds); // so that what a round is like does not hang on how far the last one got
        int variant = (int) options.seed() + rounds;
        GroupFixture gated = new GroupFixture("groups under a global limit", true, variant, random, recorder, patience);
        GroupFixture free = new GroupFixture("groups without one", false, variant + 2, random, recorder, patience);
        List<FaceWorkload> groups = List.of(new GroupWorkload(gated, random), new GroupWorkload(free, random));
        FaceWorkload scopes = new ScopeWorkload(recorder, List.of(gated, free));
        FaceWorkload isolation = new IsolationWorkload(random, recorder, patience);
        SoakRound cast = new SoakRound(groups, scopes, pool, isolation, recorder, patience);
        for (int wave = 1; wave <= WAVES; wave++) {
            recorder.setLocation("seed " + options.seed() + ", round " + rounds + ", wave " + wave);
            boolean last = wave == WAVES;
            RandomSource ofDrills = random.split();
            if (!cast.runWave(length.dividedBy(WAVES), random.split(), last)) {
                abandon(cast, ofDrills);
                return;
            }
            if (!last) {
                cast.workloads().forEach(face -> face.runScenarios(ofDrills));
            }
        }
    }

    /** What does not come to rest is left where it is, and the next round begins anew. */
    private void abandon(SoakRound cast, RandomSource random) {
        for (FaceWorkload face : cast.workloads()) {
            if (face != pool && !face.isShutdown()) {
                face.shutDown(random);
            }
        }
        pool = newPool();
    }
}
