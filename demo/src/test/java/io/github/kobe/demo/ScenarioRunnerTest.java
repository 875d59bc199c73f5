package io.github.kobe.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Does each scenario run from start to end, with the same work on both executors, and leave no threads behind? */
class ScenarioRunnerTest {

    private static final Duration SHORT = Duration.ofMillis(400);

    /** Keeps all snapshots. */
    private static final class RecordingScreen implements Screen {
        private final List<Snapshot> snapshots = new ArrayList<>();

        @Override
        public void open(Scenario scenario, Duration length, long seed) {
            assertThat(snapshots).isEmpty();
        }

        @Override
        public void show(Snapshot snapshot) {
            snapshots.add(snapshot);
        }

        @Override
        public void close() {
            throw new AssertionError("the runner must not close the screen");
        }
    }

    static Stream<Scenario> scenarios() {
        return Scenarios.ALL.stream();
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void bothExecutorsReceiveTheSameWorkAndNoPromiseIsBroken(Scenario scenario) throws InterruptedException {
        RecordingScreen screen = new RecordingScreen();
        RunResult result = new ScenarioRunner(scenario, SHORT, 3).run(screen);
        List<Integer> submitted = submitted(result.library());
        assertThat(submitted(result.plain())).isEqualTo(submitted);
        assertThat(submitted.stream().mapToInt(Integer::intValue).sum()).isPositive();
        assertThat(scenario.brokenPromises(result.library())).isEmpty();
        for (ExecutorResult executor : result.both()) {
            executor.rows().forEach(row -> assertThat(row.waits()).hasSize(row.submitted()));
            assertThat(executor.sum(SourceResult::runSeconds)).isPositive();
        }
        assertThat(screen.snapshots).last().extracting(Snapshot::elapsedMillis).isEqualTo(SHORT.toMillis());
        assertThat(scenario.verdict(result)).endsWith(".").doesNotContain("NaN", "Infinity");
        DemoThreads.awaitTermination();
    }

    private static List<Integer> submitted(ExecutorResult executor) {
        return executor.rows().stream().map(SourceResult::submitted).toList();
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void theSameSeedGeneratesTheSameWork(Scenario scenario) {
        List<Submission> submissions = Submission.generate(scenario.traffic(), SHORT, 3);
        assertThat(Submission.generate(scenario.traffic(), SHORT, 3)).isEqualTo(submissions);
        assertThat(Submission.generate(scenario.traffic(), SHORT, 4)).isNotEqualTo(submissions);
        assertThat(submissions).isSortedAccordingTo((a, b) -> Long.compare(a.atNanos(), b.atNanos()));
        assertThat(submissions).allMatch(submission -> submission.atNanos() < SHORT.toNanos());
    }

    @Test
    void isolationTrafficMatchesTheDesignDocument() {
        Scenario isolation = Scenarios.ALL.get(0);
        assertThat(permits(isolation, IsolationScenario.FAST)).isEqualTo(7.5);
        assertThat(permits(isolation, IsolationScenario.SLOW)).isEqualTo(50);
        assertThat(IsolationScenario.PERMITS).isEqualTo(50);
    }

    private static double permits(Scenario scenario, String kind) {
        return scenario.traffic().stream()
                .filter(traffic -> traffic.source().kind().equals(kind))
                .mapToDouble(Traffic::permits)
                .sum();
    }

    @Test
    void generatedWorkMatchesTheMeansOfTheTraffic() {
        Duration minute = Duration.ofMinutes(1);
        List<Traffic> traffic = Scenarios.ALL.get(0).traffic();
        double[] permits = new double[traffic.size()];
        Submission.generate(traffic, minute, 11)
                .forEach(submission ->
                        permits[submission.source()] += (double) submission.durationNanos() / minute.toNanos());
        for (int i = 0; i < permits.length; i++) {
            double expected = traffic.get(i).permits();
            assertThat(permits[i]).isBetween(0.95 * expected, 1.05 * expected);
        }
    }
}
