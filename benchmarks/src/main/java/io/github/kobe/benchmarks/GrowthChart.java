package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Draws the growth of costs as a self-contained SVG: a panel for each sweep, a line for each candidate. */
final class GrowthChart {

    private static final int WIDTH = 280;
    private static final int HEIGHT = 160;
    private static final int LEFT = 40;
    private static final int TOP = 56;
    private static final int GAP = 50;
    private static final String LIBRARY_COLOUR = "#2a7ab8";
    private static final String[] OTHER_COLOURS = {"#b8b8b8", "#d8a657"};

    private final StringBuilder svg = new StringBuilder();
    private final double max;

    private GrowthChart(double max) {
        this.max = max;
    }

    static String of(List<Growth.Panel> panels) {
        double max = panels.stream()
                .flatMap(panel -> Stream.concat(Stream.of(panel.library()), panel.others().stream()))
                .mapToDouble(Growth.Line::max)
                .max()
                .orElse(1);
        GrowthChart chart = new GrowthChart(Math.max(2, Math.ceil(max)));
        chart.draw(panels);
        return chart.svg.toString();
    }

    private void draw(List<Growth.Panel> panels) {
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"11\">",
                LEFT + panels.size() * (WIDTH + GAP), TOP + HEIGHT + 44);
        add("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
        text(10, 16, "Cost of a task relative to the first point (lower is better)");
        for (int i = 0; i < panels.size(); i++) {
            panel(LEFT + i * (WIDTH + GAP), panels.get(i));
        }
        add("</svg>");
    }

    private void panel(int left, Growth.Panel panel) {
        legend(left, LIBRARY_COLOUR, panel.library().name());
        for (int i = 0; i < panel.others().size(); i++) {
            legend(left + 90 + 105 * i, OTHER_COLOURS[i], panel.others().get(i).name());
        }
        for (int value = 0; value <= max; value += max > 8 ? 2 : 1) {
            double y = y(value);
            add("<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#e4e4e4\"/>", left, y, left + WIDTH, y);
            text(left - 18, (int) y + 4, value + "x");
        }
        for (int i = 0; i < panel.points().length; i++) {
            text((int) x(left, i, panel) - 8, TOP + HEIGHT + 16, abbreviated(panel.points()[i]));
        }
        text(left + WIDTH / 2 - 40, TOP + HEIGHT + 34, panel.title());
        for (int i = 0; i < panel.others().size(); i++) {
            line(left, OTHER_COLOURS[i], panel.others().get(i), panel);
        }
        line(left, LIBRARY_COLOUR, panel.library(), panel);
    }

    private void legend(int left, String colour, String name) {
        add("<rect x=\"%d\" y=\"28\" width=\"10\" height=\"10\" fill=\"%s\"/>", left, colour);
        text(left + 14, 37, name);
    }

    private void line(int left, String colour, Growth.Line line, Growth.Panel panel) {
        StringBuilder points = new StringBuilder();
        for (int i = 0; i < line.ratios().size(); i++) {
            Quartiles ratio = line.ratios().get(i);
            double x = x(left, i, panel);
            points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y(ratio.median())));
            add(
                    "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>",
                    x, y(ratio.low()), x, y(Math.min(max, ratio.high())), colour);
        }
        add(
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>",
                points.toString().strip(), colour);
    }

    private static double x(int left, int point, Growth.Panel panel) {
        return left + WIDTH * (point + 0.5) / panel.points().length;
    }

    private double y(double ratio) {
        return TOP + HEIGHT * (1 - ratio / max);
    }

    private static String abbreviated(int point) {
        return point >= 1_000_000 ? point / 1_000_000 + "M" : point >= 1_000 ? point / 1_000 + "k" : "" + point;
    }

    private void text(int x, int y, String text) {
        add(
                "<text x=\"%d\" y=\"%d\">%s</text>",
                x, y, text.replace("&", "&amp;").replace("<", "&lt;"));
    }

    private void add(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
