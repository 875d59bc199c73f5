package io.github.kobe.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import java.net.http.HttpResponse;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

/** Does an asynchronous request hold its permit until it is complete, and no longer? */
class AsyncRequestTest {

    private final GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
            GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1).build());
    private final GroupLimitFilter filter =
            GroupLimitFilter.builder(executor, request -> "acme").build();
    private final BlockingQueue<AsyncContext> started = new LinkedBlockingQueue<>();

    @AfterEach
    void stop() {
        executor.close();
    }

    private int active() {
        return executor.groupStats("acme").map(GroupStats::activeCount).orElse(0);
    }

    private AsyncContext nextStarted() throws InterruptedException {
        AsyncContext async = started.poll(1, TimeUnit.MINUTES);
        assertThat(async).as("an asynchronous request").isNotNull();
        return async;
    }

    private void assertHeld(TestServer server) {
        assertThat(active()).isEqualTo(1);
        assertThat(server.get("/other").statusCode()).isEqualTo(429);
    }

    private long submitted() {
        return executor.groupStats("acme")
                .map(stats -> stats.counts().submitted())
                .orElse(0L);
    }

    @Test
    void untilItIsComplete() throws Exception {
        try (TestServer server = TestServer.start((request, response) -> started.add(request.startAsync()), filter)) {
            CompletableFuture<HttpResponse<String>> answer = server.send("/");
            AsyncContext async = nextStarted();
            assertHeld(server);
            async.getResponse().getWriter().print("done");
            async.complete();
            assertThat(answer.join().body()).isEqualTo("done");
            await().until(() -> active() == 0);
        }
    }

    @Test
    void ifItCompletesBeforeTheHandlerReturns() throws Exception {
        try (TestServer server =
                TestServer.start((request, response) -> request.startAsync().complete(), filter)) {
            for (int i = 0; i < 20; i++) {
                assertThat(server.get("/").statusCode()).isEqualTo(200);
                await().until(() -> active() == 0);
            }
        }
    }

    @Test
    void throughADispatchWhichTakesNoSecondPermit() throws Exception {
        try (TestServer server = TestServer.start(
                (request, response) -> {
                    if (request.getDispatcherType() == DispatcherType.ASYNC) {
                        response.getWriter().print("permits: " + active());
                    } else {
                        started.add(request.startAsync());
                    }
                },
                filter)) {
            CompletableFuture<HttpResponse<String>> answer = server.send("/");
            AsyncContext async = nextStarted();
            assertHeld(server);
            async.dispatch();
            assertThat(answer.join().body()).isEqualTo("permits: 1");
            await().until(() -> active() == 0);
            assertThat(submitted()).isEqualTo(2); // the request, and the one that was rejected
        }
    }

    @Test
    void ifItBecomesAsynchronousAgainAfterADispatch() throws Exception {
        try (TestServer server = TestServer.start((request, response) -> started.add(request.startAsync()), filter)) {
            CompletableFuture<HttpResponse<String>> answer = server.send("/");
            nextStarted().dispatch();
            AsyncContext again = nextStarted();
            assertHeld(server);
            again.complete();
            answer.join();
            await().until(() -> active() == 0);
        }
    }

    @Test
    void ifItTimesOut() throws Exception {
        try (TestServer server = TestServer.start(
                (request, response) -> {
                    AsyncContext async = request.startAsync();
                    async.setTimeout(1);
                    started.add(async);
                },
                filter)) {
            assertThat(server.get("/").statusCode()).isEqualTo(500);
            await().until(() -> active() == 0);
        }
    }

    @Test
    void ifTheHandlerFailsAfterItHasStarted() throws Exception {
        try (TestServer server = TestServer.start(
                (request, response) -> {
                    request.startAsync();
                    throw new IllegalStateException("failed");
                },
                filter)) {
            server.send("/"); // Tomcat drops the connection
            await().until(() -> submitted() > 0 && active() == 0);
        }
    }

    @Test
    void ifAControllerReturnsADeferredResult() throws Exception {
        AnnotationConfigWebApplicationContext context = new AnnotationConfigWebApplicationContext();
        context.register(Controller.class);
        try (TestServer server = new TestServer(new DispatcherServlet(context), filter)) {
            CompletableFuture<HttpResponse<String>> answer = server.send("/deferred");
            DeferredResult<String> result =
                    context.getBean(Controller.class).results.poll(1, TimeUnit.MINUTES);
            assertHeld(server);
            result.setResult("done");
            assertThat(answer.join().body()).isEqualTo("done");
            await().until(() -> active() == 0);
        }
    }

    @RestController
    @EnableWebMvc
    static class Controller {
        final BlockingQueue<DeferredResult<String>> results = new LinkedBlockingQueue<>();

        @GetMapping("/deferred")
        DeferredResult<String> deferred() {
            DeferredResult<String> result = new DeferredResult<>();
            results.add(result);
            return result;
        }
    }
}
