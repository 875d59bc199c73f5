package io.github.kobe.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.console.RawClient.Answer;
import io.github.kobe.console.Router.Kind;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which requests are answered without the token? */
@Timeout(60)
class TokenRequestTest {

    private final GroupExecutor executor = ConsoleKit.executor(b -> b);
    private final Site site = Site.of(Console.builder().add(executor).editable(true));

    @AfterEach
    void close() {
        site.close();
        executor.close();
    }

    private Answer request(Router.Route route, String authorization) {
        return RawClient.send(
                site.port(),
                route.method() + " " + route.path() + " HTTP/1.1\r\nHost: 127.0.0.1:" + site.port() + "\r\n"
                        + authorization + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
    }

    private List<String> wrongTokens() {
        String token = site.token();
        return List.of(
                "",
                "Authorization: Bearer\r\n",
                "Authorization: Bearer \r\n",
                "Authorization: Bearer x\r\n",
                "Authorization: Bearer " + token.substring(1) + "\r\n",
                "Authorization: Bearer " + token + "x\r\n",
                "Authorization: Bearer  " + token + "\r\n",
                "Authorization: bearer" + token + "\r\n",
                "Authorization: Basic " + token + "\r\n",
                "Authorization: " + token + "\r\n",
                "Authorization: Bearer " + token + "\r\nAuthorization: Bearer " + token + "\r\n",
                "Cookie: token=" + token + "\r\n");
    }

    @Test
    void everyRouteWithDataNeedsTheToken() {
        List<Router.Route> routes = site.console().handler().routes();
        assertThat(routes).filteredOn(route -> route.kind() != Kind.FILE).hasSizeGreaterThan(10);
        for (Router.Route route : routes) {
            for (String wrong : wrongTokens()) {
                Answer answer = request(route, wrong);
                if (route.kind() == Kind.FILE) {
                    assertThat(answer.status()).as(route.path()).isEqualTo(200);
                } else {
                    assertThat(answer.status()).as(route.path() + " " + wrong).isEqualTo(401);
                    assertThat(answer.header("www-authenticate")).isEqualTo("Bearer");
                    assertThat(answer.body()).doesNotContain(site.token());
                }
            }
        }
    }

    @Test
    void tokenInTheQueryIsNotAccepted() {
        assertThat(RawClient.send(
                                site.port(),
                                "GET /api/view?token=" + site.token() + " HTTP/1.1\r\nHost: 127.0.0.1:" + site.port()
                                        + "\r\n\r\n")
                        .status())
                .isEqualTo(401);
    }

    @Test
    void tokenIsInTheFragmentOfTheAddressWhichBrowsersDoNotSend() {
        assertThat(site.console().uri().getFragment()).startsWith("token=");
        assertThat(site.console().uri().getQuery()).isNull();
        assertThat(site.console().uri().getPath()).isEqualTo("/");
        assertThat(site.console().toString()).doesNotContain(site.token());
    }

    @Test
    void randomTokenIsLoggedOnceAndOneOfTheUserNever() {
        String own = "0123456789abcdef0123456789abcdef";
        try (ConsoleKit.Log log = new ConsoleKit.Log();
                Site random = Site.of(Console.builder().add(executor));
                Site given = Site.of(Console.builder().add(executor).token(own))) {
            random.view("");
            given.view("");
            assertThat(log.lines())
                    .containsExactly(
                            "INFO console: http://127.0.0.1:" + random.port() + "/#token=" + random.token(),
                            "INFO console: http://127.0.0.1:" + given.port() + "/");
            assertThat(given.token()).isEqualTo(own);
        }
    }

    @Test
    void noCookieIsSet() {
        for (Router.Route route : site.console().handler().routes()) {
            assertThat(request(route, "").headers()).as(route.path()).doesNotContainKey("set-cookie");
        }
    }

    @Test
    void failedGuessIsLogged() {
        try (ConsoleKit.Log log = new ConsoleKit.Log()) {
            for (int i = 0; i < 5; i++) {
                request(site.console().handler().routes().getLast(), "Authorization: Bearer guess\r\n");
            }
            assertThat(log.lines()).singleElement().asString().startsWith("WARNING console: 401 for POST /api/");
        }
    }
}
