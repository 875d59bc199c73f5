package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Can clients that never finish a request take more and more threads? */
@Timeout(60)
class RequestLimitTest {

    @Test
    void requestsBeyondTheMaximumAreClosedUntilOthersEnd() throws IOException {
        try (GroupExecutor executor = ConsoleKit.executor(b -> b);
                Site site = Site.of(Console.builder().add(executor))) {
            List<RawClient> slow = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                RawClient client = RawClient.connect(site.port());
                client.write("GET / HTTP/1.1\r\nHost: ");
                slow.add(client);
            }
            ConsoleKit.eventually(() -> assertThat(isAnswered(site)).isFalse());
            for (RawClient client : slow) {
                client.close();
            }
            ConsoleKit.eventually(() -> assertThat(isAnswered(site)).isTrue());
        }
    }

    private static boolean isAnswered(Site site) {
        try {
            return site.get("/").status() == 200;
        } catch (UncheckedIOException e) {
            return false; // the connection was closed
        }
    }
}
