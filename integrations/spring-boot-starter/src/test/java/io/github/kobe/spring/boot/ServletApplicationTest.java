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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** Does a real application on Tomcat keep its limits, show them, and change them by HTTP? */
class ServletApplicationTest {

    private static final String ENDPOINT = "/actuator/groupconcurrency";

    private static ConfigurableApplicationContext context;
    private static Http http;
    private static Gate gate;
    private static GroupExecutor executor;

    @BeforeAll
    static void start() {
        context = TenantApplication.start(
                TenantApplication.NO_SECURITY,
                "management.endpoints.web.exposure.include=groupconcurrency,prometheus,health",
                "management.endpoint.groupconcurrency.access=unrestricted",
                "group-concurrency.executors.default.default-max-concurrency-per-group=2",
                "group-concurrency.executors.default.groups[orders:acme].max-concurrency=3",
                "group-concurrency.executors.default.max-groups=200000",
                "group-concurrency.executors.default.groups.mails.queue-threshold=0",
                "group-concurrency.console.enabled=true",
                "group-concurrency.pools.images.max-workers=2",
                "group-concurrency.isolation.searches.max-concurrency=2",
                "group-concurrency.task-executors.mails.group=mails",
                "group-concurrency.metrics.groups=orders:acme,orders:globex",
                "group-concurrency.web.url-patterns=/api/*",
                "group-concurrency.web.group=web");
        http = Http.to(context);
        gate = context.getBean(Gate.class);
        executor = context.getBean(GroupExecutor.class);
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @AfterEach
    void resetChanges() {
        gate.open();
        executor.liveSettings().keySet().forEach(executor::resetGroup);
    }

    private static void awaitActive(String group, int active, int queued) {
        eventually().untilAsserted(() -> {
            Optional<GroupStats> stats = executor.groupStats(group);
            assertThat(stats.map(GroupStats::activeCount)).as(group).contains(active);
            assertThat(stats.map(GroupStats::queuedCount)).as(group).contains(queued);
        });
    }

    @Test
    void fiftyConcurrentRequestsOfTwoTenantsKeepTheirLimitsAndAPostRaisesOneLive() {
        gate.shut();
        List<CompletableFuture<HttpResponse<String>>> responses = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            responses.add(http.start(http.request("/orders?tenant=acme")));
            responses.add(http.start(http.request("/orders?tenant=globex")));
        }
        awaitActive("orders:acme", 3, 22);
        awaitActive("orders:globex", 2, 23);

        HttpResponse<String> raised =
                http.post(ENDPOINT + "/default", "{\"group\": \"orders:acme\", \"maxConcurrency\": 5}");
        assertThat(raised.statusCode()).as(raised.body()).isEqualTo(200);
        assertThat((Integer) JsonPath.read(raised.body(), "$.groups[0].limit")).isEqualTo(5);
        awaitActive("orders:acme", 5, 20);
        eventually()
                .untilAsserted(() -> assertThat(http.get("/actuator/prometheus").body())
                        .contains("group_concurrency_group_limit_tasks{group=\"orders:acme\",name=\"default\"} 5.0")
                        .contains("group_concurrency_group_active_tasks{group=\"orders:acme\",name=\"default\"} 5.0")
                        .contains("group_concurrency_group_active_tasks{group=\"orders:globex\",name=\"default\"} 2.0")
                        .contains(
                                "group_concurrency_group_queued_tasks{group=\"orders:globex\",name=\"default\"} 23.0"));

        gate.open();
        assertThat(responses)
                .allSatisfy(response -> assertThat(response.join().body()).startsWith("orders of "));
        assertThat(gate.max("acme")).isEqualTo(5);
        assertThat(gate.max("globex")).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/b", "ü", " ", "", "a&b=c", "%2F", "\"quoted\"", "../default", "雪"})
    void anyKeyCanBeShownChangedAndReset(String key) {
        String encoded = Http.encode(key);
        if (!key.isEmpty()) { // the annotation of the application has a group, so its key is never empty
            assertThat(http.get("/orders?tenant=" + encoded).body()).isEqualTo("orders of " + key);
        }
        String json = "{\"group\": \"" + key.replace("\"", "\\\"") + "\", \"maxConcurrency\": 7, \"paused\": true}";
        assertThat(http.post(ENDPOINT + "/default", json).statusCode()).isEqualTo(200);
        assertThat(executor.liveSettings().get(key)).hasToString("max concurrency 7, paused");

        String shown = http.get(ENDPOINT + "/default?group=" + encoded).body();
        assertThat((String) JsonPath.read(shown, "$.groups[0].group")).isEqualTo(key);
        assertThat((Integer) JsonPath.read(shown, "$.groups[0].liveSettings.maxConcurrency"))
                .isEqualTo(7);
        assertThat((Boolean) JsonPath.read(shown, "$.groups[0].paused")).isTrue();

        assertThat(http.delete(ENDPOINT + "/default?group=" + encoded).statusCode())
                .isEqualTo(200);
        assertThat(executor.liveSettings()).isEmpty();
    }

    @Test
    void allExecutorsAndPoolsAreShown() {
        String all = http.get(ENDPOINT).body();
        assertThat((Integer) JsonPath.read(all, "$.executors.default.defaultMaxConcurrency"))
                .isEqualTo(2);
        assertThat((String) JsonPath.read(all, "$.executors.default.summary")).contains("active");
        assertThat((Integer) JsonPath.read(all, "$.pools.images.maxWorkers")).isEqualTo(2);
        assertThat((Integer) JsonPath.read(all, "$.isolation.searches.maxConcurrency"))
                .isEqualTo(2);
        assertThat(all).as("unlimited").doesNotContain("2147483647", "globalMaxInFlight");
    }

    @Test
    void theGroupWhoseTasksHaveWaitedForLongestComesFirst() {
        gate.shut();
        for (String tenant : List.of("early", "late")) {
            for (int i = 0; i < 3; i++) {
                var unused = http.start(http.request("/orders?tenant=" + tenant));
            }
            awaitActive("orders:" + tenant, 2, 1);
        }
        String groups = http.get(ENDPOINT + "/default?sort=oldest&limit=2").body();
        assertThat((List<?>) JsonPath.read(groups, "$.groups[*].group"))
                .isEqualTo(List.of("orders:early", "orders:late"));
        String one = http.get(ENDPOINT + "/default?group=orders:late").body();
        assertThat((Integer) JsonPath.read(one, "$.groups[0].queued")).isEqualTo(1);
        assertThat((List<?>) JsonPath.read(one, "$.groups[0].running"))
                .as("calls run on the threads of their callers")
                .isEmpty();
    }

    @Test
    void runningTasksOfOneGroupAreShown() {
        gate.shut();
        var unused = executor.submit("shown", "import", () -> {
            gate.pass("shown");
            return 1;
        });
        eventually().untilAsserted(() -> {
            String one = http.get(ENDPOINT + "/default?group=shown").body();
            assertThat((List<?>) JsonPath.read(one, "$.groups[0].running[*].taskId"))
                    .isEqualTo(List.of("import"));
        });
    }

    @Test
    void anAnswerIsBoundedHoweverManyGroupsThereAre() throws InterruptedException {
        for (int i = 0; i < 100_000; i++) {
            executor.acquire("many " + i).close();
        }
        HttpResponse<String> response = http.get(ENDPOINT + "/default?sort=key");
        assertThat((List<?>) JsonPath.read(response.body(), "$.groups")).hasSize(50);
        assertThat((Integer) JsonPath.read(response.body(), "$.notShown")).isGreaterThanOrEqualTo(99_950);
        assertThat(response.body()).hasSizeLessThan(50_000);
    }

    @Test
    void theExecutorItselfCanBeChangedAndReset() {
        HttpResponse<String> changed =
                http.post(ENDPOINT + "/default", "{\"defaultMaxConcurrency\": 9, \"globalMaxInFlight\": 100}");
        assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
        assertThat((Integer) JsonPath.read(changed.body(), "$.executor.defaultMaxConcurrency"))
                .isEqualTo(9);
        assertThat((Integer) JsonPath.read(changed.body(), "$.executor.globalMaxInFlight"))
                .isEqualTo(100);

        String reset = http.delete(ENDPOINT + "/default").body();
        assertThat((Integer) JsonPath.read(reset, "$.executor.defaultMaxConcurrency"))
                .isEqualTo(2);
        assertThat(reset).doesNotContain("globalMaxInFlight");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"group\": \"acme\", \"maxConcurrency\": 0} | maxConcurrency must be at least 1, but is 0",
                "{\"group\": \"acme\", \"maxConcurrency\": 9, \"weight\": 0} | weight must be at least 1, but is 0",
                "{\"group\": \"acme\", \"queueThreshold\": -1} | queueThreshold must be at least 0, but is -1",
                "{\"globalMaxInFlight\": 0} | globalMaxInFlight must be at least 1, but is 0",
                "{\"group\": \"acme\"} | give a group and some of",
                "{\"group\": \"acme\", \"maxConcurency\": 5} | give a group and some of",
                "{\"maxConcurrency\": 5} | give a group and some of",
                "{\"group\": \"acme\", \"globalMaxInFlight\": 5} | give a group and some of",
                "{} | give a group and some of",
            })
    void aWrongChangeIsAnsweredWithTheReasonAndChangesNothing(String json, String reason) {
        HttpResponse<String> response = http.post(ENDPOINT + "/default", json);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat((String) JsonPath.read(response.body(), "$.error")).startsWith(reason);
        assertThat(executor.liveSettings()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"group\": \"acme\", \"maxConcurrency\": \"many\"}",
                "{\"group\": \"acme\", \"maxConcurrency\": 99999999999}",
                "{\"group\": \"acme\", \"paused\": \"perhaps\"}",
                "[1, 2]",
                "{",
            })
    void aValueOfAnotherTypeIsABadRequest(String json) {
        assertThat(http.post(ENDPOINT + "/default", json).statusCode()).isEqualTo(400);
        assertThat(executor.liveSettings()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "/default?sort=random, 'sort must be one of [active, key, oldest, queued], but is ''random'''",
        "/default?limit=0, 'limit must be from 1 to 1000, but is 0'",
        "/default?limit=100000, 'limit must be from 1 to 1000, but is 100000'",
    })
    void aWrongQuestionIsAnsweredWithTheReason(String question, String reason) {
        HttpResponse<String> response = http.get(ENDPOINT + question);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat((String) JsonPath.read(response.body(), "$.error")).isEqualTo(reason);
    }

    @Test
    void anUnknownExecutorIsNotFound() {
        assertThat(List.of(
                        http.get(ENDPOINT + "/other"),
                        http.post(ENDPOINT + "/other", "{\"group\": \"acme\", \"maxConcurrency\": 5}"),
                        http.delete(ENDPOINT + "/other?group=acme")))
                .allSatisfy(response -> {
                    assertThat(response.statusCode()).isEqualTo(404);
                    assertThat(response.body()).contains("there is no executor of this name, only [default]");
                });
    }

    @Test
    void theFilterAnswers429WhenTheGroupIsFullAndLetsOtherTenantsPass() {
        gate.shut();
        List<CompletableFuture<HttpResponse<String>>> running = List.of(
                http.start(http.request("/api/x").header("X-Tenant", "acme")),
                http.start(http.request("/api/x").header("X-Tenant", "acme")));
        awaitActive("web:acme", 2, 0);

        HttpResponse<String> rejected = http.get("/api/x", "X-Tenant", "acme");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.headers().firstValueAsLong("Retry-After")).isPresent();
        assertThat(rejected.headers().firstValue("Content-Type").orElseThrow()).startsWith("application/problem+json");
        assertThat(http.get("/api/x").statusCode()).as("no tenant").isEqualTo(400);
        assertThat(http.get("/actuator/health").statusCode())
                .as("not an URL of the filter")
                .isEqualTo(200);
        var globex = http.start(http.request("/api/x").header("X-Tenant", "globex"));
        awaitActive("web:globex", 1, 0);

        gate.open();
        assertThat(globex.join().statusCode()).isEqualTo(200);
        assertThat(running)
                .allSatisfy(response -> assertThat(response.join().statusCode()).isEqualTo(200));
    }

    @Test
    void aRejectedCallInAControllerIsAnsweredWith429() {
        gate.shut();
        for (int i = 0; i < 2; i++) {
            var unused = http.start(http.request("/strict?tenant=acme"));
        }
        awaitActive("strict:acme", 2, 0);

        HttpResponse<String> rejected = http.get("/strict?tenant=acme");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.headers().firstValueAsLong("Retry-After")).isPresent();
        assertThat((String) JsonPath.read(rejected.body(), "$.detail"))
                .isEqualTo("Too many calls of this client run at the same time.");

        executor.pauseGroup("strict:globex");
        assertThat(http.get("/strict?tenant=globex").statusCode()).isEqualTo(503);
    }

    @Test
    void aRejectedAsyncMethodIsAnsweredWith429() {
        gate.shut();
        List<CompletableFuture<HttpResponse<String>>> running =
                List.of(http.start(http.request("/mail?tenant=acme")), http.start(http.request("/mail?tenant=globex")));
        awaitActive("mails", 2, 0);

        assertThat(http.get("/mail?tenant=initech").statusCode()).isEqualTo(429);

        gate.open();
        assertThat(running)
                .allSatisfy(response -> assertThat(response.join().body()).startsWith("mail to "));
    }

    /** With everything else that Spring Cloud does then. */
    @Test
    void aChangedPropertyIsAppliedWhileTheApplicationRuns() {
        String property = "group-concurrency.executors.default.groups.changing.max-concurrency";
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("changed", Map.of(property, 6)));
        context.publishEvent(new EnvironmentChangeEvent(context, Set.of(property)));

        String group = http.get(ENDPOINT + "/default?group=changing").body();
        assertThat((Integer) JsonPath.read(group, "$.groups[0].liveSettings.maxConcurrency"))
                .isEqualTo(6);

        http.post(ENDPOINT + "/default", "{\"group\": \"changing\", \"maxConcurrency\": 9}");
        String reset = http.delete(ENDPOINT + "/default?group=changing").body();
        assertThat((Integer) JsonPath.read(reset, "$.groups[0].liveSettings.maxConcurrency"))
                .as("what the property says now")
                .isEqualTo(6);
    }

    @Test
    void theConsoleIsReadOnlyByDefault() {
        assertThat(http.get("/actuator/groupconsole/").statusCode()).isEqualTo(200);
        assertThat((Boolean) JsonPath.read(
                        http.get("/actuator/groupconsole/api/view").body(), "$.editable"))
                .isFalse();
        assertThat(http.post("/actuator/groupconsole/api/groups/default-limit", "{\"executor\": 0, \"value\": 9}")
                        .statusCode())
                .isEqualTo(405);
        assertThat(executor.defaultMaxConcurrency()).isEqualTo(2);
    }
}
