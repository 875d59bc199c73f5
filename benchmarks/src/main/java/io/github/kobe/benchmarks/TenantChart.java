package io.github.kobe.benchmarks;

import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Draws the waits of each tenant as a self-contained SVG. */
final class TenantChart {

    private static final int LEFT = 90;
    private static final int WIDTH = 640;
    private static final int BAR = 12;
    private static final int GAP = 14;
    private static final int TOP = 64;
    private static final double MIN_MILLIS = 0.01;
    private static final double DECADES = 6; // from 0.01 ms to 10 s

    private TenantChart() {}

    /** Draws for each tenant and each executor a bar from the median to the 99th percentile, with a dot at the longest wait. */
    static String of(Map<TenantExecutor, TenantLoad.Result> results) {
        StringBuilder svg = new StringBuilder();
        Map<String, double[]> first =
                Objects.requireNonNull(results.get(TenantExecutor.THREAD_POOL)).waits();
        int row = (BAR + 2) * results.size() + GAP;
        int height = TOP + row * first.size() + 10;
        svg.append(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">%n"
                        .formatted(LEFT + WIDTH + 30, height));
        svg.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
        text(svg, 10, 18, "Waiting times by tenant: p50 to p99, dot at the longest (ms, logarithmic)");
        int legendX = 10;
        for (TenantExecutor executor : results.keySet()) {
            svg.append("<rect x=\"%d\" y=\"26\" width=\"12\" height=\"12\" fill=\"%s\"/>%n"
                    .formatted(legendX, colour(executor)));
            text(svg, legendX + 17, 36, executor.title());
            legendX += 170;
        }
        for (int decade = 0; decade <= DECADES; decade++) {
            double x = x(MIN_MILLIS * Math.pow(10, decade));
            svg.append("<line x1=\"%1$.0f\" y1=\"%2$d\" x2=\"%1$.0f\" y2=\"%3$d\" stroke=\"#e4e4e4\"/>%n"
                    .formatted(x, TOP - 6, height - 8));
            text(
                    svg,
                    (int) x - 10,
                    TOP - 10,
                    String.format(Locale.ROOT, "%s", label(MIN_MILLIS * Math.pow(10, decade))));
        }
        int y = TOP;
        for (String tenant : first.keySet()) {
            text(svg, 10, y + row / 2, tenant);
            for (Map.Entry<TenantExecutor, TenantLoad.Result> result : results.entrySet()) {
                bar(
                        svg,
                        y,
                        colour(result.getKey()),
                        Objects.requireNonNull(result.getValue().waits().get(tenant)));
                y += BAR + 2;
            }
            y += GAP;
        }
        return svg.append("</svg>\n").toString();
    }

    private static String label(double value) {
        return value < 1 ? Double.toString(Math.round(value * 100) / 100.0) : Long.toString(Math.round(value));
    }

    private static void bar(StringBuilder svg, int y, String colour, double... waits) {
        if (waits.length == 0) {
            return;
        }
        double from = x(Quartiles.quantile(0.5, waits));
        double to = x(Quartiles.quantile(0.99, waits));
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
                x(Quartiles.quantile(1, waits)),
                y + BAR / 2,
                colour));
    }

    private static double x(double millis) {
        double decades = Math.log10(Math.max(MIN_MILLIS, millis) / MIN_MILLIS);
        return LEFT + WIDTH * Math.min(1, decades / DECADES);
    }

    private static String colour(TenantExecutor executor) {
        return switch (executor) {
            case THREADS -> "#78b078";
            case THREAD_POOL -> "#b8b8b8";
            case CAMELLIA -> "#e0a030";
            case ISOLATION -> "#2a7ab8";
        };
    }

    private static void text(StringBuilder svg, int x, int y, String text) {
        svg.append("<text x=\"%d\" y=\"%d\">%s</text>%n".formatted(x, y, text));
    }
}
