package io.github.kobe.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Outcomes made up for tests: what is drawn and said must follow from them, whatever they are. */
final class Figures {

    static final Machine MACHINE = new Machine("Some <system> & more", "Some \"Java\"", 2, "2026-01-02T03:04:05Z");

    private Figures() {}

    static Options options(Scenario scenario) {
        return new Options(scenario, Duration.ofSeconds(10), 42, null, false);
    }

    /** Everybody waited so long on either side, a hundred times, and had ten seconds of work done. */
    static Outcome outcome(Scenario scenario, double plainMillis, double oursMillis) {
        return new Outcome(
                side(scenario, scenario.plain().title(), plainMillis),
                side(scenario, scenario.ours().title(), oursMillis));
    }

    private static SideOutcome side(Scenario scenario, String title, double millis) {
        return new SideOutcome(
                title, scenario.roles().stream().map(role -> row(role, millis)).toList(), 1);
    }

    static RowOutcome row(Role role, double millis) {
        List<Sample> samples = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            samples.add(new Sample(100 * i, millis, i < 99));
        }
        return new RowOutcome(role, List.copyOf(samples), 100, 99, 1, 0, 10, 0, 0, 0);
    }

    static SideOutcome withRow(SideOutcome side, RowOutcome row) {
        List<RowOutcome> rows = new ArrayList<>(side.rows());
        rows.set(0, row);
        return new SideOutcome(side.title(), List.copyOf(rows), side.peak());
    }

    /** Rows of a scenario with so many that run and wait, whoever it is. */
    static Snapshot snapshot(Scenario scenario, long millis, int running, int held, double waitMillis) {
        return new Snapshot(
                millis,
                10_000,
                view(scenario, scenario.plain().title(), running, held, waitMillis),
                view(scenario, scenario.ours().title(), 1, 0, 0.1),
                50,
                400);
    }

    private static Snapshot.SideView view(Scenario scenario, String title, int running, int held, double waitMillis) {
        List<Snapshot.Line> lines = scenario.roles().stream()
                .map(role -> new Snapshot.Line(role.name(), running, held, waitMillis))
                .toList();
        return new Snapshot.SideView(title, lines, waitMillis);
    }
}
