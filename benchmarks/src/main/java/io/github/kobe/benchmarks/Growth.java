package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How the cost of a task grows with the number of queued tasks, groups and submitting threads, and that of a refusal with the groups. */
final class Growth {

    static final String CHART = "growth.svg";

    /** A cost of at most this many times the cost at the first point is called flat. */
    private static final double FLAT = 1.5;

    private static final Sweep[] SWEEPS = Sweep.values();

    private Growth() {}

    /**
     * The costs of one candidate.
     *
     * @param ratios the cost at each point divided by the cost at the first point
     */
    record Line(String name, List<Quartiles> ratios) {
        double max() {
            return ratios.stream().mapToDouble(Quartiles::median).max().orElse(1);
        }
    }

    /** The lines of all candidates over the same points. */
    record Panel(String title, int[] points, Line library, List<Line> others) {}

    static ChapterResult measure(RunLength length) throws InterruptedException {
        List<Panel> panels = new ArrayList<>();
        List<Table> tables = new ArrayList<>();
        for (Sweep sweep : SWEEPS) {
            Fork fork = Fork.run(
                    length.pick(2, 1),
                    Growth.class,
                    length.pick(4, 2),
                    length.pick(5, 1),
                    tasks(length),
                    sweep.ordinal());
            Panel panel = new Panel(
                    sweep.title(),
                    sweep.points(),
                    line(sweep.library(), sweep, fork),
                    sweep.others().stream()
                            .map(other -> line(other, sweep, fork))
                            .toList());
            panels.add(panel);
            tables.add(table(panel, sweep, fork));
        }
        List<Row> rows = new ArrayList<>(Refusals.rows(length));
        rows.addAll(LeavingSubmitters.rows(length));
        return new ChapterResult(rows, tables, Map.of(CHART, GrowthChart.of(panels)));
    }

    /** Returns the workloads at the first and at the last point of each sweep. */
    static List<LibraryWorkload> libraryWorkloads(RunLength length) {
        return Stream.of(SWEEPS)
                .flatMap(sweep -> Stream.of(sweep.points()[0], sweep.points()[sweep.points().length - 1])
                        .map(point -> sweep.libraryWorkload(point, tasks(length))))
                .toList();
    }

    private static int tasks(RunLength length) {
        return length.pick(200_000, 40_000);
    }

    private static Line line(Sweep.Candidate candidate, Sweep sweep, Fork fork) {
        List<Quartiles> ratios = new ArrayList<>();
        for (int point : sweep.points()) {
            ratios.add(fork.ratio(Sweep.key(candidate, point), Sweep.key(candidate, sweep.points()[0])));
        }
        return new Line(candidate.title(), ratios);
    }

    private static Table table(Panel panel, Sweep sweep, Fork fork) {
        List<Sweep.Candidate> candidates = new ArrayList<>(List.of(sweep.library()));
        candidates.addAll(sweep.others());
        List<String> head = new ArrayList<>(List.of(panel.title));
        candidates.forEach(candidate -> head.add(candidate.title() + " (" + Unit.COST_RATIO.description() + ")"));
        candidates.forEach(candidate -> head.add(candidate.title() + " (" + Unit.NANOS.description() + ")"));
        List<List<String>> lines = new ArrayList<>();
        for (int i = 0; i < panel.points.length; i++) {
            int point = panel.points[i];
            List<String> line = new ArrayList<>();
            line.add(String.format(Locale.ROOT, "%,d", point));
            line.add(Unit.COST_RATIO.format(panel.library.ratios.get(i)));
            for (Line other : panel.others) {
                line.add(Unit.COST_RATIO.format(other.ratios.get(i)));
            }
            candidates.forEach(candidate -> line.add(Unit.NANOS.format(fork.quartiles(Sweep.key(candidate, point)))));
            lines.add(line);
        }
        List<String> notes = new ArrayList<>(List.of(verdict(panel)));
        notes.addAll(sweep.notes());
        return new Table(
                "Cost of a task by " + panel.title + ", relative to the first point and absolute", head, lines, notes);
    }

    /** Returns a sentence that says whether the cost is flat, and if not, how much of the growth the other candidates share. */
    static String verdict(Panel panel) {
        double library = panel.library.max();
        if (library <= FLAT) {
            return String.format(Locale.ROOT, "Flat: at most %.2f times the cost at the first point.", library);
        }
        double others = panel.others.stream().mapToDouble(Line::max).max().orElse(1);
        String comparison = panel.others.stream()
                .map(other -> String.format(Locale.ROOT, "; %s: up to %.2f times", other.name, other.max()))
                .collect(Collectors.joining());
        return String.format(
                        Locale.ROOT, "Not flat: up to %.2f times the cost at the first point%s.", library, comparison)
                + (library / others <= FLAT
                        ? " This is no more than the cost of memory of the same size: cache misses and garbage collection."
                        : " This is more than the cost of memory of the same size explains.");
    }

    /** The forked JVM. Arguments: warm-up rounds, rounds, the minimum number of tasks at a point, the sweep. */
    public static void main(String[] args) throws InterruptedException {
        SWEEPS[Integer.parseInt(args[3])].run(
                Integer.parseInt(args[0]), Integer.parseInt(args[1]), Integer.parseInt(args[2]));
    }
}
