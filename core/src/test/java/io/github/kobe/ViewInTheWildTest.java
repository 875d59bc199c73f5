package io.github.kobe;

import static io.github.kobe.TestKit.PATIENCE;
import static io.github.kobe.TestKit.executor;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.github.kobe.TestKit.Peak;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does a view work with code of the JDK that takes an executor? */
@Timeout(60)
class ViewInTheWildTest {

    private final GroupExecutor executor = executor(b -> b.defaultMaxConcurrencyPerGroup(2));
    private final ExecutorService view = executor.asExecutorService("g");

    @AfterEach
    void close() {
        executor.close();
    }

    @Test
    void completableFutureRunsItsStagesInTheView() {
        Peak peak = new Peak();
        List<CompletableFuture<String>> futures = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            futures.add(CompletableFuture.supplyAsync(() -> within(peak, "a"), view)
                    .thenApplyAsync(a -> a + within(peak, "b"), view));
        }
        assertThat(futures)
                .allSatisfy(
                        future -> assertThat(future).succeedsWithin(PATIENCE).isEqualTo("ab"));
        assertThat(peak.most()).isBetween(1, 2);
    }

    private static String within(Peak peak, String value) {
        try {
            return peak.during(() -> value + Thread.currentThread().getName()).replace("g", "");
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void futureTaskOfTheUserRunsInTheView() throws Exception {
        FutureTask<String> task = new FutureTask<>(() -> Thread.currentThread().getName());
        view.execute(task);
        assertThat(task.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("g");
    }

    @Test
    void httpServerAndClientRunInTheView() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            byte[] answer = Thread.currentThread().getName().getBytes(UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.setExecutor(executor.asExecutorService("server"));
        server.start();
        try (HttpClient client = HttpClient.newBuilder().executor(view).build()) {
            URI uri = URI.create("http://localhost:" + server.getAddress().getPort() + "/");
            List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                answers.add(
                        client.sendAsync(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString()));
            }
            assertThat(answers)
                    .allSatisfy(answer -> assertThat(answer)
                            .succeedsWithin(PATIENCE)
                            .extracting(HttpResponse::body)
                            .isEqualTo("server"));
        } finally {
            server.stop(0);
        }
        assertThat(executor.stats().counts().succeeded()).isGreaterThan(10);
    }
}
