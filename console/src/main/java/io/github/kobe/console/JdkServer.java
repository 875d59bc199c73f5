package io.github.kobe.console;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Passes the requests that the JDK's server receives to a handler. */
final class JdkServer {

    private static final System.Logger LOG = System.getLogger("io.github.kobe.console");

    private final HttpServer server;

    private JdkServer(HttpServer server) {
        this.server = server;
    }

    /** Binds the address. Requests are answered after {@link #start}. */
    static JdkServer bind(InetSocketAddress address) throws IOException {
        return new JdkServer(HttpServer.create(address, 0));
    }

    InetSocketAddress address() {
        return server.getAddress();
    }

    void start(ConsoleHandler handler) {
        server.setExecutor(new RequestThreads());
        server.createContext("/", exchange -> handle(handler, exchange));
        startOnDaemonThread();
    }

    /** The thread that accepts connections inherits whether it is a daemon from the thread that starts the server. A console does not keep a JVM alive. */
    private void startOnDaemonThread() {
        Thread starter = Thread.ofPlatform().daemon().name("console-start").start(server::start);
        boolean interrupted = false;
        while (true) {
            try {
                starter.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void handle(ConsoleHandler handler, HttpExchange exchange) {
        try (exchange) {
            handler.handle(new JdkExchange(exchange));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "console: the client has left", e);
        }
    }

    void stop() {
        server.stop(0);
    }

    /**
     * A virtual thread for each request, and a maximum: a client that opens connections and sends nothing takes a thread for each. The server closes
     * a connection whose request is rejected here.
     */
    private static final class RequestThreads implements Executor {

        private static final int MAX = 200;

        private final ThreadFactory threads =
                Thread.ofVirtual().name("console-", 1).factory();
        private final AtomicInteger running = new AtomicInteger();

        @Override
        public void execute(Runnable request) {
            if (running.incrementAndGet() > MAX) {
                running.decrementAndGet();
                throw new RejectedExecutionException(MAX + " requests are being answered, which is the maximum");
            }
            threads.newThread(() -> {
                        try {
                            request.run();
                        } finally {
                            running.decrementAndGet();
                        }
                    })
                    .start();
        }
    }

    private record JdkExchange(HttpExchange exchange) implements ConsoleExchange {

        @Override
        public String method() {
            return exchange.getRequestMethod();
        }

        @Override
        public String path() {
            return exchange.getRequestURI().getRawPath();
        }

        @Override
        public @Nullable String query() {
            return exchange.getRequestURI().getRawQuery();
        }

        @Override
        public List<String> headers(String name) {
            List<String> values = exchange.getRequestHeaders().get(name);
            return values == null ? List.of() : values;
        }

        @Override
        public String remoteAddress() {
            return exchange.getRemoteAddress().getAddress().getHostAddress();
        }

        @Override
        public @Nullable String user() {
            return null;
        }

        @Override
        public InputStream body() {
            return exchange.getRequestBody();
        }

        @Override
        public OutputStream respond(int status, Map<String, String> headers, long length) throws IOException {
            headers.forEach(exchange.getResponseHeaders()::set);
            // For this server -1 is an empty body, and 0 one of unknown length.
            exchange.sendResponseHeaders(status, length < 0 ? 0 : length == 0 ? -1 : length);
            return exchange.getResponseBody();
        }
    }
}
