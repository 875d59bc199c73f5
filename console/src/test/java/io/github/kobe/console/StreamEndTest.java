package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does a stream outlive the right of its user to see it? */
@Timeout(60)
class StreamEndTest {

    @Test
    void userWhoMayNotUseTheConsoleAnyMoreLosesTheStream() throws IOException {
        AtomicBoolean isWelcome = new AtomicBoolean(true);
        try (GroupExecutor executor = ConsoleKit.executor(b -> b);
                Console console = Console.builder()
                        .add(executor)
                        .authenticator(exchange -> isWelcome.get() ? "eva" : null)
                        .every(Duration.ofMillis(10))
                        .longestStream(Duration.ofMillis(200))
                        .start()) {
            String request = "GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:" + console.port() + "\r\n\r\n";
            try (RawClient client = RawClient.connect(console.port())) {
                client.write(request);
                assertThat(client.readAnswer().status()).isEqualTo(200);
                isWelcome.set(false);
                ConsoleKit.eventually(
                        () -> assertThat(console.handler().streamCount()).isZero());
                assertThat(client.readsEndOfStream()).isTrue();
            }
            assertThat(RawClient.send(console.port(), request).status()).isEqualTo(403);
        }
        assertThat(Streams.LONGEST).isEqualTo(Duration.ofMinutes(10));
    }
}
