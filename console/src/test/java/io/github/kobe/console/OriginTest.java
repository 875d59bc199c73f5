package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.console.ConsoleKit.Blocker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Can a page of another site use the console through the browser of an operator? */
@Timeout(60)
class OriginTest {

    private final GroupExecutor executor = ConsoleKit.executor(b -> b);
    private final Site site =
            Site.of(Console.builder().add(executor).editable(true).allowedHost("ops.example.com"));
    private Blocker blocker;

    @BeforeEach
    void group() {
        blocker = Blocker.in(executor, "a", 1);
    }

    @AfterEach
    void close() {
        blocker.release();
        site.close();
        executor.close();
    }

    private int change(String... originLines) {
        String body = Site.change("a", "7");
        StringBuilder request = new StringBuilder(site.request("POST", "/api/group/limit"))
                .append("Content-Type: application/json\r\nContent-Length: ")
                .append(body.length())
                .append("\r\n");
        for (String origin : originLines) {
            request.append("Origin: ")
                    .append(origin.replace("PORT", "" + site.port()))
                    .append("\r\n");
        }
        return RawClient.send(site.port(), request + "\r\n" + body).status();
    }

    private int limit() {
        return executor.groupStats("a").orElseThrow().limit();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.1:PORT",
                "https://127.0.0.1:PORT",
                "http://localhost:PORT",
                "https://ops.example.com"
            })
    void pageOfTheConsoleMayChangeIt(String origin) {
        assertThat(change(origin)).isEqualTo(200);
        assertThat(limit()).isEqualTo(7);
    }

    @Test
    void programWithoutAnOriginMayChangeIt() {
        assertThat(change()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://evil.example",
                "http://127.0.0.1:1",
                "http://127.0.0.1",
                "http://evil.example:PORT",
                "http://127.0.0.1:PORT.evil.example",
                "file://127.0.0.1:PORT",
                "127.0.0.1:PORT",
                "null",
                ""
            })
    void pageOfAnotherSiteMayNot(String origin) {
        assertThat(change(origin)).isEqualTo(403);
        assertThat(limit()).isEqualTo(1);
    }

    @Test
    void twoOriginsAreRefused() {
        assertThat(change("http://127.0.0.1:PORT", "http://evil.example")).isEqualTo(403);
        assertThat(limit()).isEqualTo(1);
    }

    @Test
    void readingIsRefusedToo() {
        assertThat(RawClient.send(site.port(), site.request("GET", "/api/view") + "Origin: http://evil.example\r\n\r\n")
                        .status())
                .isEqualTo(403);
    }

    /** A browser asks first before it sends JSON to another site. Nobody agrees. */
    @Test
    void browserThatAsksForPermissionGetsNone() {
        var answer = RawClient.send(
                site.port(),
                site.request("OPTIONS", "/api/group/limit")
                        + "Origin: http://127.0.0.1:" + site.port()
                        + "\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type\r\n\r\n");
        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.headers())
                .allSatisfy((name, value) -> assertThat(name).doesNotStartWith("access-control-"));
    }

    /** A form of another site is sent without asking, but it cannot be JSON. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Type: text/plain\r\n",
                "Content-Type: application/x-www-form-urlencoded\r\n",
                "Content-Type: multipart/form-data; boundary=application/json\r\n",
                "Content-Type: application/json\r\nContent-Type: text/plain\r\n",
                ""
            })
    void formIsRefused(String contentType) {
        String body = Site.change("a", "7");
        assertThat(RawClient.send(
                                site.port(),
                                site.request("POST", "/api/group/limit") + contentType + "Content-Length: "
                                        + body.length() + "\r\n\r\n" + body)
                        .status())
                .isEqualTo(415);
        assertThat(limit()).isEqualTo(1);
    }
}
