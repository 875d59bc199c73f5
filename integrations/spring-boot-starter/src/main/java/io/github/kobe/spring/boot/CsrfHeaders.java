package io.github.kobe.spring.boot;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Tells the page of the console which token Spring Security wants with a change, if it wants one. A page of another site cannot read it: a browser shows headers of
 * a response to pages of the same origin only.
 */
final class CsrfHeaders {

    private static final String NAME = "X-Csrf-Header";
    private static final String TOKEN = "X-Csrf-Token";

    private static final boolean PRESENT =
            ClassUtils.isPresent("org.springframework.security.web.csrf.CsrfToken", CsrfHeaders.class.getClassLoader());

    private CsrfHeaders() {}

    static Map<String, String> of(HttpServletRequest request) {
        return PRESENT ? Servlet.of(request) : Map.of();
    }

    static Mono<Map<String, String>> of(ServerWebExchange exchange) {
        return PRESENT ? Reactive.of(exchange) : Mono.just(Map.of());
    }

    /** Apart, because it needs classes of Spring Security. */
    private static final class Servlet {
        static Map<String, String> of(HttpServletRequest request) {
            return request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token
                    ? Map.of(NAME, token.getHeaderName(), TOKEN, token.getToken())
                    : Map.of();
        }
    }

    /** The same. */
    private static final class Reactive {
        static Mono<Map<String, String>> of(ServerWebExchange exchange) {
            Mono<org.springframework.security.web.server.csrf.CsrfToken> token = exchange.getAttributeOrDefault(
                    org.springframework.security.web.server.csrf.CsrfToken.class.getName(), Mono.empty());
            return token.map(given -> Map.of(NAME, given.getHeaderName(), TOKEN, given.getToken()))
                    .defaultIfEmpty(Map.of());
        }
    }
}
