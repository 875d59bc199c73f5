package io.github.kobe.demo;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Submits the same work to both executors of a scenario at the same time. */
final class ScenarioRunner {

    private static final long FRAME_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int WARM_UP_FRACTION = 10;
    private static final Duration MAX_WARM_UP = Duration.ofSeconds(1);

    private final Scenario scenario;
    private final Duration length;
    private final long seed;

    ScenarioRunner(Scenario scenario, Duration length, long seed) {
        this.scenario = scenario;
        this.length = length;
        this.seed = seed;
    }

    /** Runs the scenario. A short warm-up runs first on other executors, so that the measured ones start without any history. */
    RunResult run(Screen screen) throws InterruptedException {
        screen.open(scenario, length, seed);
        Duration warmUp = length.dividedBy(WARM_UP_FRACTION);
        run(warmUp.compareTo(MAX_WARM_UP) < 0 ? warmUp : MAX_WARM_UP, seed + 1, snapshot -> {});
        return run(length, seed, screen::show);
    }

    private RunResult run(Duration runLength, long runSeed, Consumer<Snapshot> display) throws InterruptedException {
        List<Submission> submissions = Submission.generate(scenario.traffic(), runLength, runSeed);
        RunRecorder plain = new RunRecorder(scenario.sources(), System::nanoTime);
        RunRecorder library = new RunRecorder(scenario.sources(), System::nanoTime);
        try (DemoExecutor plainExecutor = scenario.plain().open().apply(plain);
                DemoExecutor libraryExecutor = scenario.library().open().apply(library)) {
            long start = System.nanoTime();
            Thread submitter = Thread.ofPlatform()
                    .name("demo-submitter")
                    .daemon()
                    .start(() -> submitAll(submissions, start, plainExecutor, libraryExecutor));
            try {
                displayUntilEnd(start, runLength, plain, library, display);
            } finally {
                submitter.interrupt();
                submitter.join(); // from now on both executors have received the same work
            }
            return new RunResult(
                    plain.freeze(scenario.plain().title()),
                    library.freeze(scenario.library().title()));
        }
    }

    /** Submits everything to both executors. They alternate in which one receives a submission first. */
    private static void submitAll(List<Submission> submissions, long start, DemoExecutor plain, DemoExecutor library) {
        boolean plainFirst = true;
        for (Submission submission : submissions) {
            if (!Sleep.until(start + submission.atNanos())) {
                return;
            }
            (plainFirst ? plain : library).submit(submission);
            (plainFirst ? library : plain).submit(submission);
            plainFirst = !plainFirst;
        }
    }

    private void displayUntilEnd(
            long start, Duration runLength, RunRecorder plain, RunRecorder library, Consumer<Snapshot> display)
            throws InterruptedException {
        long end = start + runLength.toNanos();
        for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
            display.accept(snapshot(now - start, runLength, plain, library));
            TimeUnit.NANOSECONDS.sleep(Math.min(FRAME_NANOS, end - now));
        }
        display.accept(snapshot(runLength.toNanos(), runLength, plain, library));
    }

    private Snapshot snapshot(long elapsedNanos, Duration runLength, RunRecorder plain, RunRecorder library) {
        boolean orphans = scenario.showsOrphans();
        String focus = scenario.focus();
        return new Snapshot(
                TimeUnit.NANOSECONDS.toMillis(elapsedNanos),
                runLength.toMillis(),
                plain.view(scenario.plain().title(), focus, orphans),
                library.view(scenario.library().title(), focus, orphans),
                Math.max(plain.peakRunning(), library.peakRunning()),
                Math.max(plain.peakPending(orphans), library.peakPending(orphans)));
    }
}
