package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.console.RawClient.Answer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which names may a browser know the console by? A page of another site can give its own name this machine's address. */
@Timeout(60)
class HostTest {

    private final GroupExecutor executor = ConsoleKit.executor(b -> b);
    private final Site site =
            Site.of(Console.builder().add(executor).editable(true).allowedHost("Ops.example.com:8443"));

    @AfterEach
    void close() {
        site.close();
        executor.close();
    }

    private Answer request(String path, String hostLines) {
        return RawClient.send(
                site.port(),
                "GET " + path + " HTTP/1.1\r\n" + hostLines + "Authorization: Bearer " + site.token()
                        + "\r\nConnection: close\r\n\r\n");
    }

    private Answer byName(String host) {
        return request("/api/view", "Host: " + host + "\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:PORT", "localhost:PORT", "LOCALHOST:PORT", "[::1]:PORT", "ops.example.com:8443"})
    void loopbackNamesWithThePortAndConfiguredNamesAreAllowed(String host) {
        assertThat(byName(host.replace("PORT", "" + site.port())).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "evil.example:PORT",
                "localhost",
                "127.0.0.1",
                "localhost:1",
                "localhost.evil.example:PORT",
                "127.0.0.1:PORT.evil.example",
                "127.0.0.2:PORT",
                "localhost.:PORT",
                "ops.example.com",
                "ops.example.com:PORT",
                ""
            })
    void otherNamesAreRefused(String host) {
        Answer answer = byName(host.replace("PORT", "" + site.port()));
        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.body()).contains("allowedHost");
    }

    @Test
    void filesOfThePageAreRefusedToo() {
        assertThat(request("/", "Host: evil.example\r\n").status()).isEqualTo(403);
        assertThat(request("/console.js", "Host: evil.example\r\n").status()).isEqualTo(403);
    }

    @Test
    void requestWithoutANameOrWithTwoIsRefused() {
        String own = "Host: 127.0.0.1:" + site.port() + "\r\n";
        assertThat(request("/api/view", "").status()).isIn(400, 403);
        assertThat(request("/api/view", own + "Host: evil.example\r\n").status())
                .isIn(400, 403);
        assertThat(request("/api/view", own + own).status()).isIn(400, 403);
    }

    @Test
    void refusalIsLogged() {
        try (ConsoleKit.Log log = new ConsoleKit.Log()) {
            byName("evil.example");
            assertThat(log.lines()).containsExactly("WARNING console: 403 for GET /api/view from 127.0.0.1");
        }
    }
}
