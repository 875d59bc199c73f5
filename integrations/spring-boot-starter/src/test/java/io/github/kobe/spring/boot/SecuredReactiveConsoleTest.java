package io.github.kobe.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** Do the rules of Spring Security apply to the console of a WebFlux application? */
class SecuredReactiveConsoleTest {

    private static final String CONSOLE = "/actuator/groupconsole";
    private static final String CHANGE = "{\"executor\": 0, \"value\": 9}";
    private static final String CREDENTIALS =
            "Basic " + Base64.getEncoder().encodeToString("user:secret".getBytes(StandardCharsets.UTF_8));

    private static ConfigurableApplicationContext context;
    private static Http http;

    @BeforeAll
    static void start() {
        context = ReactiveApplication.start(
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
    void theConsoleNeedsCredentials() {
        for (String path : List.of("", "/", "/console.js", "/api/view", "/api/stream")) {
            assertThat(http.get(CONSOLE + path, "Accept", "application/json").statusCode())
                    .as(path)
                    .isEqualTo(401);
        }
        assertThat(http.get(CONSOLE + "/", "Authorization", CREDENTIALS).body()).contains("console.js");
    }

    @Test
    void theConsoleTellsItsPageTheCsrfTokenAndRecordsTheUser() {
        assertThat(http.post(CONSOLE + "/api/groups/default-limit", CHANGE, "Authorization", CREDENTIALS)
                        .statusCode())
                .as("no CSRF token")
                .isEqualTo(403);

        HttpResponse<String> view = http.get(CONSOLE + "/api/view", "Authorization", CREDENTIALS);
        String session = view.headers().allValues("Set-Cookie").getLast().split(";", 2)[0];
        HttpResponse<String> changed = http.post(
                CONSOLE + "/api/groups/default-limit",
                CHANGE,
                "Authorization",
                CREDENTIALS,
                "Cookie",
                session,
                view.headers().firstValue("X-Csrf-Header").orElseThrow(),
                view.headers().firstValue("X-Csrf-Token").orElseThrow());

        assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
        assertThat(changed.body()).contains("\"who\":\"user at 127.0.0.1\"");
        assertThat(context.getBean(GroupExecutor.class).defaultMaxConcurrency()).isEqualTo(9);
    }
}
