package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Can requests that the console does not answer fill the log? */
@Timeout(60)
class HeadRequestTest {

    /** The JDK's server warns of a body that it does not send, each time. */
    @Test
    void requestsWithTheMethodHeadAreRefusedWithoutAWordInTheLog() throws IOException {
        List<String> lines = new CopyOnWriteArrayList<>();
        Logger root = Logger.getLogger("");
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                lines.add(entry.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        try (GroupExecutor executor = ConsoleKit.executor(b -> b);
                Site site = Site.of(Console.builder().add(executor));
                RawClient client = RawClient.connect(site.port())) {
            root.addHandler(handler);
            for (int i = 0; i < 3; i++) { // on one connection, so a body would be taken for the next answer
                client.write("HEAD / HTTP/1.1\r\nHost: 127.0.0.1:" + site.port() + "\r\n\r\n");
                RawClient.Answer answer = client.readAnswer();
                assertThat(answer.status()).isEqualTo(405);
                assertThat(answer.header("content-security-policy")).isNotNull();
            }
            assertThat(lines).isEmpty();
        } finally {
            root.removeHandler(handler);
        }
    }
}
