package io.github.kobe.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Does each scenario play from end to end, the same work on both sides, and leave nothing behind? */
class ContestTest {

    private static final Duration SHORT = Duration.ofMillis(400);

    /** Keeps what it is shown. */
    private static final class Notes implements Screen {
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
            throw new AssertionError("it is not the contest's to close");
        }
    }

    static Stream<Scenario> scenarios() {
        return Scenarios.ALL.stream();
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void bothSidesGetTheSameWorkAndKeepTheirPromises(Scenario scenario) throws InterruptedException {
        Notes notes = new Notes();
        Outcome outcome = new Contest(scenario, SHORT, 3).run(notes);
        List<Integer> arrived = arrived(outcome.ours());
        assertThat(arrived(outcome.plain())).isEqualTo(arrived);
        assertThat(arrived.stream().mapToInt(Integer::intValue).sum()).isPositive();
        assertThat(scenario.broken(outcome.ours())).isEmpty();
        for (SideOutcome side : outcome.sides()) {
            side.rows().forEach(row -> assertThat(row.samples()).hasSize(row.arrived()));
            assertThat(side.sum(RowOutcome::busySeconds)).isPositive();
        }
        assertThat(notes.snapshots).last().extracting(Snapshot::millis).isEqualTo(SHORT.toMillis());
        assertThat(scenario.verdict(outcome)).endsWith(".").doesNotContain("NaN", "Infinity");
        OurThreads.awaitEnd();
    }

    private static List<Integer> arrived(SideOutcome side) {
        return side.rows().stream().map(RowOutcome::arrived).toList();
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void theSameSeedIsTheSameWork(Scenario scenario) {
        List<Arrival> plan = Plan.of(scenario.traffic(), SHORT, 3);
        assertThat(Plan.of(scenario.traffic(), SHORT, 3)).isEqualTo(plan);
        assertThat(Plan.of(scenario.traffic(), SHORT, 4)).isNotEqualTo(plan);
        assertThat(plan).isSortedAccordingTo((a, b) -> Long.compare(a.atNanos(), b.atNanos()));
        assertThat(plan).allMatch(arrival -> arrival.atNanos() < SHORT.toNanos());
    }

    @Test
    void theIsolationMixIsTheDocuments() {
        Scenario isolation = Scenarios.ALL.get(0);
        assertThat(places(isolation, IsolationScenario.FAST)).isEqualTo(7.5);
        assertThat(places(isolation, IsolationScenario.SLOW)).isEqualTo(50);
        assertThat(IsolationScenario.PLACES).isEqualTo(50);
    }

    private static double places(Scenario scenario, String kind) {
        return scenario.traffic().stream()
                .filter(traffic -> traffic.role().kind().equals(kind))
                .mapToDouble(Traffic::places)
                .sum();
    }

    @Test
    void aPlanBringsAsMuchAsItsTrafficSays() {
        Duration minute = Duration.ofMinutes(1);
        List<Traffic> traffic = Scenarios.ALL.get(0).traffic();
        double[] places = new double[traffic.size()];
        Plan.of(traffic, minute, 11)
                .forEach(arrival -> places[arrival.role()] += (double) arrival.length() / minute.toNanos());
        for (int i = 0; i < places.length; i++) {
            double wanted = traffic.get(i).places();
            assertThat(places[i]).isBetween(0.95 * wanted, 1.05 * wanted);
        }
    }
}
