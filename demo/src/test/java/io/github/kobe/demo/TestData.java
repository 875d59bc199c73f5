package io.github.kobe.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Made-up results for tests. */
final class TestData {

    static final RunEnvironment MACHINE =
            new RunEnvironment("Some <system> & more", "Some \"Java\"", 2, "2026-01-02T03:04:05Z");

    private TestData() {}

    static DemoOptions options(Scenario scenario) {
        return new DemoOptions(scenario, Duration.ofSeconds(10), 42, null, List.of(), false);
    }

    /** Every source has 100 waits of the given length, of which one is unfinished, and 10 seconds of run time. */
    static RunResult result(Scenario scenario, double plainMillis, double libraryMillis) {
        return new RunResult(
                executor(scenario, scenario.plain().title(), plainMillis),
                executor(scenario, scenario.library().title(), libraryMillis));
    }

    private static ExecutorResult executor(Scenario scenario, String title, double millis) {
        return new ExecutorResult(
                title,
                scenario.sources().stream().map(source -> row(source, millis)).toList(),
                1);
    }

    static SourceResult row(Source source, double millis) {
        List<WaitSample> waits = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            waits.add(new WaitSample(100 * i, millis, i < 99));
        }
        return new SourceResult(source, List.copyOf(waits), 100, 99, 1, 0, 10, 0, 0, 0);
    }

    static ExecutorResult withFirstRow(ExecutorResult executor, SourceResult row) {
        List<SourceResult> rows = new ArrayList<>(executor.rows());
        rows.set(0, row);
        return new ExecutorResult(executor.title(), List.copyOf(rows), executor.peak());
    }

    /** Every source has the given numbers on the plain executor. */
    static Snapshot snapshot(Scenario scenario, long elapsedMillis, int running, int pending, double waitMillis) {
        return new Snapshot(
                elapsedMillis,
                10_000,
                view(scenario, scenario.plain().title(), running, pending, waitMillis),
                view(scenario, scenario.library().title(), 1, 0, 0.1),
                50,
                400);
    }

    private static Snapshot.ExecutorView view(
            Scenario scenario, String title, int running, int pending, double waitMillis) {
        List<Snapshot.Row> rows = scenario.sources().stream()
                .map(source -> new Snapshot.Row(source.name(), running, pending, waitMillis))
                .toList();
        return new Snapshot.ExecutorView(title, rows, waitMillis);
    }
}
