package io.github.kobe.console;

import java.net.URI;

/**
 * A page that shows what executors do, live, and lets an operator change their limits. It is served by the JDK's web server.
 *
 * <pre>{@code
 * try (Console console = Console.builder().add(executor).editable(true).start()) {
 *     System.out.println(console.uri());
 *     …
 * }
 * }</pre>
 *
 * <p><b>Secure by default.</b> The server listens on the loopback address. Every request for data must have a token, which {@link #uri} contains and
 * which is logged once at the start. Nothing can be changed without {@link ConsoleBuilder#editable}.
 *
 * <p>The console keeps no group alive. While no browser shows it, it has no thread and no timer of its own and reads nothing; the JDK's server has
 * one thread that accepts connections. All its threads are daemons.
 *
 * <p>Safe for use by several threads.
 */
public final class Console implements AutoCloseable {

    private final JdkServer server;
    private final ConsoleHandler handler;
    private final URI uri;

    Console(JdkServer server, ConsoleHandler handler, URI uri) {
        this.server = server;
        this.handler = handler;
        this.uri = uri;
    }

    /** Returns a builder with the defaults that its methods name. */
    public static ConsoleBuilder builder() {
        return new ConsoleBuilder();
    }

    /** Returns the address of the page. It contains the token, if there is one, so everybody who has the address may use the console. */
    public URI uri() {
        return uri;
    }

    /** Returns the port that the server listens on. */
    public int port() {
        return server.address().getPort();
    }

    /** Closes all connections and frees the port. The executors are not affected. A second call has no effect. */
    @Override
    public void close() {
        handler.close();
        server.stop();
    }

    ConsoleHandler handler() {
        return handler;
    }

    /** Returns the address without the token. */
    @Override
    public String toString() {
        return "Console[port " + port() + "]";
    }
}
