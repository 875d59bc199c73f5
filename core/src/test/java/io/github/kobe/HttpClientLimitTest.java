package io.github.kobe;

import static io.github.kobe.TestKit.PATIENCE;
import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.github.kobe.TestKit.Peak;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What limits the requests of the JDK's HTTP client, and what does not? The guide says the same. */
@Timeout(60)
class HttpClientLimitTest {

    private static final int LIMIT = 2;
    private static final int REQUESTS = 6;

    private final GroupExecutor executor = executor(b -> b.defaultMaxConcurrencyPerGroup(LIMIT));
    private final Peak peak = new Peak();
    private final CountDownLatch allAtTheServer = new CountDownLatch(REQUESTS);
    private boolean waitsForAll;
    private HttpServer server;
    private HttpRequest request;

    @BeforeEach
    void startServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            answer();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
        String host = server.getAddress().getHostString();
        request = HttpRequest.newBuilder(
                        URI.create("http://" + host + ":" + server.getAddress().getPort() + "/"))
                .build();
    }

    private void answer() {
        try {
            peak.during(() -> {
                if (waitsForAll) {
                    allAtTheServer.countDown();
                    await(allAtTheServer);
                } else {
                    TestKit.letOthersRun();
                }
                return true;
            });
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void close() {
        server.stop(0);
        executor.close();
    }

    @Test
    void viewAsTheExecutorOfTheClientDoesNotLimitItsRequests() {
        waitsForAll = true;
        try (HttpClient client = HttpClient.newBuilder()
                .executor(executor.asExecutorService("acme"))
                .build()) {
            List<CompletableFuture<HttpResponse<Void>>> answers = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++) {
                answers.add(client.sendAsync(request, BodyHandlers.discarding()));
            }
            assertThat(answers).allSatisfy(answer -> assertThat(answer).succeedsWithin(PATIENCE));
        }
        assertThat(peak.most()).isEqualTo(REQUESTS).isGreaterThan(LIMIT);
    }

    @Test
    void requestsThatAreSentInTasksAreLimited() {
        try (HttpClient client = HttpClient.newHttpClient()) {
            List<TaskHandle<Integer>> handles = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++) {
                handles.add(executor.submit(
                        "acme",
                        "request",
                        () -> client.send(request, BodyHandlers.discarding()).statusCode()));
            }
            assertThat(handles)
                    .allSatisfy(handle -> assertThat(resultOf(handle).value()).isEqualTo(200));
        }
        assertThat(peak.most()).isBetween(1, LIMIT);
    }

    @Test
    void requestsThatHoldAPermitUntilTheResponseAreLimited() {
        try (HttpClient client = HttpClient.newHttpClient()) {
            List<CompletableFuture<Integer>> answers = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++) {
                answers.add(executor.acquireAsync("acme")
                        .thenCompose(permit -> client.sendAsync(request, BodyHandlers.discarding())
                                .whenComplete((response, failure) -> permit.close()))
                        .thenApply(HttpResponse::statusCode));
            }
            assertThat(answers)
                    .allSatisfy(answer ->
                            assertThat(answer).succeedsWithin(PATIENCE).isEqualTo(200));
        }
        assertThat(peak.most()).isBetween(1, LIMIT);
    }
}
