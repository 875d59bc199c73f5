package io.github.kobe.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A run as one page that needs nothing else: no script, no other file, light or dark as the reader likes. */
final class HtmlReport {

    private static final int WIDE = 920;
    private static final int NARROW = 440;

    private static final String CSS = """
            :root { color-scheme: light dark; --paper: #ffffff; --ink: #1c2128; --soft: #59636e; --line: #d8dee4;
              --card: #f6f8fa; --plain: #bc4c00; --ours: #0969da; }
            @media (prefers-color-scheme: dark) {
              :root { --paper: #0d1117; --ink: #e6edf3; --soft: #9198a1; --line: #30363d; --card: #161b22;
                --plain: #f0883e; --ours: #58a6ff; } }
            * { box-sizing: border-box; }
            body { margin: 0 auto; padding: 2rem 1.2rem 4rem; max-width: 62rem; background: var(--paper); color: var(--ink);
              font: 16px/1.55 system-ui, sans-serif; }
            h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2.6rem 0 .4rem; }
            h3 { font-size: .95rem; margin: 0 0 .2rem; }
            p.soft, .soft, figcaption { color: var(--soft); font-size: .92rem; margin: .2rem 0; }
            .verdict { font-size: 1.25rem; line-height: 1.45; border-left: 4px solid var(--ours); padding: .2rem 0 .2rem 1rem;
              margin: 1.4rem 0; }
            .broken { border-color: #d1242f; color: #d1242f; }
            .cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .8rem; }
            .card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .7rem 1rem; }
            .card b { display: block; font-size: 1.45rem; font-variant-numeric: tabular-nums; }
            .card div { color: var(--soft); font-size: .85rem; }
            .plain { color: var(--plain); } .ours { color: var(--ours); }
            figure { margin: .8rem 0; } svg { width: 100%; height: auto; display: block; }
            svg text { font: 11px system-ui, sans-serif; fill: var(--soft); } svg line { stroke: var(--line); }
            svg polyline { fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linejoin: round; }
            svg polygon { fill: currentColor; fill-opacity: .2; stroke: none; }
            .grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: .4rem 1.2rem; }
            .wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .92rem; }
            th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
            th { color: var(--soft); font-weight: 600; } .n { text-align: right; font-variant-numeric: tabular-nums; }
            code { background: var(--card); border-radius: 4px; padding: .1rem .3rem; font-size: .88rem; }
            li { margin: .2rem 0; }
            """;

    private final Options options;
    private final Scenario scenario;
    private final Outcome outcome;
    private final Machine machine;
    private final double longest;

    HtmlReport(Options options, Outcome outcome, Machine machine) {
        this.options = options;
        this.scenario = options.scenario();
        this.outcome = outcome;
        this.machine = machine;
        this.longest = outcome.sides().stream()
                .flatMap(side -> side.rows().stream())
                .mapToDouble(row -> Waits.of(row.samples()).max())
                .max()
                .orElse(0);
    }

    String text() {
        String title = "group-concurrency: " + scenario.name();
        return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                + "<title>" + Html.escape(title) + "</title>\n<style>\n" + CSS + "</style>\n</head>\n<body>\n"
                + head(title) + cards() + focusChart() + roleCharts() + figures() + work() + measured()
                + "</body>\n</html>\n";
    }

    private String head(String title) {
        StringBuilder head = new StringBuilder();
        head.append("<h1>").append(Html.escape(title)).append("</h1>\n");
        head.append(soft(scenario.summary() + ": " + outcome.plain().title() + " beside "
                + outcome.ours().title()));
        head.append("<p class=\"verdict\">")
                .append(Html.escape(scenario.verdict(outcome)))
                .append("</p>\n");
        scenario.broken(outcome.ours())
                .forEach(promise -> head.append("<p class=\"verdict broken\">Broken: ")
                        .append(Html.escape(promise))
                        .append("</p>\n"));
        return head.toString();
    }

    private static String soft(String text) {
        return "<p class=\"soft\">" + Html.escape(text) + "</p>\n";
    }

    private String cards() {
        Waits plain = outcome.plain().waits(scenario.focus());
        Waits ours = outcome.ours().waits(scenario.focus());
        return "<div class=\"cards\">\n" + card("p50", plain.p50(), ours.p50()) + card("p99", plain.p99(), ours.p99())
                + card("longest", plain.max(), ours.max()) + "</div>\n";
    }

    private String card(String what, double plain, double ours) {
        return Format.text(
                "<div class=\"card\"><div>%s, %s, %s</div><b class=\"plain\">%s</b><b class=\"ours\">%s</b></div>%n",
                Html.escape(scenario.focus()),
                scenario.words().measure(),
                what,
                Html.escape(Format.millis(plain)),
                Html.escape(Format.millis(ours)));
    }

    private String focusChart() {
        return "<h2>" + capital(scenario.words().measure()) + " of " + Html.escape(scenario.focus())
                + " over time</h2>\n" + legend()
                + figure(
                        WIDE,
                        300,
                        scenario.focus(),
                        outcome.plain().of(scenario.focus()),
                        outcome.ours().of(scenario.focus()));
    }

    private String legend() {
        return "<p class=\"soft\"><b class=\"plain\">" + outcome.plain().title() + "</b> and <b class=\"ours\">"
                + outcome.ours().title()
                + "</b>, by when it came: the line is the longest at that time, the band reaches down to the median."
                + " The scale is logarithmic, and the same for all charts."
                + (anyOpen() ? " Where a line falls at the very end, work was still waiting." : "") + "</p>\n";
    }

    private boolean anyOpen() {
        return outcome.sides().stream()
                .flatMap(side -> side.rows().stream())
                .flatMap(row -> row.samples().stream())
                .anyMatch(sample -> !sample.settled());
    }

    private String roleCharts() {
        StringBuilder charts = new StringBuilder("<h2>One by one</h2>\n<div class=\"grid\">\n");
        for (int i = 0; i < outcome.plain().rows().size(); i++) {
            RowOutcome plain = outcome.plain().rows().get(i);
            RowOutcome ours = outcome.ours().rows().get(i);
            String name = plain.role().name();
            charts.append("<div><h3>").append(Html.escape(name)).append("</h3>\n");
            charts.append(figure(NARROW, 170, name, List.of(plain), List.of(ours)))
                    .append("</div>\n");
        }
        return charts.append("</div>\n").toString();
    }

    private String figure(int width, int height, String label, List<RowOutcome> plain, List<RowOutcome> ours) {
        TimeChart chart = new TimeChart(width, height, options.length().toMillis(), longest);
        List<TimeChart.Series> series = List.of(
                new TimeChart.Series(outcome.plain().title(), "plain", samples(plain)),
                new TimeChart.Series(outcome.ours().title(), "ours", samples(ours)));
        return "<figure>\n" + chart.svg(scenario.words().measure() + " of " + label + " over time", series)
                + "</figure>\n";
    }

    private static List<Sample> samples(List<RowOutcome> rows) {
        return rows.stream().flatMap(row -> row.samples().stream()).toList();
    }

    private String figures() {
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < outcome.plain().rows().size(); i++) {
            for (SideOutcome side : outcome.sides()) {
                rows.add(figures(side.title(), side.rows().get(i)));
            }
        }
        Words words = scenario.words();
        return "<h2>Figures</h2>\n"
                + Html.table(
                        List.of(words.row(), "on", "count", "p50", "p99", "max", "not over", "peak", words.extra()),
                        rows,
                        2);
    }

    private List<String> figures(String title, RowOutcome row) {
        Waits waits = Waits.of(row.samples());
        long open = row.samples().stream().filter(sample -> !sample.settled()).count();
        return List.of(
                row.role().name(),
                title,
                Format.count(waits.count()),
                Format.millis(waits.p50()),
                Format.millis(waits.p99()),
                Format.millis(waits.max()),
                Format.count(open),
                Format.count(row.peak()),
                scenario.extra(List.of(row)));
    }

    private String work() {
        List<List<String>> rows = scenario.traffic().stream()
                .map(traffic -> List.of(
                        traffic.role().name(),
                        traffic.role().kind(),
                        traffic.describe(),
                        Format.text("%.1f", traffic.places()),
                        traffic.role().isLimited() ? Format.count(traffic.role().limit()) : "none"))
                .toList();
        String about = scenario.about().stream().collect(Collectors.joining(" "));
        return "<h2>What was played</h2>\n" + soft(about)
                + Html.table(
                        List.of(scenario.words().row(), "kind", "what comes, on average", "places wanted", "limit"),
                        rows,
                        3);
    }

    private String measured() {
        String command = Format.text(
                "./play --scenario %s --seconds %d --seed %d",
                scenario.name(), options.length().toSeconds(), options.seed());
        return "<h2>How</h2>\n<ul>\n"
                + item(
                        "Both sides ran in one JVM at the same time, and were handed the same work at the same moments. Tasks"
                                + " sleep, so that the number of processors hardly matters.")
                + item("Work counts itself. What was not over at the end counts with the time it had taken so far.")
                + item("Both sides were warmed up for a moment on executors that were thrown away; nothing was left out"
                        + " after that.")
                + item("This is one run of "
                        + Format.millis((double) options.length().toMillis()) + " with the seed " + options.seed()
                        + ", on a machine that may have had other things to do.")
                + item(machine.system() + "; " + machine.processors() + " processors; " + machine.java() + "; "
                        + machine.date())
                + "<li>Again: <code>" + Html.escape(command) + "</code></li>\n</ul>\n";
    }

    private static String item(String text) {
        return "<li>" + Html.escape(text) + "</li>\n";
    }

    private static String capital(String text) {
        return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }
}
