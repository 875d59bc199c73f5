package io.github.kobe.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.context.ConfigurableApplicationContext;

/** Who may change limits if Spring Security, as Spring Boot configures it, guards the endpoint? */
class SecuredApplicationTest {

    private static final String ENDPOINT = "/actuator/groupconcurrency/default";
    private static final String CHANGE = "{\"group\": \"acme\", \"maxConcurrency\": 5}";
    private static final String CREDENTIALS =
            "Basic " + Base64.getEncoder().encodeToString("user:secret".getBytes(StandardCharsets.UTF_8));

    private static ConfigurableApplicationContext context;
    private static Http http;

    @BeforeAll
    static void start() {
        context = TenantApplication.start(
                "management.endpoints.web.exposure.include=groupconcurrency",
                "management.endpoint.groupconcurrency.access=unrestricted",
                "group-concurrency.console.enabled=true",
                "group-concurrency.console.editable=true",
                "spring.security.user.password=secret");
        http = Http.to(context);
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @Test
    void withoutCredentialsNothingIsShownOrChanged() {
        assertThat(http.get(ENDPOINT, "Accept", "application/json").statusCode())
                .isEqualTo(401);
        assertThat(http.post(ENDPOINT, CHANGE).statusCode()).isIn(401, 403);
        assertThat(context.getBean(GroupExecutor.class).liveSettings()).isEmpty();
    }

    @Test
    void withCredentialsAloneLimitsAreShownButNotChanged() {
        assertThat(http.get(ENDPOINT, "Authorization", CREDENTIALS).statusCode())
                .isEqualTo(200);
        assertThat(http.post(ENDPOINT, CHANGE, "Authorization", CREDENTIALS).statusCode())
                .as("no CSRF token")
                .isIn(401, 403);
        assertThat(context.getBean(GroupExecutor.class).liveSettings()).isEmpty();
    }

    @Test
    void withACsrfTokenLimitsAreChanged() {
        HttpResponse<String> page = http.get("/login", "Accept", "text/html");
        Matcher token = Pattern.compile("name=\"_csrf\"[^>]*value=\"([^\"]+)\"").matcher(page.body());
        assertThat(token.find()).as(page.body()).isTrue();
        String session = page.headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0];

        HttpResponse<String> changed = http.post(
                ENDPOINT, CHANGE, "Authorization", CREDENTIALS, "Cookie", session, "X-CSRF-TOKEN", token.group(1));

        assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
        GroupExecutor executor = context.getBean(GroupExecutor.class);
        assertThat(executor.liveSettings().get("acme")).hasToString("max concurrency 5");
        executor.resetGroup("acme");
    }

    private static final String CONSOLE = "/actuator/groupconsole";
    private static final String CONSOLE_CHANGE = "{\"executor\": 0, \"value\": 9}";

    @Test
    void theConsoleNeedsCredentials() {
        for (String path : List.of("", "/", "/console.js", "/api/view", "/api/stream")) {
            assertThat(http.get(CONSOLE + path, "Accept", "application/json").statusCode())
                    .as(path)
                    .isEqualTo(401);
        }
        assertThat(http.get(CONSOLE + "/", "Authorization", CREDENTIALS).body()).contains("console.js");
        assertThat(http.get(CONSOLE + "/api/view", "Authorization", CREDENTIALS).statusCode())
                .isEqualTo(200);
    }

    @Test
    void theConsoleTellsItsPageTheCsrfTokenAndRecordsTheUser() {
        assertThat(http.post(CONSOLE + "/api/groups/default-limit", CONSOLE_CHANGE, "Authorization", CREDENTIALS)
                        .statusCode())
                .as("no CSRF token")
                .isIn(401, 403);

        HttpResponse<String> view = http.get(CONSOLE + "/api/view", "Authorization", CREDENTIALS);
        String session = view.headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0];
        HttpResponse<String> changed = http.post(
                CONSOLE + "/api/groups/default-limit",
                CONSOLE_CHANGE,
                "Authorization",
                CREDENTIALS,
                "Cookie",
                session,
                view.headers().firstValue("X-Csrf-Header").orElseThrow(),
                view.headers().firstValue("X-Csrf-Token").orElseThrow());

        assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
        assertThat(changed.body()).contains("\"who\":\"user at 127.0.0.1\"");
        GroupExecutor executor = context.getBean(GroupExecutor.class);
        assertThat(executor.defaultMaxConcurrency()).isEqualTo(9);
        executor.setDefaultMaxConcurrency(1);
    }

    @Test
    void rulesForEndpointsIncludeTheConsole() {
        assertThat(context.getBean(PathMappedEndpoints.class).getAllPaths()).contains(CONSOLE);
        assertThat(context.getBean(PathMappedEndpoints.class).getPath(EndpointId.of("groupconsole")))
                .isEqualTo(CONSOLE);
    }
}
