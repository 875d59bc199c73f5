package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.SharedLimit;
import io.github.kobe.console.ConsoleKit.Blocker;
import io.github.kobe.console.RawClient.Answer;
import io.github.kobe.console.Router.Kind;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPool;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Can a console that is not editable change anything? */
@Timeout(60)
class ReadOnlyTest {

    /** Sends what would be a change in an editable console to every route that changes something. */
    @Test
    void everyRouteThatWritesIsRefusedUnlessTheConsoleIsEditable() {
        try (GroupExecutor groups = ConsoleKit.executor(b -> b.sharedLimit(SharedLimit.by("tenant", key -> key)));
                WorkerPool pool = WorkerPool.builder().maxWorkers(2).build();
                IsolationExecutor isolation =
                        IsolationExecutor.create(IsolationPolicy.builder().build());
                TwoNodes nodes = new TwoNodes(4);
                Site readOnly = Site.of(
                        Console.builder().add(groups).add(pool).add(isolation).add(nodes.first));
                Site editable = Site.of(Console.builder()
                        .add(groups)
                        .add(pool)
                        .add(isolation)
                        .add(nodes.first)
                        .editable(true))) {
            Blocker blocker = Blocker.in(groups, "a", 1);
            nodes.submit(nodes.firstExecutor, "a", 1);
            ConsoleKit.eventually(() -> assertThat(nodes.first.stats().used()).isEqualTo(1));
            List<Router.Route> writing = readOnly.console().handler().routes().stream()
                    .filter(route -> route.kind() == Kind.WRITE)
                    .toList();
            assertThat(writing).hasSizeGreaterThanOrEqualTo(10);
            for (Router.Route route : writing) {
                String body = Site.change("a", route.path().endsWith("pause") ? "true" : "2");
                Answer refused = readOnly.post(route.path(), body);
                assertThat(refused.status()).as(route.path()).isEqualTo(405);
                assertThat(refused.body()).contains("read-only");
                assertThat(groups.liveSettings()).isEmpty();
                assertThat(groups.liveSharedLimits()).isEmpty();
                assertThat(readOnly.view("tab=changes").get("changes")).isEmpty();
            }
            assertThat(pool.stats().minWorkers()).isEqualTo(1);
            assertThat(isolation.stats().maxConcurrency()).isEqualTo(64);
            assertThat(nodes.first.groupStats("a").orElseThrow().limit()).isEqualTo(4);
            assertThat(groups.stats().globalInFlightMax()).isEqualTo(Integer.MAX_VALUE);
            for (Router.Route route : writing) { // the same requests are changes where that is allowed
                String body = Site.change("a", route.path().endsWith("pause") ? "true" : "2");
                assertThat(editable.post(route.path(), body).status())
                        .as(route.path())
                        .isEqualTo(200);
            }
            blocker.release();
        }
    }

    @Test
    void onlyRoutesThatWriteTakeAMethodOtherThanGet() {
        try (GroupExecutor groups = ConsoleKit.executor(b -> b);
                Site site = Site.of(Console.builder().add(groups).editable(true))) {
            Set<String> methods = site.console().handler().routes().stream()
                    .filter(route -> route.kind() != Kind.WRITE)
                    .map(Router.Route::method)
                    .collect(Collectors.toSet());
            assertThat(methods).containsExactly("GET");
        }
    }

    @Test
    void otherMethodsAreRefusedOnEveryRoute() {
        try (GroupExecutor groups = ConsoleKit.executor(b -> b);
                Site site = Site.of(Console.builder().add(groups).editable(true))) {
            for (Router.Route route : site.console().handler().routes()) {
                for (String method : List.of("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "FOO")) {
                    if (!method.equals(route.method())) {
                        Answer answer = RawClient.send(
                                site.port(), site.request(method, route.path()) + "Content-Length: 0\r\n\r\n");
                        assertThat(answer.status())
                                .as(method + " " + route.path())
                                .isEqualTo(405);
                        assertThat(answer.header("allow")).isEqualTo(route.method());
                    }
                }
            }
        }
    }

    @Test
    void whatIsNotARouteDoesNotExist() {
        try (GroupExecutor groups = ConsoleKit.executor(b -> b);
                Site site = Site.of(Console.builder().add(groups).editable(true))) {
            for (String path : List.of(
                    "/x",
                    "/console.class",
                    "/Console.class",
                    "/../console.js",
                    "/./console.js",
                    "//console.js",
                    "/console.js/",
                    "/%63onsole.js",
                    "/console.js%00",
                    "/api",
                    "/api/",
                    "/api/view/",
                    "/io/github/kobe/console/Console.class")) {
                assertThat(site.get(path).status()).as(path).isEqualTo(404);
            }
        }
    }
}
