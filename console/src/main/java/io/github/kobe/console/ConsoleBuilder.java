package io.github.kobe.console;

import io.github.kobe.GroupExecutor;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.pool.WorkerPool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Builds a {@link Console}, or a {@link ConsoleHandler} for another server. Not thread-safe. */
public final class ConsoleBuilder {

    private static final System.Logger LOG = System.getLogger("io.github.kobe.console");
    private static final int MAX_PORT = 65_535;
    private static final int HTTP_PORT = 80;
    private static final int MAX_TITLE = 60;
    private static final List<String> LOOPBACK_NAMES = List.of("localhost", "127.0.0.1", "[::1]");

    private final List<GroupExecutor> groups = new ArrayList<>();
    private final List<WorkerPool> pools = new ArrayList<>();
    private final List<IsolationExecutor> isolation = new ArrayList<>();
    private final List<Fleet> fleets = new ArrayList<>();
    private final Set<String> allowedHosts = new HashSet<>();
    private String title = "group-concurrency";
    private boolean editable;
    private int port;
    private @Nullable InetAddress address;
    private boolean allowRemote;
    private boolean allowAnyHost;
    private @Nullable Token token;
    private @Nullable ConsoleAuthenticator authenticator;
    private Duration every = Snapshots.EVERY;
    private Duration stalledAfter = Streams.STALLED_AFTER;
    private Duration longestStream = Streams.LONGEST;

    ConsoleBuilder() {}

    /** Shows the groups of an executor. */
    public ConsoleBuilder add(GroupExecutor executor) {
        groups.add(Objects.requireNonNull(executor, "executor"));
        return this;
    }

    /** Shows a pool. */
    public ConsoleBuilder add(WorkerPool pool) {
        pools.add(Objects.requireNonNull(pool, "pool"));
        return this;
    }

    /** Shows an isolation executor. */
    public ConsoleBuilder add(IsolationExecutor executor) {
        isolation.add(Objects.requireNonNull(executor, "executor"));
        return this;
    }

    /** Shows a fleet: its nodes, and who holds, wants and owes permits of the groups that this JVM uses. While somebody looks at that, the store is asked once a second. */
    public ConsoleBuilder add(Fleet fleet) {
        fleets.add(Objects.requireNonNull(fleet, "fleet"));
        return this;
    }

    /**
     * The title of the page, such as the name of the application. Default "group-concurrency".
     *
     * @throws IllegalArgumentException if it is blank or has more than 60 characters
     */
    public ConsoleBuilder title(String title) {
        Objects.requireNonNull(title, "title");
        check(!title.isBlank() && title.length() <= MAX_TITLE, "title", "not blank and at most 60 characters", title);
        this.title = title;
        return this;
    }

    /** Whether limits can be changed. Default false: requests that would change anything are refused. */
    public ConsoleBuilder editable(boolean editable) {
        this.editable = editable;
        return this;
    }

    /**
     * The port to listen on; 0 for any that is free. Default 0.
     *
     * @throws IllegalArgumentException if it is negative or more than 65535
     */
    public ConsoleBuilder port(int port) {
        check(port >= 0 && port <= MAX_PORT, "port", "from 0 to " + MAX_PORT, port);
        this.port = port;
        return this;
    }

    /**
     * The address to listen on. Default 127.0.0.1. Any address that is not a loopback address needs {@link #allowRemote}. The connection is not
     * encrypted: for that, put a proxy in front.
     */
    public ConsoleBuilder address(InetAddress address) {
        this.address = Objects.requireNonNull(address, "address");
        return this;
    }

    /**
     * Whether the console may listen on an address that other machines can reach. It then also needs a {@link #token} of yours or an
     * {@link #authenticator}. Default false.
     */
    public ConsoleBuilder allowRemote(boolean allowRemote) {
        this.allowRemote = allowRemote;
        return this;
    }

    /**
     * A name, with its port unless that is the default port of the protocol, that browsers know the console by, such as "ops.example.com" behind a
     * proxy, or "localhost:9000" behind an SSH tunnel. May be called several times. Requests by other names are refused, except for the loopback
     * names and the address with the port of this console.
     *
     * @throws IllegalArgumentException if it is blank or has characters that no name has
     */
    public ConsoleBuilder allowedHost(String host) {
        Objects.requireNonNull(host, "host");
        check(host.matches("[A-Za-z0-9.:\\[\\]_-]+"), "allowedHost", "a name such as ops.example.com:8443", host);
        allowedHosts.add(Access.lowerCase(host));
        return this;
    }

    /**
     * Whether any name is allowed, for a server in front that checks names itself. Needs an {@link #authenticator}, because a page of another site could
     * send requests by a name of its own. A request that says which page it comes from must still come from a page of the name that it was sent to, or of
     * an {@link #allowedHost}. Default false.
     */
    public ConsoleBuilder allowAnyHost(boolean allowAnyHost) {
        this.allowAnyHost = allowAnyHost;
        return this;
    }

    /**
     * The token that every request for data must have. Default a new one of 256 random bits, which is logged once, as part of the address. A token given
     * here is not logged.
     *
     * @throws IllegalArgumentException if it has fewer than 32 or more than 512 characters, or one that is not a letter, a digit or one of . _ ~ -
     */
    public ConsoleBuilder token(String token) {
        this.token = Token.of(Objects.requireNonNull(token, "token"));
        return this;
    }

    /** Decides who may use the console, in place of a token. */
    public ConsoleBuilder authenticator(ConsoleAuthenticator authenticator) {
        this.authenticator = Objects.requireNonNull(authenticator, "authenticator");
        return this;
    }

    /** How often a snapshot is taken. For tests. */
    ConsoleBuilder every(Duration period) {
        this.every = period;
        return this;
    }

    /** After how long a client that does not read, or does not finish its request, may be dropped. For tests. */
    ConsoleBuilder stalledAfter(Duration time) {
        this.stalledAfter = time;
        return this;
    }

    /** After how long a stream ends. For tests. */
    ConsoleBuilder longestStream(Duration time) {
        this.longestStream = time;
        return this;
    }

    /**
     * Starts the server.
     *
     * @throws IllegalArgumentException if no executor was added, or if the settings contradict each other
     * @throws UncheckedIOException if the server cannot listen on the address and the port
     */
    public Console start() {
        checkSettings();
        InetAddress bound = address == null ? loopback() : address;
        checkRemote(bound);
        JdkServer server;
        try {
            server = JdkServer.bind(new InetSocketAddress(bound, port));
        } catch (IOException e) {
            throw new UncheckedIOException("the console cannot listen on " + bound.getHostAddress() + ":" + port, e);
        }
        Token secret = authenticator != null ? null : token != null ? token : Token.random();
        int actualPort = server.address().getPort();
        ConsoleHandler handler = handler(secret, hostsOf(bound, actualPort));
        server.start(handler, stalledAfter);
        String plain = "http://" + hostOf(bound) + ":" + actualPort + "/";
        URI uri = URI.create(secret == null ? plain : plain + "#token=" + secret.secret());
        LOG.log(System.Logger.Level.INFO, "console: {0}", token == null ? uri : plain);
        return new Console(server, handler, uri);
    }

    /**
     * Returns a handler for another server. That server decides about addresses and ports. {@link #authenticator} or {@link #token} is required, because
     * a random token would be known to nobody; and {@link #allowedHost} or {@link #allowAnyHost}, because the handler does not know the port.
     *
     * @throws IllegalArgumentException if no executor was added, or if one of these settings is missing
     */
    public ConsoleHandler handler() {
        checkSettings();
        require(authenticator != null || token != null, "a handler needs an authenticator or a token");
        require(allowAnyHost || !allowedHosts.isEmpty(), "a handler needs allowedHost or allowAnyHost");
        return handler(authenticator != null ? null : token, allowedHosts);
    }

    private ConsoleHandler handler(@Nullable Token secret, Set<String> hosts) {
        return new ConsoleHandler(
                new Access(hosts, allowAnyHost, secret, authenticator),
                new Watched(groups, pools, isolation, fleets),
                title,
                editable,
                every,
                new Streams(stalledAfter, longestStream));
    }

    private void checkSettings() {
        require(
                !new Watched(groups, pools, isolation, fleets).isEmpty(),
                "a console needs at least one executor, see add");
        require(authenticator == null || token == null, "a console has a token or an authenticator, but not both");
        require(!allowAnyHost || authenticator != null, "allowAnyHost needs an authenticator");
    }

    private void checkRemote(InetAddress bound) {
        if (bound.isLoopbackAddress()) {
            return;
        }
        require(
                allowRemote,
                "address must be a loopback address unless allowRemote is set, but is " + bound.getHostAddress());
        require(
                authenticator != null || token != null,
                "a console that listens on " + bound.getHostAddress() + " needs a token or an authenticator");
    }

    private Set<String> hostsOf(InetAddress bound, int actualPort) {
        Set<String> names = new HashSet<>(allowedHosts);
        List<String> own = new ArrayList<>(LOOPBACK_NAMES);
        own.add(Access.lowerCase(hostOf(bound)));
        for (String name : own) {
            names.add(name + ":" + actualPort);
            if (actualPort == HTTP_PORT) {
                names.add(name);
            }
        }
        return names;
    }

    /** Not {@link InetAddress#getLoopbackAddress}, which may be that of the other protocol, and so not the one that is documented. */
    private static InetAddress loopback() {
        try {
            return InetAddress.getByAddress("127.0.0.1", new byte[] {127, 0, 0, 1});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String hostOf(InetAddress bound) {
        String text = bound.getHostAddress();
        return bound instanceof Inet6Address ? "[" + text.replaceFirst("%.*", "") + "]" : text;
    }

    private static void require(boolean valid, String message) {
        if (!valid) {
            throw new IllegalArgumentException(message);
        }
    }

    private static void check(boolean valid, String name, String should, Object value) {
        require(valid, name + " must be " + should + ", but is " + Printable.of(String.valueOf(value)));
    }
}
