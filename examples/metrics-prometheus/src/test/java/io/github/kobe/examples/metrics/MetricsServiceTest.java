package io.github.kobe.examples.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Does the example serve what its README says? */
class MetricsServiceTest {

    private static String get(URI address) throws IOException, InterruptedException {
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        return response.body();
    }

    /** The sum of all samples whose name and labels match. */
    private static double sum(String scrape, String pattern) {
        double sum = 0;
        Matcher sample = Pattern.compile("(?m)^" + pattern + ".*} (\\S+)$").matcher(scrape);
        while (sample.find()) {
            sum += Double.parseDouble(sample.group(1));
        }
        return sum;
    }

    @Test
    void theMetricsShowWhoWaitsAndWhoWasRefused() throws Exception {
        try (MetricsService service = MetricsService.start(0)) {
            URI address = service.metricsAddress();
            assertThat(address.getHost()).isEqualTo("127.0.0.1");
            await().atMost(java.time.Duration.ofMinutes(1)).untilAsserted(() -> {
                String scrape = get(address);
                for (String tenant : new String[] {"acme", "initech", "globex"}) {
                    assertThat(sum(
                                    scrape,
                                    "group_concurrency_group_completed_tasks_total\\{group=\"" + tenant
                                            + "\",name=\"requests\",outcome=\"success\""))
                            .as(tenant)
                            .isPositive();
                }
                assertThat(
                                sum(
                                        scrape,
                                        "group_concurrency_group_completed_tasks_total\\{group=\"acme\",.*reason=\"group_queue_full\""))
                        .as("acme sends more than it may")
                        .isPositive();
                assertThat(sum(scrape, "group_concurrency_group_queue_oldest_seconds\\{group=\"acme\""))
                        .isPositive();
                assertThat(sum(scrape, "group_concurrency_task_wait_seconds_count"))
                        .isPositive();
                assertThat(sum(scrape, "group_concurrency_active_tasks")).isBetween(0.0, 8.0);
                assertThat(sum(scrape, "group_concurrency_limit_tasks")).isEqualTo(8);
            });
            assertThat(get(address.resolve("/dashboard"))).contains("\"title\": \"group-concurrency\"");
        }
    }

    @Test
    void theProgramEndsByItselfAndDrawsAPicture(@TempDir Path directory) throws Exception {
        Path picture = directory.resolve("dashboard.svg");
        MetricsService.main(new String[] {"--port", "0", "--seconds", "3", "--picture", picture.toString()});
        assertThat(Files.readString(picture))
                .startsWith("<svg")
                .contains("Queued tasks by group", "acme", "initech", "globex", "Drawn from 3 scrapes");
    }
}
