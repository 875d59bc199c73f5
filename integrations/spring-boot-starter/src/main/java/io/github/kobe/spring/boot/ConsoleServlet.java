package io.github.kobe.spring.boot;

import io.github.kobe.console.ConsoleExchange;
import io.github.kobe.console.ConsoleHandler;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.security.Principal;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Passes requests to the console, each on a virtual thread: a stream goes on, and would keep a thread of the container. */
@SuppressWarnings("serial") // nobody serializes it
final class ConsoleServlet extends HttpServlet {

    private static final Logger LOGGER = System.getLogger(ConsoleServlet.class.getName());
    private static final int PERMANENT_REDIRECT = 308;

    private final ConsoleHandler console;

    ConsoleServlet(ConsoleHandler console) {
        this.console = console;
    }

    /** The links of the page are relative, so its path ends with a slash. */
    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) {
        if (request.getPathInfo() == null) {
            response.setStatus(PERMANENT_REDIRECT);
            response.setHeader("Location", ConsolePath.ID + "/");
            return;
        }
        ServletExchange exchange = new ServletExchange(request, response, user(request), CsrfHeaders.of(request));
        AsyncContext async = request.startAsync();
        async.setTimeout(0);
        Thread.ofVirtual().name("group-concurrency-console").start(() -> handle(exchange, async));
    }

    private void handle(ServletExchange exchange, AsyncContext async) {
        try {
            console.handle(exchange);
        } catch (IOException e) {
            LOGGER.log(Level.DEBUG, "console: the client has left", e);
        } finally {
            async.complete();
        }
    }

    private static @Nullable String user(HttpServletRequest request) {
        Principal principal = request.getUserPrincipal();
        return principal == null ? null : principal.getName();
    }

    /** @param added headers of the response */
    private record ServletExchange(
            HttpServletRequest request,
            HttpServletResponse response,
            @Nullable String user,
            Map<String, String> added) implements ConsoleExchange {

        @Override
        public String method() {
            return request.getMethod();
        }

        @Override
        public String path() {
            return request.getPathInfo();
        }

        @Override
        public @Nullable String query() {
            return request.getQueryString();
        }

        @Override
        public List<String> headers(String name) {
            return Collections.list(request.getHeaders(name));
        }

        @Override
        public String remoteAddress() {
            return request.getRemoteAddr();
        }

        @Override
        public InputStream body() throws IOException {
            return request.getInputStream();
        }

        @Override
        public OutputStream respond(int status, Map<String, String> headers, long length) throws IOException {
            response.setStatus(status);
            headers.forEach(response::setHeader);
            added.forEach(response::setHeader);
            if (length >= 0) {
                response.setContentLengthLong(length);
            }
            return response.getOutputStream();
        }
    }
}
