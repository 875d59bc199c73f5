package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

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

    /** Two lines over the same points. */
    record Panel(String title, int[] points, Line ours, Line peer) {}

    static Findings measure(Effort effort) throws InterruptedException {
        List<Panel> panels = new ArrayList<>();
        List<Table> tables = new ArrayList<>();
        for (Sweep sweep : SWEEPS) {
            Fork fork = Fork.run(
                    effort.of(2, 1), Growth.class, 4, effort.of(5, 2), effort.of(200_000, 40_000), sweep.ordinal());
            Panel panel = new Panel(
                    sweep.title(),
                    sweep.points(),
                    line("this library", Library.NAME, sweep, fork),
                    line(sweep.peer().title(), sweep.peer().name(), sweep, fork));
            panels.add(panel);
            tables.add(table(panel, sweep, fork));
        }
        return new Findings(List.of(), tables, Map.of(CHART, GrowthChart.of(panels)));
    }

    private static Line line(String title, String side, Sweep sweep, Fork fork) {
        List<Spread> ratios = new ArrayList<>();
        for (int point : sweep.points()) {
            ratios.add(fork.ratio(Sweep.key(side, point), Sweep.key(side, sweep.points()[0])));
        }
        return new Line(title, ratios);
    }

    private static Table table(Panel panel, Sweep sweep, Fork fork) {
        List<List<String>> lines = new ArrayList<>();
        for (int i = 0; i < panel.points.length; i++) {
            lines.add(List.of(
                    String.format(Locale.ROOT, "%,d", panel.points[i]),
                    Unit.TIMES.text(panel.ours.ratios.get(i)),
                    Unit.TIMES.text(panel.peer.ratios.get(i)),
                    Unit.NANOS.text(fork.spread(Sweep.key(Library.NAME, panel.points[i]))),
                    Unit.NANOS.text(fork.spread(Sweep.key(sweep.peer().name(), panel.points[i])))));
        }
        return new Table(
                "Cost of a task by " + panel.title,
                List.of(
                        panel.title,
                        panel.ours.name,
                        panel.peer.name,
                        panel.ours.name + ", a task",
                        panel.peer.name + ", a task"),
                lines,
                List.of(verdict(panel)));
    }

    /** In words, so that nobody has to know what to look for. */
    static String verdict(Panel panel) {
        double ours = panel.ours.most();
        if (ours <= FLAT) {
            return String.format(
                    Locale.ROOT, "Flat: nowhere more than %.2f times what it is at the first point.", ours);
        }
        double peer = panel.peer.most();
        String beside = String.format(
                Locale.ROOT,
                "Not flat: up to %.2f times what it is at the first point; %s: up to %.2f times.",
                ours,
                panel.peer.name,
                peer);
        return ours / peer <= FLAT
                ? beside + " What both have in common, the machine's caches and collector, accounts for it."
                : beside + " That is more than the machine accounts for.";
    }

    /** One fork: warm-up rounds, rounds, tasks at a point at least, which sweep. */
    public static void main(String[] args) throws InterruptedException {
        SWEEPS[Integer.parseInt(args[3])].run(
                Integer.parseInt(args[0]), Integer.parseInt(args[1]), Integer.parseInt(args[2]));
    }
}
