package io.github.kobe.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.kobe.GroupExecutor;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Does the example do what its README says? */
class OrdersApplicationTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static ConfigurableApplicationContext context;
    private static URI address;

    @BeforeAll
    static void start() {
        context = SpringApplication.run(OrdersApplication.class, "--server.port=0");
        address = URI.create("http://127.0.0.1:" + context.getEnvironment().getRequiredProperty("local.server.port"));
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    private static HttpResponse<String> send(String method, String path, String body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(address.resolve(path))
                .method(method, BodyPublishers.ofString(body))
                .headers(headers)
                .build();
        return CLIENT.send(request, BodyHandlers.ofString());
    }

    @Test
    void everyKindOfLimitServesATenant() throws Exception {
        assertThat(send("GET", "/orders", "", "X-Tenant", "acme").body()).isEqualTo("orders of acme\n");
        assertThat(send("GET", "/prices/today", "", "X-Tenant", "acme").body()).isEqualTo("prices of acme\n");
        assertThat(send("POST", "/reports", "", "X-Tenant", "acme").body()).isEqualTo("report of acme\n");
        assertThat(context.getBean(GroupExecutor.class).activeGroupKeys())
                .contains("orders:acme", "prices:acme", "reports:acme");
    }

    /** On a busy machine a client may send too little in a second: then the load runs again. */
    @Test
    void underLoadTheLargeTenantIsRefusedAndTheSmallOneServed() {
        await().atMost(Duration.ofMinutes(2))
                .untilAsserted(() -> assertThat(new Load(address).run(Duration.ofSeconds(1)))
                        .containsPattern("acme GET /prices/today +\\d+ +\\{429=")
                        .containsPattern("globex GET /orders +[1-9]\\d* +\n")
                        .containsPattern("globex GET /prices/today +[1-9]\\d* +\n")
                        .containsPattern("globex POST /reports +[1-9]\\d* +\n")
                        .doesNotContain("500="));
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(send("GET", "/actuator/prometheus", "", "Accept", "text/plain")
                                .body())
                        .containsPattern(completed("orders:acme", "success"))
                        .containsPattern(completed("prices:acme", "rejected")));
    }

    private static String completed(String group, String outcome) {
        return "group_concurrency_group_completed_tasks_total\\{group=\"" + group + "\".*outcome=\"" + outcome + "\"";
    }

    @Test
    void thePageOfTheReadmeIsThere() throws Exception {
        Matcher page =
                Pattern.compile("<http://127.0.0.1:8080([^>]+)>").matcher(Files.readString(Path.of("README.md")));
        assertThat(page.find()).isTrue();
        assertThat(send("GET", page.group(1), "", "Accept", "text/html").body()).contains("console.js");
        assertThat(send("GET", page.group(1) + "api/view", "", "Accept", "*/*").body())
                .contains("\"editable\":true");
    }

    @Test
    void theCommandsOfTheReadmeChangeAndResetALimit() throws Exception {
        String readme = Files.readString(Path.of("README.md"));
        Matcher post =
                Pattern.compile("-d '([^']+)' http://127.0.0.1:8080(\\S+)").matcher(readme);
        Matcher delete =
                Pattern.compile("-X DELETE '?http://127.0.0.1:8080([^\\s']+)").matcher(readme);
        assertThat(post.find()).isTrue();
        assertThat(delete.find()).isTrue();
        GroupExecutor executor = context.getBean(GroupExecutor.class);

        assertThat(send("POST", post.group(2), post.group(1), "Content-Type", "application/json")
                        .statusCode())
                .isEqualTo(200);
        assertThat(executor.liveSettings().get("orders:acme")).hasToString("max concurrency 16");

        assertThat(send("DELETE", delete.group(1), "", "Accept", "application/json")
                        .statusCode())
                .isEqualTo(200);
        assertThat(executor.liveSettings()).isEmpty();
    }
}
