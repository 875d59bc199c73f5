package io.github.kobe.console;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
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

    /** @param stalledAfter after how long a request that is not finished may be dropped for another one */
    void start(ConsoleHandler handler, Duration stalledAfter) {
        RequestThreads threads = new RequestThreads(stalledAfter);
        server.setExecutor(threads);
        server.createContext("/", exchange -> handle(handler, exchange, threads));
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

    private static void handle(ConsoleHandler handler, HttpExchange exchange, RequestThreads threads) {
        try (exchange) {
            handler.handle(new JdkExchange(exchange, threads));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "console: the client has left", e);
        }
    }

    void stop() {
        server.stop(0);
    }

    /**
     * A thread for each request, and a maximum: a client that begins a request and does not finish it takes a thread. If all are taken, those that have
     * not finished for long are dropped, so that such clients do not keep others out for ever. The server closes a connection whose request is rejected here.
     *
     * <p>Not virtual threads: the server reads and writes in synchronized methods, and before JDK 24 a virtual thread that waits there keeps its carrier. A few
     * clients that send half a request would stop all virtual threads of the application.
     */
    private static final class RequestThreads implements Executor {

        private static final int MAX = 200;

        private final ThreadFactory factory =
                Thread.ofPlatform().daemon().name("console-", 1).factory();
        private final long stalledAfterNanos;
        private final Set<Thread> open = new HashSet<>(); // guarded by this
        private final Map<Thread, Long> unfinished = new HashMap<>(); // guarded by this; since when; without streams

        RequestThreads(Duration stalledAfter) {
            this.stalledAfterNanos = stalledAfter.toNanos();
        }

        @Override
        public void execute(Runnable request) {
            Thread thread = factory.newThread(() -> {
                try {
                    request.run();
                } finally {
                    remove(Thread.currentThread());
                }
            });
            add(thread);
            thread.start();
        }

        private synchronized void add(Thread thread) {
            long now = System.nanoTime();
            if (open.size() >= MAX) {
                dropStalled(now);
            }
            if (open.size() >= MAX) {
                throw new RejectedExecutionException(MAX + " requests are being answered, which is the maximum");
            }
            open.add(thread);
            unfinished.put(thread, now);
        }

        /** An interrupt closes the connection that the thread reads from or writes to. Each thread has one request, so it meets no other. */
        private void dropStalled(long now) {
            unfinished.forEach((thread, since) -> {
                if (now - since >= stalledAfterNanos) {
                    open.remove(thread);
                    thread.interrupt();
                }
            });
            unfinished.keySet().retainAll(open);
        }

        private synchronized void remove(Thread thread) {
            open.remove(thread);
            unfinished.remove(thread);
        }

        /** The request of the calling thread goes on for as long as its client stays. {@link Streams} bounds those. */
        synchronized void goesOn() {
            unfinished.remove(Thread.currentThread());
        }
    }

    private record JdkExchange(HttpExchange exchange, RequestThreads threads) implements ConsoleExchange {

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
            if (length < 0) {
                threads.goesOn();
            }
            headers.forEach(exchange.getResponseHeaders()::set);
            if (method().equals("HEAD")) { // the server would log a warning for each length
                exchange.sendResponseHeaders(status, -1);
                return OutputStream.nullOutputStream();
            }
            // For this server -1 is an empty body, and 0 one of unknown length.
            exchange.sendResponseHeaders(status, length < 0 ? 0 : length == 0 ? -1 : length);
            return exchange.getResponseBody();
        }
    }
}
