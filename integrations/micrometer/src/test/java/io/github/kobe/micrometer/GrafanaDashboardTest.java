package io.github.kobe.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Does the dashboard ask for metrics and labels that exist, and for all of them? */
class GrafanaDashboardTest {

    private static final Pattern METRIC = Pattern.compile("\\b((?:group_concurrency|executor)_[a-z_]+)\\{([^}]*)}");
    private static final Pattern MATCHER = Pattern.compile("([a-z_]+)(=~|!=|=)\"([^\"]*)\"");
    private static final Pattern BY = Pattern.compile("by \\(([a-z_, ]+)\\)");
    private static final Pattern AGGREGATION = Pattern.compile("\\b(sum|max)( by)? ?\\(");
    private static final Pattern LEGEND = Pattern.compile("\\{\\{([a-z_]+)}}");

    private final MockClock clock = new MockClock();
    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, new PrometheusRegistry(), clock);
    private Everything everything;
    private Scrape scrape;
    private JsonNode dashboard;

    /** A query of a panel. */
    private record Query(String panel, String expression, String legend) {}

    @BeforeEach
    void scrape() throws IOException {
        everything = new Everything(registry);
        clock.add(Duration.ofSeconds(1));
        registry.scrape();
        scrape = Scrape.parse(registry.scrape());
        try (InputStream json = GroupExecutorMetrics.class.getResourceAsStream("grafana-dashboard.json")) {
            dashboard = new ObjectMapper().readTree(json);
        }
    }

    @AfterEach
    void close() {
        everything.close();
    }

    private List<Query> queries() {
        List<Query> queries = new ArrayList<>();
        for (JsonNode panel : dashboard.get("panels")) {
            for (JsonNode target : panel.path("targets")) {
                queries.add(new Query(
                        panel.get("title").asText(),
                        target.get("expr").asText(),
                        target.get("legendFormat").asText()));
            }
        }
        return queries;
    }

    @Test
    void everyMetricOfAQueryExistsWithItsLabels() {
        assertThat(queries()).hasSizeGreaterThan(30).allSatisfy(query -> {
            Matcher metric = METRIC.matcher(query.expression);
            Set<String> labels = new HashSet<>();
            int metrics = 0;
            while (metric.find()) {
                metrics++;
                String name = metric.group(1);
                assertThat(scrape.names()).contains(name);
                labels.addAll(scrape.labelsOf(name));
                Matcher matcher = MATCHER.matcher(metric.group(2));
                while (matcher.find()) {
                    assertThat(scrape.labelsOf(name)).contains(matcher.group(1));
                    if (!matcher.group(3).startsWith("$")) {
                        assertThat(scrape.values(name, matcher.group(1))).contains(matcher.group(3));
                    }
                }
            }
            assertThat(metrics)
                    .as("every name in the query has a matcher in braces")
                    .isPositive()
                    .isEqualTo(query.expression.split("group_concurrency_|executor_", -1).length - 1);
            Matcher by = BY.matcher(query.expression);
            while (by.find()) {
                assertThat(labels).contains(by.group(1).split(", *"));
            }
            Matcher legend = LEGEND.matcher(query.legend);
            while (legend.find()) {
                String label = legend.group(1);
                assertThat(labels).contains(label);
                if (AGGREGATION.matcher(query.expression).find()) {
                    assertThat(query.expression)
                            .as("the aggregation keeps the label of the legend")
                            .containsPattern("by \\([a-z_, ]*" + label);
                }
            }
        });
    }

    @Test
    void everyMetricIsOnTheDashboard() {
        Set<String> asked = new HashSet<>();
        queries().forEach(query -> METRIC.matcher(query.expression).results().forEach(r -> asked.add(r.group(1))));
        assertThat(asked).containsExactlyInAnyOrderElementsOf(scrape.names());
    }

    @Test
    void panelsHaveIdsOfTheirOwnAndDoNotOverlap() {
        Set<Integer> ids = new HashSet<>();
        Set<String> cells = new HashSet<>();
        for (JsonNode panel : dashboard.get("panels")) {
            assertThat(ids.add(panel.get("id").asInt())).isTrue();
            JsonNode at = panel.get("gridPos");
            assertThat(at.get("x").asInt() + at.get("w").asInt()).isLessThanOrEqualTo(24);
            for (int x = 0; x < at.get("w").asInt(); x++) {
                for (int y = 0; y < at.get("h").asInt(); y++) {
                    assertThat(cells.add((at.get("x").asInt() + x) + ","
                                    + (at.get("y").asInt() + y)))
                            .as(panel.get("title").asText())
                            .isTrue();
                }
            }
        }
    }

    @Test
    void thereIsARowForEachQuestion() {
        List<String> rows = new ArrayList<>();
        for (JsonNode panel : dashboard.get("panels")) {
            if (panel.get("type").asText().equals("row")) {
                rows.add(panel.get("title").asText());
            } else {
                assertThat(panel.get("description").asText()).isNotBlank();
            }
        }
        assertThat(rows)
                .startsWith("Who waits, and how long", "For which limit", "Why refused", "Who uses the capacity");
    }
}
