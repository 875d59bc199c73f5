package io.github.kobe.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Writes the result as one self-contained page without scripts. It follows the reader's choice of light or dark colours. */
final class HtmlReport {

    private static final int WIDE = 920;
    private static final int NARROW = 440;

    private static final String CSS = """
            :root { color-scheme: light dark; --paper: #ffffff; --ink: #1c2128; --soft: #59636e; --line: #d8dee4;
              --card: #f6f8fa; --plain: #bc4c00; --library: #0969da; }
            @media (prefers-color-scheme: dark) {
              :root { --paper: #0d1117; --ink: #e6edf3; --soft: #9198a1; --line: #30363d; --card: #161b22;
                --plain: #f0883e; --library: #58a6ff; } }
            * { box-sizing: border-box; }
            body { margin: 0 auto; padding: 2rem 1.2rem 4rem; max-width: 62rem; background: var(--paper); color: var(--ink);
              font: 16px/1.55 system-ui, sans-serif; }
            h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2.6rem 0 .4rem; }
            h3 { font-size: .95rem; margin: 0 0 .2rem; }
            p.soft, .soft, figcaption { color: var(--soft); font-size: .92rem; margin: .2rem 0; }
            .verdict { font-size: 1.25rem; line-height: 1.45; border-left: 4px solid var(--library); padding: .2rem 0 .2rem 1rem;
              margin: 1.4rem 0; }
            .broken { border-color: #d1242f; color: #d1242f; }
            .cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .8rem; }
            .card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .7rem 1rem; }
            .card b { display: block; font-size: 1.45rem; font-variant-numeric: tabular-nums; }
            .card div { color: var(--soft); font-size: .85rem; }
            .plain { color: var(--plain); } .library { color: var(--library); }
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

    private final DemoOptions options;
    private final Scenario scenario;
    private final RunResult result;
    private final RunEnvironment machine;
    private final double longest;

    HtmlReport(DemoOptions options, RunResult result, RunEnvironment machine) {
        this.options = options;
        this.scenario = options.scenario();
        this.result = result;
        this.machine = machine;
        this.longest = result.both().stream()
                .flatMap(executor -> executor.rows().stream())
                .mapToDouble(row -> WaitStatistics.of(row.waits()).max())
                .max()
                .orElse(0);
    }

    String text() {
        String title = "group-concurrency: " + scenario.name();
        return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                + "<title>" + Html.escape(title) + "</title>\n<style>\n" + CSS + "</style>\n</head>\n<body>\n"
                + head(title) + cards() + focusChart() + sourceCharts() + statistics() + workload() + conditions()
                + "</body>\n</html>\n";
    }

    private String head(String title) {
        StringBuilder head = new StringBuilder();
        head.append("<h1>").append(Html.escape(title)).append("</h1>\n");
        head.append(soft(scenario.summary() + ": " + result.plain().title() + " and "
                + result.library().title()));
        head.append("<p class=\"verdict\">")
                .append(Html.escape(scenario.verdict(result)))
                .append("</p>\n");
        scenario.brokenPromises(result.library())
                .forEach(promise -> head.append("<p class=\"verdict broken\">Broken: ")
                        .append(Html.escape(promise))
                        .append("</p>\n"));
        return head.toString();
    }

    private static String soft(String text) {
        return "<p class=\"soft\">" + Html.escape(text) + "</p>\n";
    }

    private String cards() {
        WaitStatistics plain = result.plain().waits(scenario.focus());
        WaitStatistics library = result.library().waits(scenario.focus());
        return "<div class=\"cards\">\n" + card("p50", plain.p50(), library.p50())
                + card("p99", plain.p99(), library.p99()) + card("longest", plain.max(), library.max()) + "</div>\n";
    }

    private String card(String statistic, double plain, double library) {
        return Format.text(
                "<div class=\"card\"><div>%s, %s, %s</div><b class=\"plain\">%s</b><b class=\"library\">%s</b></div>%n",
                Html.escape(scenario.focus()),
                scenario.labels().waitTime(),
                statistic,
                Html.escape(Format.millis(plain)),
                Html.escape(Format.millis(library)));
    }

    private String focusChart() {
        return "<h2>" + capital(scenario.labels().waitTime()) + " of " + Html.escape(scenario.focus())
                + " over time</h2>\n" + legend()
                + chart(
                        WIDE,
                        300,
                        scenario.focus(),
                        result.plain().ofKind(scenario.focus()),
                        result.library().ofKind(scenario.focus()));
    }

    private String legend() {
        return "<p class=\"soft\"><b class=\"plain\">" + result.plain().title() + "</b> and <b class=\"library\">"
                + result.library().title()
                + "</b>, by the time of submission: the line is the longest wait, the band reaches down to the median."
                + " The scale is logarithmic and the same in all charts."
                + (result.unfinished() > 0 ? " Where a line falls at the very end, work was still waiting." : "")
                + "</p>\n";
    }

    private String sourceCharts() {
        StringBuilder charts = new StringBuilder("<h2>Each source</h2>\n<div class=\"grid\">\n");
        for (int i = 0; i < result.plain().rows().size(); i++) {
            SourceResult plain = result.plain().rows().get(i);
            SourceResult library = result.library().rows().get(i);
            String name = plain.source().name();
            charts.append("<div><h3>").append(Html.escape(name)).append("</h3>\n");
            charts.append(chart(NARROW, 170, name, List.of(plain), List.of(library)))
                    .append("</div>\n");
        }
        return charts.append("</div>\n").toString();
    }

    private String chart(int width, int height, String label, List<SourceResult> plain, List<SourceResult> library) {
        TimeChart timeChart = new TimeChart(width, height, options.length().toMillis(), longest);
        List<TimeChart.Series> series = List.of(
                new TimeChart.Series(result.plain().title(), "plain", waits(plain)),
                new TimeChart.Series(result.library().title(), "library", waits(library)));
        return "<figure>\n" + timeChart.svg(scenario.labels().waitTime() + " of " + label + " over time", series)
                + "</figure>\n";
    }

    private static List<WaitSample> waits(List<SourceResult> rows) {
        return rows.stream().flatMap(row -> row.waits().stream()).toList();
    }

    private String statistics() {
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < result.plain().rows().size(); i++) {
            for (ExecutorResult executor : result.both()) {
                rows.add(statistics(executor.title(), executor.rows().get(i)));
            }
        }
        Labels labels = scenario.labels();
        return "<h2>Statistics</h2>\n"
                + Html.table(
                        List.of(
                                labels.source(),
                                "on",
                                "count",
                                "p50",
                                "p99",
                                "max",
                                "unfinished",
                                "peak",
                                labels.extra()),
                        rows,
                        2);
    }

    private List<String> statistics(String title, SourceResult row) {
        WaitStatistics waits = WaitStatistics.of(row.waits());
        return List.of(
                row.source().name(),
                title,
                Format.count(waits.count()),
                Format.millis(waits.p50()),
                Format.millis(waits.p99()),
                Format.millis(waits.max()),
                Format.count(row.unfinished()),
                Format.count(row.peak()),
                scenario.extra(List.of(row)));
    }

    private String workload() {
        List<List<String>> rows = scenario.traffic().stream()
                .map(traffic -> List.of(
                        traffic.source().name(),
                        traffic.source().kind(),
                        traffic.describe(),
                        Format.text("%.1f", traffic.permits()),
                        traffic.source().isLimited()
                                ? Format.count(traffic.source().limit())
                                : "none"))
                .toList();
        String about = scenario.about().stream().collect(Collectors.joining(" "));
        return "<h2>Workload</h2>\n" + soft(about)
                + Html.table(
                        List.of(
                                scenario.labels().source(),
                                "kind",
                                "submissions on average",
                                "permits needed",
                                "limit"),
                        rows,
                        3);
    }

    private String conditions() {
        String command = Format.text(
                "./play --scenario %s --seconds %d --seed %d",
                scenario.name(), options.length().toSeconds(), options.seed());
        return "<h2>Conditions</h2>\n<ul>\n"
                + item(
                        "Both executors ran in one JVM at the same time and received the same work at the same times. Tasks"
                                + " sleep, so that the number of processors hardly matters.")
                + item(
                        "The tasks record their own times. What was still waiting at the end counts with its time so far.")
                + item("A short warm-up ran before on other executors. Nothing was left out after that.")
                + item("This is one run of "
                        + Format.millis((double) options.length().toMillis()) + " with the seed " + options.seed()
                        + ". The machine may have been busy with other work.")
                + item(machine.system() + "; " + machine.processors() + " processors; " + machine.java() + "; "
                        + machine.date())
                + "<li>Run it again: <code>" + Html.escape(command) + "</code></li>\n</ul>\n";
    }

    private static String item(String text) {
        return "<li>" + Html.escape(text) + "</li>\n";
    }

    private static String capital(String text) {
        return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }
}
