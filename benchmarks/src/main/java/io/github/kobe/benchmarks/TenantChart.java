package io.github.kobe.benchmarks;

import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Draws how long tasks of each tenant waited, as a picture that needs nothing else. */
final class TenantChart {

    private static final int LEFT = 90;
    private static final int WIDTH = 640;
    private static final int BAR = 12;
    private static final int GAP = 14;
    private static final int TOP = 64;
    private static final double LEAST = 0.01;
    private static final double DECADES = 6; // from a hundredth of a ms to ten seconds

    private TenantChart() {}

    /** For each tenant and each side, a bar from the median to the 99th percentile, with a dot at the longest. */
    static String of(Map<TenantSide, TenantLoad.Outcome> outcomes) {
        StringBuilder svg = new StringBuilder();
        Map<String, double[]> first =
                Objects.requireNonNull(outcomes.get(TenantSide.PLAIN)).waits();
        int row = (BAR + 2) * outcomes.size() + GAP;
        int height = TOP + row * first.size() + 10;
        svg.append(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">%n"
                        .formatted(LEFT + WIDTH + 30, height));
        svg.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
        text(svg, 10, 18, "Waiting times by tenant: p50 to p99, dot at the longest (ms, logarithmic)");
        int at = 10;
        for (TenantSide side : outcomes.keySet()) {
            svg.append(
                    "<rect x=\"%d\" y=\"26\" width=\"12\" height=\"12\" fill=\"%s\"/>%n".formatted(at, colour(side)));
            text(svg, at + 17, 36, side.title());
            at += 170;
        }
        for (int decade = 0; decade <= DECADES; decade++) {
            double x = x(LEAST * Math.pow(10, decade));
            svg.append("<line x1=\"%1$.0f\" y1=\"%2$d\" x2=\"%1$.0f\" y2=\"%3$d\" stroke=\"#e4e4e4\"/>%n"
                    .formatted(x, TOP - 6, height - 8));
            text(svg, (int) x - 10, TOP - 10, String.format(Locale.ROOT, "%s", plain(LEAST * Math.pow(10, decade))));
        }
        int y = TOP;
        for (String tenant : first.keySet()) {
            text(svg, 10, y + row / 2, tenant);
            for (Map.Entry<TenantSide, TenantLoad.Outcome> side : outcomes.entrySet()) {
                bar(
                        svg,
                        y,
                        colour(side.getKey()),
                        Objects.requireNonNull(side.getValue().waits().get(tenant)));
                y += BAR + 2;
            }
            y += GAP;
        }
        return svg.append("</svg>\n").toString();
    }

    private static String plain(double value) {
        return value < 1 ? Double.toString(Math.round(value * 100) / 100.0) : Long.toString(Math.round(value));
    }

    private static void bar(StringBuilder svg, int y, String colour, double... waits) {
        if (waits.length == 0) {
            return;
        }
        double from = x(Spread.quantile(0.5, waits));
        double to = x(Spread.quantile(0.99, waits));
        svg.append(String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
                from,
                y,
                Math.max(2, to - from),
                BAR,
                colour));
        svg.append(String.format(
                Locale.ROOT,
                "<circle cx=\"%.1f\" cy=\"%d\" r=\"3\" fill=\"%s\"/>%n",
                x(Spread.quantile(1, waits)),
                y + BAR / 2,
                colour));
    }

    private static double x(double millis) {
        double decades = Math.log10(Math.max(LEAST, millis) / LEAST);
        return LEFT + WIDTH * Math.min(1, decades / DECADES);
    }

    private static String colour(TenantSide side) {
        return switch (side) {
            case BARE -> "#78b078";
            case PLAIN -> "#b8b8b8";
            case SEED -> "#e0a030";
            case OURS -> "#2a7ab8";
        };
    }

    private static void text(StringBuilder svg, int x, int y, String text) {
        svg.append("<text x=\"%d\" y=\"%d\">%s</text>%n".formatted(x, y, text));
    }
}
