package io.github.kobe.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.security.Principal;
import org.junit.jupiter.api.Test;

/** What is the key of a request? */
class RequestKeyTest {

    /** Returns the key that a real server computes; the text "null" if there is none. */
    private static String key(RequestKey key, String path, String... headers) throws Exception {
        Filter authentication = (request, response, chain) -> {
            String user = ((HttpServletRequest) request).getHeader("X-User");
            chain.doFilter(user == null ? request : new Authenticated((HttpServletRequest) request, user), response);
        };
        try (TestServer server = TestServer.start(
                (request, response) -> {
                    response.setContentType("text/plain;charset=UTF-8");
                    response.getWriter().print("[" + key.of(request) + "]");
                },
                authentication)) {
            String body = server.get(path, headers).body();
            return body.substring(1, body.length() - 1);
        }
    }

    private static final class Authenticated extends HttpServletRequestWrapper {
        private final String user;

        Authenticated(HttpServletRequest request, String user) {
            super(request);
            this.user = user;
        }

        @Override
        public Principal getUserPrincipal() {
            return () -> user;
        }
    }

    @Test
    void aHeader() throws Exception {
        RequestKey key = RequestKey.header("X-Tenant");
        assertThat(key(key, "/", "X-Tenant", "acme")).isEqualTo("acme");
        assertThat(key(key, "/", "x-tenant", "a/b")).isEqualTo("a/b");
        assertThat(key(key, "/", "X-Tenant", "first", "X-Tenant", "second")).isEqualTo("first");
        assertThat(key(key, "/")).isEqualTo("null");
        assertThat(key(key, "/", "X-Tenant", " ")).isEqualTo("null");
    }

    @Test
    void aPathVariable() throws Exception {
        RequestKey key = RequestKey.pathVariable("/tenants/{tenant}/**", "tenant");
        assertThat(key(key, "/tenants/acme/orders/7?page=2")).isEqualTo("acme");
        assertThat(key(key, "/tenants/acme")).isEqualTo("acme");
        assertThat(key(key, "/tenants/%C3%BC/orders")).isEqualTo("ü");
        assertThat(key(key, "/tenants/%20/orders")).isEqualTo(" ");
        assertThat(key(key, "/tenants/acme;v=1/orders")).isEqualTo("acme");
        assertThat(key(key, "/health")).isEqualTo("null");
    }

    @Test
    void aPathVariableWithAPatternOfItsOwn() throws Exception {
        assertThat(key(RequestKey.pathVariable("/files/{*path}", "path"), "/files/a/b"))
                .isEqualTo("/a/b");
        assertThat(key(RequestKey.pathVariable("/tenants/{tenant:[a-z]+}", "tenant"), "/tenants/42"))
                .isEqualTo("null");
    }

    @Test
    void thePrincipal() throws Exception {
        assertThat(key(RequestKey.principal(), "/", "X-User", "ada")).isEqualTo("ada");
        assertThat(key(RequestKey.principal(), "/")).isEqualTo("null");
    }

    @Test
    void aSubstitute() throws Exception {
        RequestKey key = RequestKey.principal().orElse("anonymous");
        assertThat(key(key, "/", "X-User", "ada")).isEqualTo("ada");
        assertThat(key(key, "/")).isEqualTo("anonymous");
    }

    @Test
    void aPatternThatIsWrongFails() {
        assertThatIllegalArgumentException().isThrownBy(() -> RequestKey.pathVariable("/tenants/{tenant", "tenant"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RequestKey.pathVariable("/tenants/{tenant}", "tenat"))
                .withMessageContaining("tenat")
                .withMessageContaining("/tenants/{tenant}");
    }
}
