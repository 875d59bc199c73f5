package io.github.kobe.redis;

import io.github.kobe.fleet.FleetStore;
import io.github.kobe.redis.Servers.Addresses;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.cluster.RedisClusterURIUtil;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A store in Redis 6.2 or later, or Valkey 7.2 or later: one server, servers with Sentinel, or a cluster.
 *
 * <p>A call is executed by one script, in one step. A call is sent at most once: if a connection breaks, calls that were not answered fail, and a new
 * connection is opened in the background, for as long as it takes. {@code docs/guide/operate-the-fleet.md} has the settings that the server
 * needs, and the keys.
 *
 * <p>Immutable. Nothing is connected before {@link #connect}. Each connection has its own threads and sockets: two sockets for each shard.
 */
public final class RedisStore implements FleetStore {

    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(2);
    private static final int DEFAULT_SHARDS_OF_A_CLUSTER = 8;
    private static final int MAX_SHARDS = 1024;

    private final Addresses addresses;
    private final Duration timeout;
    private final int shards;
    private final SslOptions ssl;
    private final Scripts scripts;

    private RedisStore(Builder builder) {
        this.addresses = builder.addresses;
        this.timeout = builder.timeout;
        this.shards = builder.shards;
        this.ssl = builder.ssl;
        this.scripts = builder.scripts;
    }

    /**
     * Returns the store at a URI, with default settings.
     *
     * @param uri see {@link #builder(String)}
     * @throws IllegalArgumentException if the URI is not valid. The message does not contain the URI, which may contain a password
     */
    public static RedisStore at(String uri) {
        return builder(uri).build();
    }

    /**
     * Begins the settings of a store.
     *
     * <table>
     * <caption>URIs</caption>
     * <tr><td>one server</td><td>{@code redis://[[user:]password@]host[:port]}</td></tr>
     * <tr><td>Sentinel</td><td>{@code redis-sentinel://[[user:]password@]host[:port][,host…]#primary}</td></tr>
     * <tr><td>a cluster</td><td>{@code redis-cluster://[[user:]password@]host[:port][,host…]}</td></tr>
     * </table>
     *
     * With {@code rediss} instead of {@code redis} connections are encrypted, and the certificate of the server is verified. The parameter {@code timeout}
     * is that of {@link Builder#timeout}.
     *
     * @param uri the URI
     * @throws IllegalArgumentException if the URI is not valid. The message does not contain the URI, which may contain a password
     */
    public static Builder builder(String uri) {
        return new Builder(parse(Objects.requireNonNull(uri, "uri")));
    }

    /** Begins the settings of a store at one server, or with Sentinel. */
    public static Builder builder(RedisURI uri) {
        return new Builder(new Addresses(List.of(uri), false));
    }

    @Override
    public Connection connect(String fleet, Listener listener) {
        Objects.requireNonNull(listener, "listener");
        List<ShardKeys> keys = new ArrayList<>();
        for (int shard = 0; shard < shards; shard++) {
            keys.add(new ShardKeys(fleet, shard));
        }
        Servers servers = servers();
        Notices notices = new Notices(fleet);
        List<ShardConnection> connections = new ArrayList<>();
        for (int shard = 0; shard < shards; shard++) {
            connections.add(new ShardConnection(shard, servers, keys.get(shard), scripts, listener, notices));
        }
        RedisConnection connection = new RedisConnection(servers, connections);
        connection.connect();
        return connection;
    }

    /** Returns the servers, without connecting. The caller closes them. */
    Servers servers() {
        return new Servers(addresses, timeout, ssl);
    }

    private static Addresses parse(String uri) {
        URI parsed;
        try {
            parsed = new URI(uri);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(
                    "uri must be a URI, but is none: " + e.getReason() + " at " + e.getIndex()); // without the URI
        }
        String scheme = String.valueOf(parsed.getScheme());
        return switch (scheme) {
            case "redis", "rediss", "redis-sentinel", "rediss-sentinel", "redis-socket" ->
                new Addresses(List.of(lettuceUri(parsed)), false);
            case "redis-cluster", "rediss-cluster" -> clusterOf(uri, scheme);
            default ->
                throw new IllegalArgumentException("the scheme of uri must be redis, rediss, redis-sentinel,"
                        + " rediss-sentinel, redis-cluster or rediss-cluster, but is '" + LogText.of(scheme) + "'");
        };
    }

    private static RedisURI lettuceUri(URI uri) {
        try {
            return RedisURI.create(uri);
        } catch (RuntimeException e) {
            throw notValid();
        }
    }

    private static Addresses clusterOf(String uri, String scheme) {
        String plainScheme = scheme.replace("-cluster", "");
        try {
            return new Addresses(
                    RedisClusterURIUtil.toRedisURIs(URI.create(plainScheme + uri.substring(scheme.length()))), true);
        } catch (RuntimeException e) {
            throw notValid();
        }
    }

    /** Without the URI and without a cause, which would contain it. */
    private static IllegalArgumentException notValid() {
        return new IllegalArgumentException("uri must have a host, and a port, database and parameters that are valid");
    }

    /** Returns the addresses, without user and password. */
    @Override
    public String toString() {
        return "RedisStore[" + addresses + ", shards=" + shards + ", timeout=" + timeout + "]";
    }

    /** Settings of a {@link RedisStore}. Not thread-safe. */
    public static final class Builder {
        private final Addresses addresses;
        private Duration timeout;
        private int shards;
        private SslOptions ssl = SslOptions.create();
        private Scripts scripts = Scripts.standard();

        private Builder(Addresses addresses) {
            this.addresses = addresses;
            Duration given = addresses.uris().getFirst().getTimeout();
            this.timeout = given.equals(RedisURI.DEFAULT_TIMEOUT_DURATION) ? DEFAULT_TIMEOUT : given;
            this.shards = addresses.clustered() ? DEFAULT_SHARDS_OF_A_CLUSTER : 1;
        }

        /**
         * Sets how long a connection may take to be opened, and a call to be answered. After that, the connection is replaced. The default is 2 seconds.
         *
         * @throws IllegalArgumentException if it is not at least 10 milliseconds
         */
        public Builder timeout(Duration time) {
            if (time.toMillis() < 10) {
                throw new IllegalArgumentException("timeout must be at least PT0.01S, but is " + time);
            }
            timeout = time;
            return this;
        }

        /**
         * Sets the number of shards. It must be the same for all nodes of a fleet, for as long as the fleet exists. Each shard is in one slot of a cluster, and each node
         * sends its heartbeats to each shard. The default is 8 for a cluster, and otherwise 1.
         *
         * @throws IllegalArgumentException if it is not between 1 and 1024
         */
        public Builder shards(int number) {
            if (number < 1 || number > MAX_SHARDS) {
                throw new IllegalArgumentException("shards must be between 1 and " + MAX_SHARDS + ", but is " + number);
            }
            shards = number;
            return this;
        }

        /** Sets which certificates of servers are trusted, and the one that is shown to them. The default is what the JVM trusts. */
        public Builder ssl(SslOptions options) {
            ssl = Objects.requireNonNull(options, "options");
            return this;
        }

        /** Replaces the scripts, for tests that set the time of the server. */
        Builder scripts(Scripts replacement) {
            scripts = replacement;
            return this;
        }

        /** Returns the store. */
        public RedisStore build() {
            return new RedisStore(this);
        }
    }
}
