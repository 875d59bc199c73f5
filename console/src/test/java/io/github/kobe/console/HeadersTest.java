package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.console.RawClient.Answer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does every answer have the headers that protect the page? */
@Timeout(60)
class HeadersTest {

    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
                    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    @Test
    void everyAnswerHasThem() throws IOException {
        try (GroupExecutor executor = ConsoleKit.executor(b -> b);
                Site site = Site.of(Console.builder().add(executor))) {
            List<Answer> answers = new ArrayList<>(List.of(
                    site.get("/"),
                    site.get("/console.js"),
                    site.get("/console.css"),
                    site.get("/api/view"),
                    site.get("/api/view?size=0"),
                    site.get("/nothing"),
                    site.post("/api/group/limit", "{}"),
                    RawClient.send(site.port(), "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
                    RawClient.send(
                            site.port(), "GET /api/view HTTP/1.1\r\nHost: 127.0.0.1:" + site.port() + "\r\n\r\n")));
            try (RawClient stream = site.stream("")) {
                Answer answer = stream.readAnswer();
                assertThat(answer.header("content-type")).isEqualTo("text/event-stream; charset=utf-8");
                assertThat(answer.header("x-accel-buffering")).isEqualTo("no");
                answers.add(answer);
            }
            assertThat(answers)
                    .extracting(Answer::status)
                    .containsExactly(200, 200, 200, 200, 400, 404, 405, 403, 401, 200);
            assertThat(answers).allSatisfy(answer -> {
                assertThat(answer.header("content-security-policy")).isEqualTo(POLICY);
                assertThat(answer.header("x-content-type-options")).isEqualTo("nosniff");
                assertThat(answer.header("referrer-policy")).isEqualTo("no-referrer");
                assertThat(answer.header("cache-control")).isEqualTo("no-store");
                assertThat(answer.header("cross-origin-resource-policy")).isEqualTo("same-origin");
                assertThat(answer.header("cross-origin-opener-policy")).isEqualTo("same-origin");
                assertThat(answer.header("content-type")).isNotNull();
            });
        }
    }
}
