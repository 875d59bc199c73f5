package io.github.kobe.demo;

import java.util.ArrayList;
import java.util.List;

/**
 * Draws waits over time as SVG, on a logarithmic scale, for both executors: a line for the longest wait at each time, and a band down to
 * the median. The result depends on the arguments alone.
 */
final class TimeChart {

    private static final double MIN_MILLIS = 0.01;
    private static final int TOP = 10;
    private static final int BOTTOM = 22;
    private static final int LEFT = 52;
    private static final int RIGHT = 12;
    private static final int PIXELS_PER_BUCKET = 8;
    private static final int MAX_TICKS = 8;

    /** The waits of one executor; {@code style} is the CSS class with its colour. */
    record Series(String title, String style, List<WaitSample> waits) {}

    private final int width;
    private final int height;
    private final double lengthMillis;
    private final int decades;

    /** @param longestMillis the longest wait in all charts of the page, so that they share one scale */
    TimeChart(int width, int height, double lengthMillis, double longestMillis) {
        this.width = width;
        this.height = height;
        this.lengthMillis = lengthMillis;
        this.decades = Math.max(4, (int) Math.ceil(Math.log10(Math.max(1, longestMillis) / MIN_MILLIS)));
    }

    String svg(String label, List<Series> series) {
        StringBuilder svg = new StringBuilder(Format.text(
                "<svg viewBox=\"0 0 %d %d\" source=\"img\" aria-label=\"%s\">%n", width, height, Html.escape(label)));
        grid(svg);
        series.forEach(each -> draw(svg, each));
        return svg.append("</svg>\n").toString();
    }

    private void grid(StringBuilder svg) {
        for (int i = 0; i <= decades; i++) {
            double millis = MIN_MILLIS * Math.pow(10, i);
            svg.append(line(LEFT, y(millis), width - RIGHT, y(millis)));
            svg.append(text(LEFT - 6, y(millis) + 4, "end", tick(millis)));
        }
        double step = step(lengthMillis / 1000);
        for (double second = 0; second <= lengthMillis / 1000 + step / 100; second += step) {
            svg.append(text(x(second * 1000), height - 6, "middle", Format.text("%s s", shortest(second))));
        }
    }

    private static String tick(double millis) {
        return millis < 1000 ? shortest(millis) + " ms" : shortest(millis / 1000) + " s";
    }

    private static String shortest(double number) {
        return Format.text("%.2f", number).replaceAll("\\.?0+$", "");
    }

    /** Returns 1, 2 or 5 times a power of ten, large enough for at most {@value #MAX_TICKS} ticks. */
    private static double step(double seconds) {
        for (double power = 0.01; ; power *= 10) {
            for (int digit : new int[] {1, 2, 5}) {
                if (seconds / (digit * power) <= MAX_TICKS) {
                    return digit * power;
                }
            }
        }
    }

    private void draw(StringBuilder svg, Series series) {
        List<String> longest = new ArrayList<>();
        List<String> medians = new ArrayList<>();
        buckets(series.waits()).forEach(bucket -> {
            WaitStatistics statistics = WaitStatistics.of(bucket);
            double at = bucket.stream()
                    .mapToDouble(WaitSample::startMillis)
                    .average()
                    .orElse(0);
            longest.add(point(at, statistics.max()));
            medians.add(0, point(at, statistics.p50()));
        });
        if (longest.isEmpty()) {
            return;
        }
        svg.append(Format.text("<g class=\"%s\"><title>%s</title>%n", series.style(), Html.escape(series.title())));
        String top = String.join(" ", longest);
        svg.append(Format.text("<polygon points=\"%s %s\"/>%n", top, String.join(" ", medians)));
        svg.append(Format.text("<polyline points=\"%s\"/>%n</g>%n", top));
    }

    /** Groups waits by their start. Empty buckets are left out. */
    private List<List<WaitSample>> buckets(List<WaitSample> waits) {
        int count = (width - LEFT - RIGHT) / PIXELS_PER_BUCKET;
        List<List<WaitSample>> buckets = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            buckets.add(new ArrayList<>());
        }
        for (WaitSample wait : waits) {
            int bucket = (int) (wait.startMillis() / lengthMillis * count);
            buckets.get(Math.clamp(bucket, 0, count - 1)).add(wait);
        }
        return buckets.stream().filter(bucket -> !bucket.isEmpty()).toList();
    }

    private String point(double atMillis, double waitMillis) {
        return Format.text("%.1f,%.1f", x(atMillis), y(waitMillis));
    }

    private double x(double atMillis) {
        return LEFT + (width - LEFT - RIGHT) * Math.clamp(atMillis / lengthMillis, 0, 1);
    }

    private double y(double waitMillis) {
        double fraction = Math.log10(Math.max(MIN_MILLIS, waitMillis) / MIN_MILLIS) / decades;
        return height - BOTTOM - (height - TOP - BOTTOM) * Math.min(1, fraction);
    }

    private static String line(double x1, double y1, double x2, double y2) {
        return Format.text("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n", x1, y1, x2, y2);
    }

    private static String text(double x, double y, String anchor, String text) {
        return Format.text("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n", x, y, anchor, text);
    }
}
