package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.console.ConsoleKit.Blocker;
import io.github.kobe.console.ConsoleKit.Log;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Can another server serve the console, under its own security? */
@Timeout(60)
class HandlerTest {

    private final GroupExecutor executor = ConsoleKit.executor(b -> b);

    @AfterEach
    void close() {
        executor.close();
    }

    private ConsoleHandler handler() {
        return Console.builder()
                .add(executor)
                .editable(true)
                .authenticator(ConsoleExchange::user)
                .allowAnyHost(true)
                .handler();
    }

    private static FakeExchange handled(ConsoleHandler handler, FakeExchange exchange) throws IOException {
        handler.handle(exchange.header("Host", "any.example"));
        return exchange;
    }

    @Test
    void userWhomTheServerKnowsMayReadAndChange() throws IOException {
        Blocker blocker = Blocker.in(executor, "a", 1);
        try (ConsoleHandler handler = handler();
                Log log = new Log()) {
            FakeExchange page = handled(handler, new FakeExchange("GET", "/").user("eva"));
            assertThat(page.status()).isEqualTo(200);
            assertThat(page.responseHeaders()).containsKey("Content-Security-Policy");
            assertThat(handled(handler, new FakeExchange("GET", "/api/view").user("eva"))
                            .response())
                    .startsWith("{\"groups\"");
            FakeExchange change = new FakeExchange("POST", "/api/group/limit")
                    .user("eva\nfake")
                    .body(Site.change("a", "3"));
            assertThat(handled(handler, change).status()).isEqualTo(200);
            assertThat(log.lines())
                    .containsExactly(
                            "INFO console: eva?fake at 192.0.2.1 changed limit of group 'a' of 'orders' from 1 to 3");
        }
        blocker.release();
    }

    @Test
    void nobodyElseMayEvenSeeThePage() throws IOException {
        try (ConsoleHandler handler = handler()) {
            for (Router.Route route : handler.routes()) {
                FakeExchange exchange = handled(handler, new FakeExchange(route.method(), route.path()));
                assertThat(exchange.status()).as(route.path()).isEqualTo(403);
            }
        }
    }

    @Test
    void pageOfAnotherSiteIsRefusedAlsoIfAnyHostIsAllowed() throws IOException {
        try (ConsoleHandler handler = handler()) {
            for (String origin : List.of("http://other.example", "null")) {
                FakeExchange exchange =
                        new FakeExchange("GET", "/api/view").user("eva").header("Origin", origin);
                assertThat(handled(handler, exchange).status()).as(origin).isEqualTo(403);
            }
            FakeExchange own = new FakeExchange("GET", "/api/view").user("eva").header("Origin", "https://any.example");
            assertThat(handled(handler, own).status()).isEqualTo(200);
        }
    }

    @Test
    void failureOfTheAuthenticatorRefusesTheRequestAndIsLogged() throws IOException {
        try (ConsoleHandler handler = Console.builder()
                        .add(executor)
                        .authenticator(exchange -> {
                            throw new IllegalStateException("directory is down");
                        })
                        .allowAnyHost(true)
                        .handler();
                Log log = new Log()) {
            FakeExchange exchange = handled(handler, new FakeExchange("GET", "/api/view"));
            assertThat(exchange.status()).isEqualTo(500);
            assertThat(exchange.response()).doesNotContain("directory");
            assertThat(log.lines()).containsExactly("WARNING console: 500 for GET /api/view from 192.0.2.1");
        }
    }

    @Test
    void handlerWithATokenWorksByTheNamesThatItWasGiven() throws IOException {
        String token = "0123456789abcdef0123456789abcdef";
        try (ConsoleHandler handler = Console.builder()
                .add(executor)
                .token(token)
                .allowedHost("ops.example")
                .handler()) {
            FakeExchange right = new FakeExchange("GET", "/api/view")
                    .header("Host", "ops.example")
                    .header("Authorization", "Bearer " + token);
            handler.handle(right);
            assertThat(right.status()).isEqualTo(200);
            FakeExchange wrong = new FakeExchange("GET", "/api/view")
                    .header("Host", "localhost")
                    .header("Authorization", "Bearer " + token);
            handler.handle(wrong);
            assertThat(wrong.status()).isEqualTo(403);
        }
    }

    /** A body that never ends would fill the memory before it is refused. */
    @Test
    void noMoreOfALongBodyIsReadThanToSeeThatItIsTooLong() throws IOException {
        int length = 1 << 20;
        try (ConsoleHandler handler = handler()) {
            FakeExchange change =
                    new FakeExchange("POST", "/api/group/limit").user("eva").body(" ".repeat(length));
            assertThat(handled(handler, change).status()).isEqualTo(413);
            assertThat(length - change.unread()).isEqualTo(4_097);
        }
    }

    @Test
    void requestWithTwoNamesOrWithoutOneIsRefusedWhateverTheServerDoes() throws IOException {
        try (ConsoleHandler handler = handler()) {
            FakeExchange two = new FakeExchange("GET", "/api/view").user("eva").header("Host", "any.example");
            assertThat(handled(handler, two).status()).isEqualTo(403);
            FakeExchange none = new FakeExchange("GET", "/api/view").user("eva");
            handler.handle(none);
            assertThat(none.status()).isEqualTo(403);
        }
    }

    @Test
    void noStreamIsOpenedAfterAClose() throws IOException {
        ConsoleHandler handler = handler();
        handler.close();
        assertThat(handled(handler, new FakeExchange("GET", "/api/stream").user("eva"))
                        .status())
                .isEqualTo(503);
    }

    /** A server may use the thread of a stream again. */
    @Test
    void threadOfAStreamThatWasClosedIsNotInterruptedAfterwards() throws Exception {
        ConsoleHandler handler = handler();
        boolean[] interrupted = {true};
        Thread thread = Thread.ofPlatform().start(() -> {
            try {
                handled(handler, new FakeExchange("GET", "/api/stream").user("eva"));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            interrupted[0] = Thread.currentThread().isInterrupted();
        });
        ConsoleKit.eventually(() -> assertThat(handler.streamCount()).isEqualTo(1));
        handler.close();
        thread.join();
        assertThat(interrupted[0]).isFalse();
    }
}
