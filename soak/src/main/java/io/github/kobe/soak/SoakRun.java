package io.github.kobe.soak;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The whole soak. It consists of rounds. Each round has new executors with other settings; only the worker pool lasts from the first round
 * to the last. A round consists of waves: workload threads perform random operations, then every face must become idle and is
 * checked, then scenarios with a known outcome run. In the last wave of a round the executors are shut down under load.
 */
final class SoakRun {

    private static final int WAVES = 4;
    private static final Duration MIN_ROUND_TIME = Duration.ofMillis(1200);
    private static final Duration MAX_ROUND_TIME = Duration.ofSeconds(12);
    private static final int TARGET_ROUNDS = 6;

    private final SoakOptions options;
    private final CheckRecorder recorder;
    private final Watchdog watchdog;
    private final PrintStream out;
    private PoolWorkload pool;
    private int rounds;

    SoakRun(SoakOptions options, CheckRecorder recorder, PrintStream out) {
        this.options = options;
        this.recorder = recorder;
        this.out = out;
        this.watchdog = new Watchdog(recorder, options.waitTimeout(), out);
        this.pool = newPool();
    }

    private PoolWorkload newPool() {
        return new PoolWorkload(new RandomSource(options.seed()), recorder, watchdog);
    }

    /** The footprint before and after the load, and how much was run. */
    record Result(Footprint before, Footprint after, int rounds, Duration time) {}

    Result run() throws InterruptedException {
        long start = System.nanoTime();
        runRound(MIN_ROUND_TIME); // warm-up: loads classes and fills caches before the first footprint is taken
        closePool();
        Footprint before = Footprint.now();
        pool = newPool();
        Duration roundTime = roundTime();
        do {
            runRound(roundTime);
            printProgress(start);
        } while (System.nanoTime() - start < options.time().toNanos());
        closePool();
        Footprint after = checkFootprint(before);
        return new Result(before, after, rounds, Duration.ofNanos(System.nanoTime() - start));
    }

    private Duration roundTime() {
        Duration target = options.time().dividedBy(TARGET_ROUNDS);
        Duration capped = target.compareTo(MAX_ROUND_TIME) > 0 ? MAX_ROUND_TIME : target;
        return capped.compareTo(MIN_ROUND_TIME) < 0 ? MIN_ROUND_TIME : capped;
    }

    private void closePool() {
        pool.close();
        pool.checkIdle();
    }

    /** Waits until the last threads have terminated, and checks the heap. */
    private Footprint checkFootprint(Footprint before) {
        watchdog.await(
                Check.NO_THREAD_LEFT,
                "all threads to terminate",
                () -> Footprint.countPlatformThreads() <= before.platformThreads(),
                () -> "before " + before + ", now " + Footprint.now());
        Footprint after = Footprint.now();
        checkHeap(recorder, before, after);
        return after;
    }

    static void checkHeap(CheckRecorder recorder, Footprint before, Footprint after) {
        recorder.check(
                Check.HEAP_RESTORED, after.isHeapRestoredTo(before), 0, () -> "before " + before + ", after " + after);
    }

    private void printProgress(long start) {
        out.printf(
                "  round %d, %d of %d s: %,d operations, %,d checks, %d violations%n",
                rounds,
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start),
                options.time().toSeconds(),
                Summary.sum(recorder.operations()),
                recorder.checkCount(),
                recorder.violationCount());
        out.flush();
    }

    // ---- rounds --------------------------------------------------------------------------------------------------

    private void runRound(Duration time) throws InterruptedException {
        rounds++;
        // Seeded per round, so that the settings of a round do not depend on how far the previous round got.
        RandomSource random = new RandomSource(options.seed() + rounds);
        int variant = (int) options.seed() + rounds;
        GroupFixture limited =
                new GroupFixture("groups with a global limit", true, variant, random, recorder, watchdog);
        GroupFixture unlimited =
                new GroupFixture("groups without a global limit", false, variant + 2, random, recorder, watchdog);
        SoakRound round = new SoakRound(
                List.of(new GroupWorkload(limited, random), new GroupWorkload(unlimited, random)),
                new ScopeWorkload(recorder, List.of(limited, unlimited)),
                pool,
                new IsolationWorkload(random, recorder, watchdog),
                recorder,
                watchdog);
        for (int wave = 1; wave <= WAVES; wave++) {
            recorder.setLocation("seed " + options.seed() + ", round " + rounds + ", wave " + wave);
            boolean last = wave == WAVES;
            RandomSource scenarioRandom = random.split();
            if (!round.runWave(time.dividedBy(WAVES), random.split(), last)) {
                abandon(round, scenarioRandom);
                return;
            }
            if (!last) {
                round.workloads().forEach(workload -> workload.runScenarios(scenarioRandom));
            }
        }
    }

    /** Shuts down a round that does not become idle. The next round starts with new executors and a new pool. */
    private void abandon(SoakRound round, RandomSource random) {
        for (FaceWorkload workload : round.workloads()) {
            if (workload != pool && !workload.isShutdown()) {
                workload.shutDown(random);
            }
        }
        pool = newPool();
    }
}
