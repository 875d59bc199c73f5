package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.SharedLimit;
import io.github.kobe.console.ConsoleKit.Blocker;
import io.github.kobe.console.ConsoleKit.Log;
import io.github.kobe.console.Router.Kind;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPool;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Can a name, a key or an address begin a line of its own in the log, whichever setting is changed? */
@Timeout(60)
class LogInjectionTest {

    private static final String EVIL = "a\nINFO console: fake\u2028fake";

    @Test
    void everyChangeIsOneLine() throws IOException {
        try (GroupExecutor groups =
                        ConsoleKit.executor(b -> b.name(EVIL).sharedLimit(SharedLimit.by("tenant", key -> key)));
                WorkerPool pool = WorkerPool.builder().name(EVIL).maxWorkers(2).build();
                IsolationExecutor isolation = IsolationExecutor.create(
                        IsolationPolicy.builder().name(EVIL).build());
                TwoNodes nodes = new TwoNodes(4);
                ConsoleHandler handler = Console.builder()
                        .add(groups)
                        .add(pool)
                        .add(isolation)
                        .add(nodes.first)
                        .editable(true)
                        .authenticator(exchange -> EVIL)
                        .allowAnyHost(true)
                        .handler()) {
            Blocker blocker = Blocker.in(groups, EVIL, 1);
            nodes.submit(nodes.firstExecutor, EVIL, 1);
            ConsoleKit.eventually(() -> assertThat(nodes.first.stats().used()).isEqualTo(1));
            List<String> paths = handler.routes().stream()
                    .filter(route -> route.kind() == Kind.WRITE)
                    .map(Router.Route::path)
                    .toList();
            try (Log log = new Log()) {
                for (String path : paths) {
                    FakeExchange change = new FakeExchange("POST", path)
                            .header("Host", "any.example")
                            .remote("10.0.0.9" + EVIL)
                            .body(Site.change(EVIL, path.endsWith("pause") ? "true" : "2"));
                    handler.handle(change);
                    assertThat(change.status()).as(path).isEqualTo(200);
                }
                assertThat(log.lines())
                        .hasSize(paths.size())
                        .allSatisfy(line -> assertThat(line)
                                .startsWith("INFO console: a?INFO console: fake?fake at 10.0.0.9a?INFO")
                                .doesNotContain("\n", "\u2028"));
            }
            blocker.release();
        }
    }

    @Test
    void refusalIsOneLine() throws IOException {
        try (GroupExecutor groups = ConsoleKit.executor(b -> b);
                ConsoleHandler handler = Console.builder()
                        .add(groups)
                        .authenticator(ConsoleExchange::user)
                        .allowAnyHost(true)
                        .handler();
                Log log = new Log()) {
            handler.handle(new FakeExchange("GET\nfake", "/\nfake")
                    .header("Host", "a")
                    .header("Origin", "null")
                    .remote(EVIL));
            assertThat(log.lines())
                    .containsExactly("WARNING console: 403 for GET?fake /?fake from a?INFO console: fake?fake");
        }
    }

    @Test
    void messageOfARefusalIsOneLine() throws IOException {
        try (GroupExecutor groups = ConsoleKit.executor(b -> b);
                ConsoleHandler handler = Console.builder()
                        .add(groups)
                        .authenticator(exchange -> "eva")
                        .allowAnyHost(true)
                        .handler()) {
            FakeExchange view =
                    new FakeExchange("GET", "/api/view").header("Host", "a").query("search=%\n\u2028");
            handler.handle(view);
            assertThat(view.status()).isEqualTo(400);
            assertThat(view.response().strip()).doesNotContain("\n", "\u2028");
        }
    }
}
