package io.github.kobe.examples.metrics;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Scrapes the service as Prometheus would, and draws four panels of the dashboard from that. */
final class DashboardPicture {

    private static final int WIDTH = 420;
    private static final int HEIGHT = 190;
    private static final int MARGIN = 44;
    private static final String[] COLORS = {"#3274d9", "#e0752d", "#2f8f46", "#a352cc", "#888888"};

    /**
     * A panel of the dashboard.
     *
     * @param metric the metric that it shows
     * @param filter what the labels must contain
     * @param rate whether it shows the increase a second
     */
    private record Panel(String title, String metric, String filter, boolean rate) {}

    private static final List<Panel> PANELS = List.of(
            new Panel("Queued tasks by group", "group_concurrency_group_queued_tasks", "", false),
            new Panel(
                    "Age of the oldest queued task by group, s",
                    "group_concurrency_group_queue_oldest_seconds",
                    "",
                    false),
            new Panel(
                    "Rejected tasks by group, 1/s",
                    "group_concurrency_group_completed_tasks_total",
                    "reason=\"group_queue_full\"",
                    true),
            new Panel("Permits in use by group", "group_concurrency_group_active_tasks", "", false));

    private static final Pattern SAMPLE = Pattern.compile("(\\w+)\\{(.*)} (\\S+)");
    private static final Pattern GROUP = Pattern.compile("group=\"([^\"]*)\"");

    private final HttpClient client = HttpClient.newHttpClient();
    private final URI address;
    private final List<List<Map<String, Double>>> scrapes = new ArrayList<>();

    DashboardPicture(URI address) {
        this.address = address;
    }

    /** Reads the metrics once. */
    void scrape() throws IOException, InterruptedException {
        String text = client.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString())
                .body();
        List<Map<String, Double>> values = new ArrayList<>();
        for (Panel panel : PANELS) {
            values.add(byGroup(text, panel));
        }
        scrapes.add(values);
    }

    private static Map<String, Double> byGroup(String text, Panel panel) {
        Map<String, Double> values = new TreeMap<>();
        text.lines().forEach(line -> {
            Matcher sample = SAMPLE.matcher(line);
            if (sample.matches()
                    && sample.group(1).equals(panel.metric)
                    && sample.group(2).contains(panel.filter)) {
                Matcher group = GROUP.matcher(sample.group(2));
                if (group.find()) {
                    values.put(group.group(1), Double.parseDouble(sample.group(3)));
                }
            }
        });
        return values;
    }

    String svg() {
        StringBuilder svg = new StringBuilder();
        svg.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"11\">%n"
                        + "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>%n",
                2 * WIDTH,
                2 * HEIGHT + 24));
        for (int i = 0; i < PANELS.size(); i++) {
            svg.append(
                    String.format(Locale.ROOT, "<g transform=\"translate(%d,%d)\">%n", i % 2 * WIDTH, i / 2 * HEIGHT));
            draw(i, svg);
            svg.append("</g>\n");
        }
        svg.append(String.format(
                Locale.ROOT,
                "<text x=\"8\" y=\"%d\" fill=\"#666666\">Drawn from %d scrapes of examples/metrics-prometheus, one a second. Not a"
                        + " screenshot of Grafana.</text>%n</svg>%n",
                2 * HEIGHT + 14,
                scrapes.size()));
        return svg.toString();
    }

    private void draw(int index, StringBuilder svg) {
        Panel panel = PANELS.get(index);
        Map<String, List<Double>> lines = lines(index);
        double max = Math.max(
                1,
                lines.values().stream()
                        .flatMap(List::stream)
                        .mapToDouble(Double::doubleValue)
                        .max()
                        .orElse(1));
        int right = WIDTH - 10;
        int bottom = HEIGHT - 30;
        svg.append(String.format(
                Locale.ROOT,
                "<text x=\"%d\" y=\"16\" font-weight=\"bold\">%s</text>%n"
                        + "<path d=\"M%d 26V%dH%d\" fill=\"none\" stroke=\"#999999\"/>%n"
                        + "<text x=\"%d\" y=\"32\" text-anchor=\"end\">%.1f</text>%n"
                        + "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">0</text>%n",
                MARGIN,
                panel.title,
                MARGIN,
                bottom,
                right,
                MARGIN - 4,
                max,
                MARGIN - 4,
                bottom));
        int color = 0;
        for (Map.Entry<String, List<Double>> line : lines.entrySet()) {
            List<Double> values = line.getValue();
            StringBuilder points = new StringBuilder();
            for (int i = 0; i < values.size(); i++) {
                points.append(String.format(
                        Locale.ROOT,
                        "%.1f,%.1f ",
                        MARGIN + (right - MARGIN) * (i / Math.max(1.0, values.size() - 1)),
                        bottom - (bottom - 26) * values.get(i) / max));
            }
            svg.append(String.format(
                    Locale.ROOT,
                    "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>%n"
                            + "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>%n",
                    points.toString().strip(),
                    COLORS[color % COLORS.length],
                    MARGIN + color * 80,
                    HEIGHT - 12,
                    COLORS[color % COLORS.length],
                    line.getKey()));
            color++;
        }
    }

    /** The values of a panel by group, a rate as the difference of two scrapes. A group that a scrape did not have has 0. */
    private Map<String, List<Double>> lines(int index) {
        Map<String, List<Double>> lines = new TreeMap<>();
        scrapes.forEach(scrape -> scrape.get(index).keySet().forEach(group -> lines.put(group, new ArrayList<>())));
        boolean rate = PANELS.get(index).rate;
        for (int i = rate ? 1 : 0; i < scrapes.size(); i++) {
            Map<String, Double> now = scrapes.get(i).get(index);
            Map<String, Double> before = rate ? scrapes.get(i - 1).get(index) : Map.of();
            lines.forEach(
                    (group, values) -> values.add(now.getOrDefault(group, 0.0) - before.getOrDefault(group, 0.0)));
        }
        return lines;
    }
}
