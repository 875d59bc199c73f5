package io.github.kobe.spring.boot;

import static io.github.kobe.spring.boot.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import io.github.kobe.GroupExecutor;
import io.github.kobe.SharedLimitStats;
import io.github.kobe.spring.boot.TenantApplication.Gate;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Does a real application keep the shared limits of its properties, show them, and change them by HTTP? */
class SharedLimitApplicationTest {

    private static final String ENDPOINT = "/actuator/groupconcurrency/default";
    private static final String ACME = "?sharedLimit=tenant&value=acme";

    private static ConfigurableApplicationContext context;
    private static Http http;
    private static Gate gate;
    private static GroupExecutor executor;

    @BeforeAll
    static void start() {
        context = TenantApplication.start(
                TenantApplication.NO_SECURITY,
                "management.endpoints.web.exposure.include=groupconcurrency,prometheus",
                "management.endpoint.groupconcurrency.access=unrestricted",
                "group-concurrency.executors.default.default-max-concurrency-per-group=10",
                "group-concurrency.executors.default.shared-limits.tenant.part=1",
                "group-concurrency.executors.default.shared-limits.tenant.max=2",
                "group-concurrency.executors.default.shared-limits.tenant.values.big.max=4",
                "group-concurrency.executors.default.shared-limits.kind.key-pattern=([a-z]+):.*",
                "group-concurrency.task-executors.mails.group=mails",
                "group-concurrency.metrics.shared-limits=acme",
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
        executor.liveSharedLimits().forEach(live -> executor.resetSharedLimit(live.name(), live.value()));
        eventually()
                .untilAsserted(
                        () -> assertThat(executor.stats().totalActiveCount()).isZero());
    }

    private static SharedLimitStats acme() {
        return executor.sharedLimitStats("tenant", "acme").orElseThrow();
    }

    /** Two requests of a tenant run in different groups, and one waits. */
    private static List<CompletableFuture<HttpResponse<String>>> fill() {
        gate.shut();
        List<CompletableFuture<HttpResponse<String>>> responses = new ArrayList<>();
        responses.add(http.start(http.request("/orders?tenant=acme")));
        responses.add(http.start(http.request("/api/x").header("X-Tenant", "acme")));
        eventually().untilAsserted(() -> assertThat(acme().activeCount()).isEqualTo(2));
        responses.add(http.start(http.request("/orders?tenant=acme")));
        eventually().untilAsserted(() -> assertThat(acme().waitingGroupCount()).isEqualTo(1));
        return responses;
    }

    @Test
    void groupsOfATenantShareItsLimitAndAPostRaisesIt() {
        List<CompletableFuture<HttpResponse<String>>> responses = fill();

        HttpResponse<String> rejected = http.get("/strict?tenant=acme");
        assertThat(rejected.statusCode()).isEqualTo(503);
        assertThat(rejected.headers().firstValueAsLong("Retry-After")).isPresent();
        HttpResponse<String> filtered = http.get("/api/x", "X-Tenant", "acme");
        assertThat(filtered.statusCode()).isEqualTo(503);
        assertThat(filtered.headers().firstValueAsLong("Retry-After")).isPresent();
        assertThat(filtered.body()).doesNotContain("acme");

        String shown = http.get(ENDPOINT + ACME).body();
        assertThat((Integer) JsonPath.read(shown, "$.sharedLimits[0].active")).isEqualTo(2);
        assertThat((Integer) JsonPath.read(shown, "$.sharedLimits[0].max")).isEqualTo(2);
        assertThat((Integer) JsonPath.read(shown, "$.sharedLimits[0].waitingGroups"))
                .isEqualTo(1);
        assertThat((List<?>) JsonPath.read(shown, "$.sharedLimits[0].waitingGroupKeys"))
                .isEqualTo(List.of("orders:acme"));
        assertThat((Boolean) JsonPath.read(shown, "$.sharedLimits[0].changedByHand"))
                .isFalse();
        String group = http.get(ENDPOINT + "?group=orders:acme").body();
        assertThat((List<?>) JsonPath.read(group, "$.sharedLimits[*].sharedLimit"))
                .isEqualTo(executor.sharedLimitNames());
        eventually()
                .untilAsserted(() -> assertThat(http.get("/actuator/prometheus").body())
                        .contains(
                                "group_concurrency_shared_active_permits{limit=\"tenant\",name=\"default\",value=\"acme\"} 2.0",
                                "group_concurrency_shared_limit_permits{limit=\"tenant\",name=\"default\",value=\"acme\"} 2.0",
                                "group_concurrency_shared_waiting_groups{limit=\"tenant\",name=\"default\",value=\"acme\"} 1.0")
                        .doesNotContain("value=\"orders\""));

        HttpResponse<String> raised =
                http.post(ENDPOINT, "{\"sharedLimit\": \"tenant\", \"value\": \"acme\", \"max\": 3}");
        assertThat(raised.statusCode()).as(raised.body()).isEqualTo(200);
        assertThat((Integer) JsonPath.read(raised.body(), "$.sharedLimits[0].liveMax"))
                .isEqualTo(3);
        assertThat((Boolean) JsonPath.read(raised.body(), "$.sharedLimits[0].changedByHand"))
                .isTrue();
        eventually().untilAsserted(() -> assertThat(acme().activeCount()).isEqualTo(3));

        String reset = http.delete(ENDPOINT + ACME).body();
        assertThat((Integer) JsonPath.read(reset, "$.sharedLimits[0].max")).isEqualTo(2);
        assertThat(executor.liveSharedLimits()).isEmpty();
        gate.open();
        assertThat(responses)
                .allSatisfy(response -> assertThat(response.join().statusCode()).isEqualTo(200));
    }

    @Test
    void aValueIsPausedAndResumed() {
        assertThat(http.post(ENDPOINT, "{\"sharedLimit\": \"tenant\", \"value\": \"acme\", \"paused\": true}")
                        .statusCode())
                .isEqualTo(200);
        CompletableFuture<HttpResponse<String>> waits = http.start(http.request("/orders?tenant=acme"));
        eventually().untilAsserted(() -> assertThat(acme().waitingGroupCount()).isEqualTo(1));
        assertThat(http.get("/orders?tenant=globex").body()).isEqualTo("orders of globex");
        assertThat(waits).isNotDone();
        assertThat(http.post(ENDPOINT, "{\"sharedLimit\": \"tenant\", \"value\": \"acme\", \"paused\": false}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(waits.join().body()).isEqualTo("orders of acme");
    }

    @Test
    void aValueThatIsNotInUseCanBeChangedAndIsShown() {
        http.post(ENDPOINT, "{\"sharedLimit\": \"tenant\", \"value\": \"a/b ü\", \"max\": 9, \"paused\": true}");
        String shown = http.get(ENDPOINT + "?sharedLimit=tenant&value=" + Http.encode("a/b ü"))
                .body();
        assertThat((List<?>) JsonPath.read(shown, "$.sharedLimits[?(@.value == 'a/b ü')].liveMax"))
                .isEqualTo(List.of(9));
        assertThat((List<?>) JsonPath.read(shown, "$.sharedLimits[?(@.value == 'a/b ü')].paused"))
                .isEqualTo(List.of(true));
        http.delete(ENDPOINT + "?sharedLimit=tenant&value=" + Http.encode("a/b ü"));
        assertThat(executor.liveSharedLimits()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"sharedLimit\": \"tenant\", \"value\": \"acme\", \"max\": 0} | max must be at least 1, but is 0",
                "{\"sharedLimit\": \"region\", \"value\": \"eu\", \"max\": 5} | there is no shared limit 'region'",
                "{\"sharedLimit\": \"region\", \"value\": \"eu\", \"paused\": true} | there is no shared limit 'region'",
                "{\"sharedLimit\": \"tenant\", \"value\": \"acme\"} | give sharedLimit, value, and some of",
                "{\"sharedLimit\": \"tenant\", \"max\": 4} | give sharedLimit, value, and some of",
                "{\"value\": \"acme\", \"max\": 4} | give sharedLimit, value, and some of",
                "{\"group\": \"acme\", \"max\": 4} | give sharedLimit, value, and some of",
                "{\"sharedLimit\": \"tenant\", \"value\": \"acme\", \"max\": 4, \"weight\": 2} | give sharedLimit, value, and some of",
            })
    void aWrongChangeIsAnsweredWithTheReasonAndChangesNothing(String json, String reason) {
        HttpResponse<String> response = http.post(ENDPOINT, json);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat((String) JsonPath.read(response.body(), "$.error")).startsWith(reason);
        assertThat(executor.liveSharedLimits()).isEmpty();
        assertThat(executor.liveSettings()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "?value=acme, value is of a sharedLimit",
        "?sharedLimit=tenant&value=acme&group=orders:acme, give a group or a sharedLimit",
    })
    void aWrongQuestionIsAnsweredWithTheReason(String question, String reason) {
        for (HttpResponse<String> response : List.of(http.get(ENDPOINT + question), http.delete(ENDPOINT + question))) {
            assertThat(response.statusCode()).isEqualTo(400);
            assertThat((String) JsonPath.read(response.body(), "$.error")).startsWith(reason);
        }
        assertThat(http.delete(ENDPOINT + "?sharedLimit=tenant").statusCode()).isEqualTo(400);
    }

    @Test
    void anAnswerIsBoundedHoweverManyValuesThereAre() throws InterruptedException {
        for (int i = 0; i < 300; i++) {
            executor.acquire("many:" + i).close();
        }
        String shown = http.get(ENDPOINT + "?sharedLimit=tenant&limit=20").body();
        assertThat((List<?>) JsonPath.read(shown, "$.sharedLimits")).hasSize(20);
        assertThat((Integer) JsonPath.read(shown, "$.notShown")).isGreaterThanOrEqualTo(280);
    }

    @Test
    void theEndpointIsReadOnlyUnlessItsAccessIsChanged() {
        try (ConfigurableApplicationContext other = TenantApplication.start(
                TenantApplication.NO_SECURITY,
                "management.endpoints.web.exposure.include=groupconcurrency",
                "group-concurrency.executors.default.shared-limits.tenant.part=1",
                "group-concurrency.task-executors.mails.group=mails")) {
            Http readOnly = Http.to(other);
            assertThat(readOnly.get(ENDPOINT + "?sharedLimit=tenant").statusCode())
                    .isEqualTo(200);
            assertThat(readOnly.post(ENDPOINT, "{\"sharedLimit\": \"tenant\", \"value\": \"acme\", \"max\": 3}")
                            .statusCode())
                    .isEqualTo(405);
            assertThat(readOnly.delete(ENDPOINT + ACME).statusCode()).isEqualTo(405);
            assertThat(other.getBean(GroupExecutor.class).liveSharedLimits()).isEmpty();
        }
    }
}
