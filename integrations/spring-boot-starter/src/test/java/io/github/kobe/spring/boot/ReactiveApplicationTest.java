package io.github.kobe.spring.boot;

import static io.github.kobe.spring.boot.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import io.github.kobe.spring.boot.TenantApplication.Gate;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** Does a real application on WebFlux keep its limits, and show them? */
class ReactiveApplicationTest {

    private static ConfigurableApplicationContext context;
    private static Http http;
    private static Gate gate;
    private static GroupExecutor executor;

    @BeforeAll
    static void start() {
        context = ReactiveApplication.start(
                TenantApplication.NO_SECURITY,
                "management.endpoints.web.exposure.include=groupconcurrency",
                "group-concurrency.console.enabled=true",
                "group-concurrency.executors.default.default-max-concurrency-per-group=3");
        http = Http.to(context);
        gate = context.getBean(Gate.class);
        executor = context.getBean(GroupExecutor.class);
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    private static void awaitActive(String group, int active, int queued) {
        eventually().untilAsserted(() -> {
            Optional<GroupStats> stats = executor.groupStats(group);
            assertThat(stats.map(GroupStats::activeCount)).as(group).contains(active);
            assertThat(stats.map(GroupStats::queuedCount)).as(group).contains(queued);
        });
    }

    @Test
    void fiftyConcurrentRequestsOfTwoTenantsKeepTheirLimits() {
        gate.shut();
        List<CompletableFuture<HttpResponse<String>>> responses = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            responses.add(http.start(http.request("/first?tenant=acme")));
            responses.add(http.start(http.request("/all?tenant=globex")));
        }
        awaitActive("acme", 3, 22);
        awaitActive("globex", 3, 22);
        String shown = http.get("/actuator/groupconcurrency/default?sort=key").body();
        assertThat((Integer) JsonPath.read(shown, "$.groups[0].queued")).isEqualTo(22);

        gate.open();
        assertThat(responses)
                .allSatisfy(response -> assertThat(response.join().body()).isIn("order of acme", "abc"));
        assertThat(gate.max("acme")).isEqualTo(3);
        assertThat(gate.max("globex")).isEqualTo(3);
        awaitActive("acme", 0, 0);
        awaitActive("globex", 0, 0);
    }

    @Test
    void aRejectedCallIsAnsweredWith429() {
        gate.shut();
        for (int i = 0; i < 3; i++) {
            var unused = http.start(http.request("/at-once?tenant=initech"));
        }
        awaitActive("initech", 3, 0);

        HttpResponse<String> rejected = http.get("/at-once?tenant=initech");

        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.headers().firstValueAsLong("Retry-After")).isPresent();
        gate.open();
        awaitActive("initech", 0, 0);
    }

    @Test
    void theEndpointIsReadOnlyByDefault() {
        String endpoint = "/actuator/groupconcurrency/default";
        assertThat(http.get(endpoint).statusCode()).isEqualTo(200);
        assertThat(http.post(endpoint, "{\"group\": \"acme\", \"maxConcurrency\": 5}")
                        .statusCode())
                .isEqualTo(405);
        assertThat(http.delete(endpoint + "?group=acme").statusCode()).isEqualTo(405);
        assertThat(executor.liveSettings()).isEmpty();
    }

    @Test
    void theConsoleIsOnThePortOfTheEndpoints() {
        assertThat(http.get("/actuator/groupconsole/").body()).contains("console.js");
        assertThat(http.post("/actuator/groupconsole/api/groups/default-limit", "{\"executor\": 0, \"value\": 9}")
                        .statusCode())
                .isEqualTo(405);
    }
}
