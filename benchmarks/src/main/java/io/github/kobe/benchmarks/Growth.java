package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What a task costs where there is more and more of something, in times of what it costs where there is least. */
final class Growth {

    static final String CHART = "growth.svg";

    /** Up to this many times the cost at the first point is called flat. */
    private static final double FLAT = 1.5;

    private static final Sweep[] SWEEPS = Sweep.values();

    private Growth() {}

    /**
     * One line through the points.
     *
     * @param ratios at each point, to the first
     */
    record Line(String name, List<Spread> ratios) {
        double last() {
            return ratios.getLast().median();
        }

        double most() {
            return ratios.stream().mapToDouble(Spread::median).max().orElse(1);
        }
    }

    /** Lines over the same points. */
    record Panel(String title, int[] points, Line ours, List<Line> others) {}

    static Findings measure(Effort effort) throws InterruptedException {
        List<Panel> panels = new ArrayList<>();
        List<Table> tables = new ArrayList<>();
        for (Sweep sweep : SWEEPS) {
            Fork fork = Fork.run(
                    effort.of(2, 1),
                    Growth.class,
                    effort.of(4, 2),
                    effort.of(5, 1),
                    effort.of(200_000, 40_000),
                    sweep.ordinal());
            Panel panel = new Panel(
                    sweep.title(),
                    sweep.points(),
                    line(sweep.ours(), sweep, fork),
                    sweep.others().stream()
                            .map(other -> line(other, sweep, fork))
                            .toList());
            panels.add(panel);
            tables.add(table(panel, sweep, fork));
        }
        return new Findings(List.of(), tables, Map.of(CHART, GrowthChart.of(panels)));
    }

    private static Line line(Sweep.Side side, Sweep sweep, Fork fork) {
        List<Spread> ratios = new ArrayList<>();
        for (int point : sweep.points()) {
            ratios.add(fork.ratio(Sweep.key(side, point), Sweep.key(side, sweep.points()[0])));
        }
        return new Line(side.title(), ratios);
    }

    private static Table table(Panel panel, Sweep sweep, Fork fork) {
        List<Sweep.Side> sides = new ArrayList<>(List.of(sweep.ours()));
        sides.addAll(sweep.others());
        List<String> head = new ArrayList<>(List.of(panel.title));
        sides.forEach(side -> head.add(side.title()));
        sides.forEach(side -> head.add(side.title() + ", a task"));
        List<List<String>> lines = new ArrayList<>();
        for (int i = 0; i < panel.points.length; i++) {
            int point = panel.points[i];
            List<String> line = new ArrayList<>();
            line.add(String.format(Locale.ROOT, "%,d", point));
            line.add(Unit.TIMES.text(panel.ours.ratios.get(i)));
            for (Line other : panel.others) {
                line.add(Unit.TIMES.text(other.ratios.get(i)));
            }
            sides.forEach(side -> line.add(Unit.NANOS.text(fork.spread(Sweep.key(side, point)))));
            lines.add(line);
        }
        List<String> notes = new ArrayList<>(List.of(verdict(panel)));
        notes.addAll(sweep.notes());
        return new Table("Cost of a task by " + panel.title, head, lines, notes);
    }

    /** In words, so that nobody has to know what to look for. */
    static String verdict(Panel panel) {
        double ours = panel.ours.most();
        if (ours <= FLAT) {
            return String.format(
                    Locale.ROOT, "Flat: nowhere more than %.2f times what it is at the first point.", ours);
        }
        double others = panel.others.stream().mapToDouble(Line::most).max().orElse(1);
        String beside = panel.others.stream()
                .map(other -> String.format(Locale.ROOT, "; %s: up to %.2f times", other.name, other.most()))
                .collect(Collectors.joining());
        return String.format(Locale.ROOT, "Not flat: up to %.2f times what it is at the first point%s.", ours, beside)
                + (ours / others <= FLAT
                        ? " No more than memory of the same size, in the machine's caches and with its collector, makes of it."
                        : " That is more than memory of the same size accounts for.");
    }

    /** One fork: warm-up rounds, rounds, tasks at a point at least, which sweep. */
    public static void main(String[] args) throws InterruptedException {
        SWEEPS[Integer.parseInt(args[3])].run(
                Integer.parseInt(args[0]), Integer.parseInt(args[1]), Integer.parseInt(args[2]));
    }
}
