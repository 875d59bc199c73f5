package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Can clients that begin requests, and stay without finishing them, keep others out or stop the application? */
@Timeout(60)
class UnfinishedRequestTest {

    private static final int MAX = 200;

    private static boolean isAnswered(Site site) {
        try {
            return site.get("/").status() == 200;
        } catch (UncheckedIOException e) {
            return false; // the connection was closed
        }
    }

    /** None of them has the token. The second kind gets its answer, and then the server waits for the rest of the body. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: ",
                "POST /api/group/limit HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 60000\r\n\r\n{"
            })
    void theyAreDroppedWhenAnotherRequestNeedsTheirPlaceAndAStreamIsNot(String half) throws IOException {
        List<RawClient> slow = new ArrayList<>();
        try (GroupExecutor executor = ConsoleKit.executor(b -> b);
                Site site = Site.of(Console.builder()
                        .add(executor)
                        .every(Duration.ofMillis(20))
                        .stalledAfter(Duration.ofMillis(500)));
                RawClient stream = site.stream("")) {
            assertThat(stream.readAnswer().status()).isEqualTo(200);
            for (int i = 0; i < MAX; i++) {
                RawClient client = RawClient.connect(site.port());
                client.write(half.replace("PORT", "" + site.port()));
                slow.add(client);
            }
            ConsoleKit.eventually(() -> assertThat(isAnswered(site)).isTrue());
            executor.submit("late", "t", () -> 1).join();
            ConsoleKit.eventually(() -> assertThat(
                            ConsoleKit.json(stream.readEvent()).get("groups").get("rows"))
                    .as("the stream goes on")
                    .hasSize(1));
        } finally {
            for (RawClient client : slow) {
                client.close();
            }
        }
    }

    /**
     * The JDK's server waits for its clients in synchronized methods. Before JDK 24, a virtual thread that waits there keeps one of the few threads that run the
     * virtual threads of the application.
     */
    @Test
    void requestsAreNotReadOnVirtualThreads() {
        Queue<Thread> threads = new ConcurrentLinkedQueue<>();
        try (GroupExecutor executor = ConsoleKit.executor(b -> b);
                Console console = Console.builder()
                        .add(executor)
                        .authenticator(exchange -> {
                            threads.add(Thread.currentThread());
                            return "eva";
                        })
                        .start()) {
            assertThat(RawClient.send(
                                    console.port(),
                                    "GET / HTTP/1.1\r\nHost: 127.0.0.1:" + console.port()
                                            + "\r\nConnection: close\r\n\r\n")
                            .status())
                    .isEqualTo(200);
            assertThat(threads).singleElement().satisfies(thread -> {
                assertThat(thread.isVirtual()).isFalse();
                assertThat(thread.isDaemon()).isTrue();
            });
        }
    }
}
