package io.github.kobe.spring.boot;

import static io.github.kobe.spring.boot.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import io.github.kobe.GroupExecutor;
import java.net.http.HttpResponse;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.ConfigurableApplicationContext;

/** What a console on the management port does, whatever web server the application has. It is editable, there is no security, and "ops.example.com" is allowed. */
abstract class ConsoleContract {

    static final String[] PROPERTIES = {
        TenantApplication.NO_SECURITY,
        "spring.application.name=shop",
        "management.server.port=0",
        "management.server.address=127.0.0.1",
        "server.shutdown=graceful",
        "group-concurrency.executors.default.default-max-concurrency-per-group=4",
        "group-concurrency.pools.images.max-workers=2",
        "group-concurrency.isolation.searches.max-concurrency=2",
        "group-concurrency.console.enabled=true",
        "group-concurrency.console.editable=true",
        "group-concurrency.console.allowed-hosts=ops.example.com"
    };

    abstract ConfigurableApplicationContext context();

    private ConsoleClient console() {
        return managementPort(context());
    }

    static ConsoleClient managementPort(ConfigurableApplicationContext context) {
        return ConsoleClient.at(context.getEnvironment().getRequiredProperty("local.management.port", Integer.class));
    }

    @Test
    void thePageComesFromTheManagementPortAlone() {
        HttpResponse<String> page = console().get("/");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body()).contains("<title>group-concurrency</title>");
        assertThat(page.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/html"));
        assertThat(page.headers().firstValue("Content-Security-Policy"))
                .hasValueSatisfying(policy -> assertThat(policy).contains("default-src 'none'"));
        assertThat(console().get("/console.js").body()).contains("function render");
        assertThat(console().get("/console.css").statusCode()).isEqualTo(200);
        assertThat(console().get("/none").statusCode()).isEqualTo(404);
        assertThat(Http.to(context()).get("/actuator/groupconsole/").statusCode())
                .isEqualTo(404);
    }

    @Test
    void withoutTheSlashAtTheEndTheBrowserIsSentThere() {
        HttpResponse<String> answer = console().get("");
        assertThat(answer.statusCode()).isEqualTo(308);
        assertThat(answer.headers().firstValue("Location")).contains("groupconsole/");
    }

    @Test
    void allExecutorsAreShown() {
        String groups = console().get("/api/view").body();
        assertThat((String) JsonPath.read(groups, "$.title")).isEqualTo("shop");
        assertThat((String) JsonPath.read(groups, "$.groups.executors[0].name")).isEqualTo("default");
        assertThat((Integer) JsonPath.read(groups, "$.tabs.pools")).isEqualTo(1);
        assertThat((Integer) JsonPath.read(groups, "$.tabs.isolation")).isEqualTo(1);
        assertThat((Boolean) JsonPath.read(groups, "$.editable")).isTrue();
    }

    @Test
    void aChangeIsMadeAndRecorded() {
        HttpResponse<String> changed = console().post("/api/groups/default-limit", "{\"executor\": 0, \"value\": 7}");
        assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
        GroupExecutor executor = context().getBean(GroupExecutor.class);
        assertThat(executor.defaultMaxConcurrency()).isEqualTo(7);
        assertThat((String) JsonPath.read(console().get("/api/view?tab=changes").body(), "$.changes[0].who"))
                .isEqualTo("anonymous at 127.0.0.1");
        executor.setDefaultMaxConcurrency(4);

        assertThat(console()
                        .post("/api/groups/default-limit", "{\"executor\": 0, \"value\": 0}")
                        .statusCode())
                .isEqualTo(400);
        assertThat(console()
                        .post("/api/groups/default-limit", "[" + "1,".repeat(100_000) + "1]")
                        .statusCode())
                .isEqualTo(413);
    }

    @ParameterizedTest
    @ValueSource(strings = {"evil.example", "evil.example:80", "localhost.evil.example", "", "127.0.0.1.evil.example"})
    void nobodyIsAnsweredByAnotherName(String host) {
        String answer = console().raw("GET /actuator/groupconsole/api/view HTTP/1.1\r\nHost: " + host + "\r\n");
        assertThat(answer).containsAnyOf(" 403", " 400");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "LOCALHOST:80", "127.0.0.1:5", "[::1]:9", "ops.example.com"})
    void loopbackNamesAndConfiguredOnesAreAnswered(String host) {
        assertThat(console().raw("GET /actuator/groupconsole/api/view HTTP/1.1\r\nHost: " + host + "\r\n"))
                .contains(" 200");
    }

    @Test
    void aPageOfAnotherSiteIsRefused() {
        assertThat(console()
                        .post(
                                "/api/groups/default-limit",
                                "{\"executor\": 0, \"value\": 7}",
                                "Origin",
                                "http://evil.example")
                        .statusCode())
                .isEqualTo(403);
        assertThat(console()
                        .post("/api/groups/default-limit", "value=7", "Content-Type", "text/plain")
                        .statusCode())
                .isIn(400, 415);
        assertThat(context().getBean(GroupExecutor.class).defaultMaxConcurrency())
                .isEqualTo(4);
    }

    @Test
    void aStreamSendsEventsAsTheyComeUntilTheClientLeaves() throws Exception {
        ConsoleClient.Stream stream = console().stream();
        for (int i = 0; i < 2; i++) {
            assertThat(stream.events().poll(1, TimeUnit.MINUTES)).startsWith("data: {");
        }
        stream.end().cancel(true);
    }

    /** The last test: it closes the context. */
    static void streamsEndBeforeTheServerWaitsForThem(ConfigurableApplicationContext context, CapturedOutput output)
            throws Exception {
        ConsoleClient.Stream stream = managementPort(context).stream();
        assertThat(stream.events().poll(1, TimeUnit.MINUTES)).startsWith("data: {");
        context.close();
        eventually().until(stream.end()::isDone);
        assertThat(output).contains("Graceful shutdown complete").doesNotContain("Graceful shutdown aborted");
    }
}
