package io.github.kobe.spring.boot;

import static io.github.kobe.spring.boot.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupStats;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.spring.boot.TenantApplication.Gate;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** Do two instances of an application share their limits through a real Redis, with nothing but properties? */
class FleetApplicationTest {

    private static final String FLEET = "/actuator/groupconcurrency/groupConcurrencyFleet";

    private static RedisProcess redis;
    private static Instance first;
    private static Instance second;

    /** An instance of the application. */
    private record Instance(
            ConfigurableApplicationContext context, Http http, Gate gate, List<CompletableFuture<?>> responses) {

        static Instance start(String node) {
            ConfigurableApplicationContext context = TenantApplication.start(
                    TenantApplication.NO_SECURITY,
                    "management.endpoints.web.exposure.include=groupconcurrency,prometheus,health",
                    "management.endpoint.groupconcurrency.access=unrestricted",
                    "management.endpoint.health.show-details=always",
                    "group-concurrency.health.enabled=true",
                    "group-concurrency.executors.default.default-max-concurrency-per-group=3",
                    "group-concurrency.executors.default.shared-limits.tenant.part=1",
                    "group-concurrency.executors.default.shared-limits.tenant.max=20",
                    "group-concurrency.executors.default.shared-limits.tenant.values.tight.max=2",
                    "group-concurrency.executors.default.shared-limits.tenant.across-fleet=true",
                    "group-concurrency.executors.local.fleet=false",
                    "group-concurrency.task-executors.mails.group=mails",
                    "group-concurrency.fleet.name=orders",
                    "group-concurrency.fleet.node=" + node,
                    "group-concurrency.fleet.redis.uri=" + redis.uri(),
                    "group-concurrency.fleet.ttl=10m", // what is returned was not taken back
                    "group-concurrency.fleet.heartbeat=100ms",
                    "group-concurrency.fleet.founding=true");
            return new Instance(context, Http.to(context), context.getBean(Gate.class), new ArrayList<>());
        }

        void request(String tenant, int number) {
            for (int i = 0; i < number; i++) {
                responses.add(http.start(http.request("/orders?tenant=" + tenant)));
            }
        }

        int active(String tenant) {
            return context.getBean(GroupExecutor.class)
                    .groupStats("orders:" + tenant)
                    .map(GroupStats::activeCount)
                    .orElse(0);
        }
    }

    @BeforeAll
    static void start() {
        redis = RedisProcess.start();
        first = Instance.start("first");
        second = Instance.start("second");
    }

    @AfterAll
    static void stop() {
        first.context.close();
        second.context.close();
        redis.close();
    }

    @AfterEach
    void openGates() {
        for (Instance instance : List.of(first, second)) {
            instance.gate.open();
            instance.responses.forEach(CompletableFuture::join);
            instance.responses.clear();
        }
    }

    private static void awaitActive(String tenant, int active) {
        eventually().until(() -> first.active(tenant) + second.active(tenant), sum -> sum == active);
    }

    @Test
    void theLimitIsThatOfBothInstancesAndThePostOfOneRaisesItForBoth() {
        first.gate.shut();
        second.gate.shut();
        first.request("acme", 10);
        second.request("acme", 10);
        awaitActive("acme", 3);
        eventually().untilAsserted(() -> {
            String shown = first.http.get(FLEET + "?group=orders:acme").body();
            assertThat(JsonPath.<List<String>>read(shown, "$.nodes[*].node")).containsExactly("first", "second");
            assertThat((Integer) JsonPath.read(shown, "$.groups[0].limit")).isEqualTo(3);
            assertThat((Integer) JsonPath.read(shown, "$.groups[0].held")).isEqualTo(3);
            assertThat((Integer) JsonPath.read(shown, "$.groups[0].debt")).isZero();
            assertThat(JsonPath.<List<String>>read(shown, "$.groups[0].holders[?(@.wanted > 0)].node"))
                    .containsExactly("first", "second");
        });

        HttpResponse<String> raised = first.http.post(FLEET, "{\"group\": \"orders:acme\", \"maxConcurrency\": 8}");
        assertThat(raised.statusCode()).as(raised.body()).isEqualTo(200);
        awaitActive("acme", 8);
        eventually()
                .untilAsserted(() -> assertThat(first.http
                                        .get("/actuator/prometheus")
                                        .body()
                                + second.http.get("/actuator/prometheus").body())
                        .contains("group_concurrency_fleet_held_permits{name=\"orders\"}")
                        .contains("group_concurrency_fleet_sessions{name=\"orders\",state=\"member\"} 1.0"));

        assertThat(first.http.delete(FLEET + "?group=orders:acme").statusCode()).isEqualTo(200);
        eventually()
                .untilAsserted(() -> assertThat((Integer) JsonPath.read(
                                second.http.get(FLEET + "?group=orders:acme").body(), "$.groups[0].debt"))
                        .as("8 run, and the limit is 3 again")
                        .isEqualTo(5));
    }

    @Test
    void aSharedLimitOfTheFleetIsShownWithItsHolders() {
        first.gate.shut();
        second.gate.shut();
        first.request("tight", 3);
        eventually().until(() -> first.active("tight"), active -> active == 2);
        second.request("tight", 1);
        eventually().untilAsserted(() -> {
            String shown =
                    first.http.get(FLEET + "?sharedLimit=tenant&value=tight").body();
            assertThat(JsonPath.<List<String>>read(shown, "$.nodes[*].node")).containsExactly("first", "second");
            assertThat((Integer) JsonPath.read(shown, "$.sharedLimits[0].limit"))
                    .isEqualTo(2);
            assertThat((Integer) JsonPath.read(shown, "$.sharedLimits[0].held")).isEqualTo(2);
            assertThat((Integer) JsonPath.read(shown, "$.sharedLimits[0].heldHere"))
                    .isEqualTo(2);
            assertThat((Integer) JsonPath.read(shown, "$.sharedLimits[0].usedHere"))
                    .isEqualTo(2);
            assertThat(JsonPath.<List<String>>read(shown, "$.sharedLimits[0].holders[?(@.wanted > 0)].node"))
                    .containsExactly("first", "second");
        });
        assertThat(JsonPath.<List<String>>read(
                        second.http.get(FLEET + "?sharedLimit=tenant").body(), "$.sharedLimits[*].value"))
                .contains("tight");
        String here = second.http
                .get("/actuator/groupconcurrency/default?sharedLimit=tenant&value=tight")
                .body();
        assertThat((Integer) JsonPath.read(here, "$.sharedLimits[0].held"))
                .as("the other instance has all")
                .isZero();
        assertThat(first.http.get(FLEET + "?sharedLimit=tenant&value=unknown").statusCode())
                .isEqualTo(200);
        assertThat(first.http.get(FLEET + "?value=tight").statusCode()).isEqualTo(400);
        assertThat(first.http
                        .post(FLEET, "{\"sharedLimit\": \"tenant\", \"value\": \"tight\", \"max\": 3}")
                        .statusCode())
                .as("not by the endpoint")
                .isEqualTo(400);
    }

    @Test
    void aPauseHoldsOnBothInstances() {
        assertThat(second.http
                        .post(FLEET, "{\"group\": \"orders:paused\", \"paused\": true}")
                        .statusCode())
                .isEqualTo(200);
        first.request("paused", 1);
        eventually()
                .untilAsserted(() -> assertThat(first.http
                                .get("/actuator/groupconcurrency/default?group=orders:paused")
                                .body())
                        .contains("\"queued\":1"));
        assertThat(first.active("paused")).isZero();
        assertThat(second.http.delete(FLEET + "?group=orders:paused").statusCode())
                .isEqualTo(200);
        assertThat(first.responses.getFirst().join()).isNotNull();
    }

    @Test
    void anExecutorThatSaysSoKeepsItsLimitsToItself() {
        GroupExecutor local = first.context.getBean("local", GroupExecutor.class);
        local.submit("acme", () -> 1).join();
        assertThat(first.context.getBean(Fleet.class).stats().sessions())
                .extracting(session -> session.executor())
                .containsExactly("default");
    }

    @Test
    void theOverviewAndTheHealthHaveTheFleet() {
        first.request("globex", 1);
        eventually().untilAsserted(() -> {
            String all = first.http.get("/actuator/groupconcurrency").body();
            assertThat((String) JsonPath.read(all, "$.fleets.groupConcurrencyFleet.node"))
                    .isEqualTo("first");
            assertThat((String) JsonPath.read(all, "$.fleets.groupConcurrencyFleet.sessions[0].state"))
                    .isEqualTo("MEMBER");
            assertThat(first.http.get("/actuator/health").body())
                    .contains("\"groupConcurrencyFleet\":\"fleet 'orders': reachable\"");
        });
    }

    @Test
    void aWrongChangeOfTheFleetIsAnsweredWithTheReason() {
        for (String json : List.of(
                "{}",
                "{\"group\": \"a\"}",
                "{\"group\": \"a\", \"weight\": 2}",
                "{\"group\": \"a\", \"maxConcurrency\": 1, \"totalLimit\": 1}",
                "{\"maxConcurrency\": 1}")) {
            HttpResponse<String> response = first.http.post(FLEET, json);
            assertThat(response.statusCode()).as(json).isEqualTo(400);
            assertThat(response.body()).contains("give a group and some of maxConcurrency, paused");
        }
        assertThat(first.http
                        .post(FLEET, "{\"group\": \"a\", \"maxConcurrency\": 0}")
                        .body())
                .contains("at least 1");
        assertThat(first.http.get(FLEET + "?limit=65").statusCode()).isEqualTo(400);
        assertThat(first.http.get(FLEET + "?sort=oldest").statusCode()).isEqualTo(400);
        assertThat(first.http
                        .post("/actuator/groupconcurrency/default", "{\"totalLimit\": 1}")
                        .body())
                .contains("setting of a fleet");
        assertThat(first.http.get("/actuator/groupconcurrency/none").body())
                .contains("[default, local] and the fleets [groupConcurrencyFleet]");
    }

    @Test
    void anInstanceThatIsClosedReturnsItsPermitsAtOnce() {
        Instance third = Instance.start("third");
        third.request("leaving", 3);
        third.responses.forEach(CompletableFuture::join);
        eventually()
                .untilAsserted(() -> assertThat(
                                first.http.get(FLEET + "?group=orders:leaving").body())
                        .contains("\"third\""));
        third.context.close();
        eventually()
                .untilAsserted(() -> assertThat(
                                first.http.get(FLEET + "?group=orders:leaving").body())
                        .doesNotContain("\"third\""));
    }
}
