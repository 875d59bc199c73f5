package io.github.kobe.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupStats;
import io.github.kobe.SharedLimit;
import io.github.kobe.TaskIdentity;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.spring.Blocker;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Does each request run with a permit of its group? If there is none, what does the client get? */
class GroupLimitFilterTest {

    private static final String TENANT = "X-Tenant";

    private GroupExecutor executor;
    private TestServer server;

    private GroupLimitFilter.Builder filter(GroupPolicy.Builder policy) {
        executor = GroupExecutor.newVirtualThreadExecutor(policy.build());
        return GroupLimitFilter.builder(executor, RequestKey.header(TENANT)).group("web");
    }

    private void start(TestServer.Handler handler, GroupLimitFilter.Builder filter) throws Exception {
        server = TestServer.start(handler, filter.build());
    }

    @AfterEach
    void stop() throws Exception {
        executor.close();
        if (server != null) {
            server.close();
        }
    }

    private static GroupPolicy.Builder limit(int limit) {
        return GroupPolicy.builder().defaultMaxConcurrencyPerGroup(limit);
    }

    private int active(String tenant) {
        return executor.groupStats("web:" + tenant).map(GroupStats::activeCount).orElse(0);
    }

    /** A handler that blocks requests for {@code /block}, and says whether it has a permit. */
    private TestServer.Handler handler(Blocker blocker) {
        return (request, response) -> {
            if (request.getRequestURI().equals("/block")) {
                blocker.call();
            }
            response.getWriter().print(executor.holds("web:" + request.getHeader(TENANT)));
        };
    }

    // ---- permits -------------------------------------------------------------------------------------------------

    @Test
    void aRequestRunsWithAPermit() throws Exception {
        start(handler(new Blocker()), filter(limit(1)));
        HttpResponse<String> answer = server.get("/", TENANT, "acme");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("true");
        await().until(() -> active("acme") == 0);
        assertThat(executor.groupStats("web:acme").orElseThrow().counts().succeeded())
                .isEqualTo(1);
    }

    @Test
    void aHandlerThatThrowsReleasesThePermit() throws Exception {
        start(
                (request, response) -> {
                    throw new IllegalStateException("failed");
                },
                filter(limit(1)));
        assertThat(server.get("/", TENANT, "acme").statusCode()).isEqualTo(500);
        await().until(() -> active("acme") == 0);
    }

    @Test
    void neverMoreRequestsOfATenantRunThanItsLimit() throws Exception {
        Map<String, AtomicInteger> running = Map.of("acme", new AtomicInteger(), "globex", new AtomicInteger());
        AtomicInteger most = new AtomicInteger();
        start(
                (request, response) -> {
                    AtomicInteger mine = running.get(request.getHeader(TENANT));
                    most.accumulateAndGet(mine.incrementAndGet(), Math::max);
                    Thread.yield();
                    mine.decrementAndGet();
                },
                filter(limit(2)).maxWait(Duration.ofMinutes(1)));
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            answers.add(server.send("/", TENANT, i % 2 == 0 ? "acme" : "globex"));
        }
        assertThat(answers)
                .allSatisfy(answer -> assertThat(answer.join().statusCode()).isEqualTo(200));
        assertThat(most.get()).isBetween(1, 2);
    }

    @Test
    void aCallOfTheSameGroupOnTheSameThreadSharesThePermit() throws Exception {
        start(
                (request, response) -> response.getWriter().print(executor.call("web:acme", () -> active("acme"))),
                filter(limit(1)));
        assertThat(server.get("/", TENANT, "acme").body()).isEqualTo("1");
    }

    @Test
    void aRequestIsLimitedOnceIfItIsForwardedOrHasAnErrorPage() throws Exception {
        start(
                (request, response) -> {
                    switch (request.getRequestURI()) {
                        case "/forward" ->
                            request.getRequestDispatcher("/target").forward(request, response);
                        case "/error" -> response.sendError(418);
                        default -> response.getWriter().print(request.getRequestURI());
                    }
                },
                filter(limit(1)));
        assertThat(server.get("/forward", TENANT, "acme").body()).isEqualTo("/target");
        assertThat(server.get("/error", TENANT, "acme").body()).isEqualTo("/error-page");
        await().until(() -> active("acme") == 0);
        assertThat(executor.groupStats("web:acme").orElseThrow().counts().submitted())
                .isEqualTo(2);
    }

    @Test
    void aRequestWaitsForItsPermitIfItMay() throws Exception {
        Blocker blocker = new Blocker();
        start(handler(blocker), filter(limit(1)).maxWait(Duration.ofMinutes(1)));
        CompletableFuture<HttpResponse<String>> first = server.send("/block", TENANT, "acme");
        blocker.awaitStarted();
        CompletableFuture<HttpResponse<String>> second = server.send("/", TENANT, "acme");
        await().until(() -> executor.groupStats("web:acme").orElseThrow().queuedCount() == 1);
        assertThat(second).isNotDone();
        blocker.release();
        assertThat(first.join().statusCode()).isEqualTo(200);
        assertThat(second.join().body()).isEqualTo("true");
    }

    @Test
    void listenersHearOfRequestsIfTheFilterSaysSo() throws Exception {
        List<String> started = new CopyOnWriteArrayList<>();
        TaskLifecycleListener listener = new TaskLifecycleListener() {
            @Override
            public void onStarted(TaskIdentity task) {
                started.add(task.groupKey() + " " + task.taskId());
            }
        };
        start(
                handler(new Blocker()),
                filter(limit(1).taskLifecycleListener(listener)).announce(true));
        server.get("/", TENANT, "acme");
        assertThat(started).containsExactly("web:acme request");
    }

    // ---- answers -------------------------------------------------------------------------------------------------

    private static void assertProblem(HttpResponse<String> answer, int status, String title) {
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type").orElseThrow()).startsWith("application/problem+json");
        JsonNode problem = JsonMapper.builder().build().readTree(answer.body());
        assertThat(problem.get("type").asString()).isEqualTo("about:blank");
        assertThat(problem.get("title").asString()).isEqualTo(title);
        assertThat(problem.get("status").asInt()).isEqualTo(status);
        assertThat(problem.get("detail").asString()).isNotBlank();
        assertThat(problem.size()).isEqualTo(4);
    }

    private static long retryAfter(HttpResponse<String> answer) {
        return answer.headers().firstValueAsLong("Retry-After").orElseThrow();
    }

    @Test
    void aFullGroupIsAnswered429AndOthersAreNotAffected() throws Exception {
        Blocker blocker = new Blocker();
        start(handler(blocker), filter(limit(1)));
        CompletableFuture<HttpResponse<String>> first = server.send("/block", TENANT, "acme");
        blocker.awaitStarted();
        HttpResponse<String> rejected = server.get("/", TENANT, "acme");
        assertProblem(rejected, 429, "Too Many Requests");
        assertThat(retryAfter(rejected)).isBetween(1L, 3600L);
        assertThat(server.get("/", TENANT, "globex").statusCode()).isEqualTo(200);
        blocker.release();
        assertThat(first.join().statusCode()).isEqualTo(200);
    }

    @Test
    void retryAfterIsTheEstimatedWaitInSeconds() throws Exception {
        Blocker blocker = new Blocker();
        start(handler(blocker), filter(limit(1).recordTimes(true)));
        assertThat(server.get("/", TENANT, "acme").statusCode()).isEqualTo(200); // now the time of a request is known
        await().until(() -> active("acme") == 0);
        CompletableFuture<HttpResponse<String>> first = server.send("/block", TENANT, "acme");
        blocker.awaitStarted();
        for (int i = 0; i < 50_000; i++) {
            executor.submit("web:acme", () -> "queued");
        }
        Duration estimate =
                executor.tryAcquire("web:acme", Duration.ZERO).rejection().estimatedWait();
        assertThat(estimate).isPositive();
        assertThat(retryAfter(server.get("/", TENANT, "acme")))
                .isEqualTo(Math.clamp((estimate.toNanos() + 999_999_999) / 1_000_000_000, 1, 3600));
        blocker.release();
        first.join();
    }

    @Test
    void retryAfterIsOneSecondIfTheWaitIsNotKnown() throws Exception {
        Blocker blocker = new Blocker();
        start(handler(blocker), filter(limit(1)));
        CompletableFuture<HttpResponse<String>> first = server.send("/block", TENANT, "acme");
        blocker.awaitStarted();
        assertThat(retryAfter(server.get("/", TENANT, "acme"))).isEqualTo(1);
        blocker.release();
        first.join();
    }

    @Test
    void theGlobalLimitIsAnswered503() throws Exception {
        Blocker blocker = new Blocker();
        start(handler(blocker), filter(limit(5).globalMaxInFlight(1)));
        CompletableFuture<HttpResponse<String>> first = server.send("/block", TENANT, "acme");
        blocker.awaitStarted();
        HttpResponse<String> rejected = server.get("/", TENANT, "globex");
        assertProblem(rejected, 503, "Service Unavailable");
        assertThat(retryAfter(rejected)).isPositive();
        blocker.release();
        first.join();
    }

    @Test
    void aSharedLimitIsAnswered503() throws Exception {
        Blocker blocker = new Blocker();
        start(
                handler(blocker),
                filter(limit(2).sharedLimit(
                                SharedLimit.by("tier", key -> "gold").max(1))));
        CompletableFuture<HttpResponse<String>> running = server.send("/block", TENANT, "acme");
        blocker.awaitStarted();
        HttpResponse<String> answer = server.get("/", TENANT, "globex");
        assertProblem(answer, 503, "Service Unavailable");
        assertThat(retryAfter(answer)).isPositive();
        assertThat(answer.body()).doesNotContain("gold", "tier", "globex");
        blocker.release();
        assertThat(running.get().statusCode()).isEqualTo(200);
    }

    @Test
    void aPausedGroupIsAnswered503() throws Exception {
        start(handler(new Blocker()), filter(limit(1)));
        executor.pauseGroup("web:acme");
        assertProblem(server.get("/", TENANT, "acme"), 503, "Service Unavailable");
        executor.resumeGroup("web:acme");
        assertThat(server.get("/", TENANT, "acme").statusCode()).isEqualTo(200);
    }

    @Test
    void tooManyGroupsAreAnswered503() throws Exception {
        Blocker blocker = new Blocker();
        start(handler(blocker), filter(limit(1).maxGroups(1)));
        CompletableFuture<HttpResponse<String>> first = server.send("/block", TENANT, "acme");
        blocker.awaitStarted();
        assertProblem(server.get("/", TENANT, "globex"), 503, "Service Unavailable");
        blocker.release();
        first.join();
    }

    @Test
    void afterAShutdownRequestsAreAnswered503() throws Exception {
        start(handler(new Blocker()), filter(limit(1)));
        executor.shutdown();
        HttpResponse<String> rejected = server.get("/", TENANT, "acme");
        assertProblem(rejected, 503, "Service Unavailable");
        assertThat(retryAfter(rejected)).isEqualTo(1);
    }

    @Test
    void anInterruptedRequestIsAnswered503() throws Exception {
        Blocker blocker = new Blocker();
        executor = GroupExecutor.newVirtualThreadExecutor(limit(1).build());
        AtomicReference<Thread> last = new AtomicReference<>();
        RequestKey key = request -> {
            last.set(Thread.currentThread());
            return "acme";
        };
        start(
                handler(blocker),
                GroupLimitFilter.builder(executor, key).group("web").maxWait(Duration.ofMinutes(1)));
        CompletableFuture<HttpResponse<String>> first = server.send("/block");
        blocker.awaitStarted();
        CompletableFuture<HttpResponse<String>> second = server.send("/");
        await().until(() -> executor.groupStats("web:acme").orElseThrow().queuedCount() == 1);
        last.get().interrupt();
        assertProblem(second.join(), 503, "Service Unavailable");
        assertThat(executor.groupStats("web:acme").orElseThrow().queuedCount()).isZero();
        blocker.release();
        first.join();
    }

    @Test
    void anAnswerContainsNothingThatTheClientSent() throws Exception {
        Blocker blocker = new Blocker();
        start(handler(blocker), filter(limit(1)));
        String tenant = "<script>\"quoted\"</script>";
        CompletableFuture<HttpResponse<String>> first = server.send("/block", TENANT, tenant);
        blocker.awaitStarted();
        HttpResponse<String> rejected = server.get("/some/path?script=1", TENANT, tenant);
        assertProblem(rejected, 429, "Too Many Requests");
        assertThat(rejected.body()).doesNotContain("script").doesNotContain("path");
        assertThat(rejected.headers().map().toString()).doesNotContain("script").doesNotContain("path");
        blocker.release();
        first.join();
    }

    // ---- requests without a usable key ---------------------------------------------------------------------------

    @Test
    void aRequestWithoutAKeyIsAnswered400() throws Exception {
        start(handler(new Blocker()), filter(limit(1)));
        HttpResponse<String> rejected = server.get("/");
        assertProblem(rejected, 400, "Bad Request");
        assertThat(rejected.headers().firstValue("Retry-After")).isEmpty();
        assertProblem(server.get("/", TENANT, " "), 400, "Bad Request");
    }

    @Test
    void aRequestWithoutAKeyPassesIfTheFilterSaysSo() throws Exception {
        start(handler(new Blocker()), filter(limit(1)).passWithoutKey(true));
        HttpResponse<String> answer = server.get("/");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("false");
        assertThat(executor.stats().activeGroupCount()).isZero();
    }

    @Test
    void aKeyThatIsTooLongIsAnswered400() throws Exception {
        start(handler(new Blocker()), filter(limit(1)).maxKeyLength(10));
        assertThat(server.get("/", TENANT, "x".repeat(10)).statusCode()).isEqualTo(200);
        assertProblem(server.get("/", TENANT, "x".repeat(11)), 400, "Bad Request");
    }

    @Test
    void wrongSettingsFail() {
        GroupLimitFilter.Builder builder = filter(limit(1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.maxKeyLength(0).build())
                .withMessage("maxKeyLength must be at least 1: 0");
        builder.maxKeyLength(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.maxWait(Duration.ofMillis(-1)).build())
                .withMessageContaining("maxWait");
        builder.maxWait(Duration.ZERO);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.group("a:b").build())
                .withMessage("group must not contain a colon: 'a:b'");
    }
}
