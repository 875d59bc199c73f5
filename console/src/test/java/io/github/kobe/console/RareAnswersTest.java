package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.console.ConsoleKit.Blocker;
import io.github.kobe.console.ConsoleKit.Log;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Do answers that are rare have the headers that protect the page, and does none set a cookie? */
@Timeout(60)
class RareAnswersTest {

    private final List<FakeExchange> answers = new ArrayList<>();

    private void ask(ConsoleHandler handler, FakeExchange exchange) throws IOException {
        handler.handle(exchange.header("Host", "any.example"));
        answers.add(exchange);
    }

    private static FakeExchange change(String body) {
        return new FakeExchange("POST", "/api/group/limit").user("eva").body(body);
    }

    @Test
    void everyStatusHasTheHeadersAndNoCookie() throws IOException {
        try (GroupExecutor executor = ConsoleKit.executor(b -> b);
                Log ignored = new Log()) {
            ConsoleHandler handler = Console.builder()
                    .add(executor)
                    .editable(true)
                    .authenticator(exchange -> {
                        if (exchange.headers("X-Fault").isEmpty()) {
                            return exchange.user();
                        }
                        throw new IllegalStateException("directory is down");
                    })
                    .allowAnyHost(true)
                    .handler();
            Blocker blocker = Blocker.in(executor, "a", 1);
            ask(handler, new FakeExchange("GET", "/").user("eva"));
            ask(handler, new FakeExchange("GET", "/api/view").user("eva"));
            ask(handler, change(Site.change("a", "3")));
            ask(handler, change(Site.change("a", "0")));
            ask(handler, new FakeExchange("GET", "/"));
            ask(handler, change(Site.change("unknown", "3")));
            ask(handler, new FakeExchange("PUT", "/").user("eva"));
            ask(handler, change(" ".repeat(5_000)));
            ask(handler, new FakeExchange("POST", "/api/group/limit").user("eva"));
            ask(handler, new FakeExchange("GET", "/").header("X-Fault", "1"));
            Thread closer = Thread.ofVirtual().start(() -> {
                ConsoleKit.eventually(() -> assertThat(handler.streamCount()).isEqualTo(1));
                handler.close();
            });
            ask(handler, new FakeExchange("GET", "/api/stream").user("eva"));
            ask(handler, new FakeExchange("GET", "/api/stream").user("eva"));
            assertThat(closer).satisfies(Thread::join);
            blocker.release();
        }
        assertThat(answers)
                .extracting(FakeExchange::status)
                .containsExactly(200, 200, 200, 400, 403, 404, 405, 413, 415, 500, 200, 503);
        Set<String> always = Set.of(
                "Content-Security-Policy",
                "X-Content-Type-Options",
                "Referrer-Policy",
                "Cache-Control",
                "Cross-Origin-Resource-Policy",
                "Cross-Origin-Opener-Policy",
                "Content-Type");
        Set<String> sometimes = Set.of("Allow", "Retry-After", "X-Accel-Buffering");
        assertThat(answers).allSatisfy(answer -> {
            assertThat(answer.responseHeaders().keySet()).containsAll(always);
            assertThat(answer.responseHeaders().keySet().stream()
                            .filter(name -> !always.contains(name) && !sometimes.contains(name)))
                    .as("such as Set-Cookie")
                    .isEmpty();
        });
    }
}
