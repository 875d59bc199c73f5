package io.github.kobe.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the server of a shard, and connects to it: the only one, the one that a sentinel names, or the one that has a slot of a cluster. Each
 * {@link #open} looks again.
 *
 * <p>The client of a cluster is used to read the slots only. A shard is in one slot, so its calls go to one server, and each is sent at most once.
 *
 * <p>Thread-safe.
 */
final class Servers implements AutoCloseable {

    private static final RedisCodec<String, byte[]> PUSH_CODEC =
            RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE);
    private static final int COMPUTATION_THREADS = 2; // as few as Lettuce allows

    /**
     * Where the servers are.
     *
     * @param uris those to connect to; several only for a cluster
     * @param clustered whether they are a cluster
     */
    record Addresses(List<RedisURI> uris, boolean clustered) {

        Addresses {
            uris = List.copyOf(uris);
        }

        Addresses withTimeout(Duration timeout) {
            return new Addresses(uris.stream().map(uri -> copyOf(uri, timeout)).toList(), clustered);
        }

        /** The builder of Lettuce copies no sentinels. */
        private static RedisURI copyOf(RedisURI uri, Duration timeout) {
            if (uri.getSentinels().isEmpty()) {
                return RedisURI.builder(uri).withTimeout(timeout).build();
            }
            RedisURI copy = new RedisURI();
            copy.setSentinelMasterId(uri.getSentinelMasterId());
            uri.getSentinels().forEach(sentinel -> copy.getSentinels().add(copyOf(sentinel, timeout)));
            copy.setDatabase(uri.getDatabase());
            copy.setClientName(uri.getClientName());
            copy.applySsl(uri);
            copy.applyAuthentication(uri);
            copy.setTimeout(timeout);
            return copy;
        }

        /** Returns hosts and ports, without user and password. */
        @Override
        public String toString() {
            return uris.stream().map(Servers::addressOf).collect(Collectors.joining(", "));
        }
    }

    private final Addresses addresses;
    private final Duration timeout;
    private final EventLoopGroupProvider eventLoops =
            new DefaultEventLoopGroupProvider(1); // no call waits for another thread
    private final ClientResources resources;
    private final RedisClient client;
    private final @Nullable RedisClusterClient cluster;
    private volatile @Nullable Executor eventLoop;

    Servers(Addresses addresses, Duration timeout, SslOptions ssl) {
        this.addresses = addresses.withTimeout(timeout);
        this.timeout = timeout;
        this.resources = DefaultClientResources.builder()
                .eventLoopGroupProvider(eventLoops)
                .nettyCustomizer(new NettyCustomizer() {
                    @Override
                    public void afterChannelInitialized(Channel channel) {
                        eventLoop = channel.eventLoop();
                    }
                })
                .computationThreadPoolSize(COMPUTATION_THREADS)
                .build();
        ClientOptions options = options(timeout, ssl);
        client = RedisClient.create(resources);
        client.setOptions(options);
        cluster = addresses.clustered() ? RedisClusterClient.create(resources, this.addresses.uris()) : null;
        if (cluster != null) {
            cluster.setOptions(ClusterClientOptions.builder(options).build());
        }
    }

    private static ClientOptions options(Duration timeout, SslOptions ssl) {
        return ClientOptions.builder()
                .autoReconnect(false) // otherwise commands that were sent already would be sent again
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .maintNotificationsConfig(
                        MaintNotificationsConfig.disabled()) // would move a connection, with its commands
                .timeoutOptions(TimeoutOptions.enabled(timeout))
                .socketOptions(SocketOptions.builder().connectTimeout(timeout).build())
                .sslOptions(ssl)
                .build();
    }

    /** Returns threads for short, repeated work. */
    ScheduledExecutorService timer() {
        return resources.eventExecutorGroup();
    }

    /** Returns the thread that reads from and writes to all connections; {@code null} before the first one. */
    @Nullable
    Executor eventLoop() {
        return eventLoop;
    }

    Duration timeout() {
        return timeout;
    }

    /**
     * Connects to the server that has a key.
     *
     * @param key a key of the shard
     * @param check returns why the server is of no use, or null
     */
    CompletableFuture<Link> open(String key, Function<ServerInfo, @Nullable String> check) {
        return locate(key)
                .thenCompose(this::connect)
                .thenCompose(link -> approve(link, check))
                .toCompletableFuture();
    }

    private CompletionStage<RedisURI> locate(String key) {
        RedisClusterClient slots = cluster;
        if (slots == null) {
            return CompletableFuture.completedFuture(addresses.uris().getFirst());
        }
        return slots.refreshPartitionsAsync().thenApply(done -> {
            RedisClusterNode node = slots.getPartitions().getMasterBySlot(SlotHash.getSlot(key));
            if (node == null) {
                throw new RedisException("no server has slot " + SlotHash.getSlot(key));
            }
            return node.getUri();
        });
    }

    private CompletionStage<Link> connect(RedisURI uri) {
        return client.connectAsync(StringCodec.UTF8, uri)
                .thenCompose(calls -> client.connectPubSubAsync(PUSH_CODEC, uri)
                        .thenApply(pushes -> new Link(addressOf(uri), calls, pushes))
                        .whenComplete((link, failure) -> {
                            if (failure != null) {
                                var unused = calls.closeAsync(); // nobody uses it any more
                            }
                        }));
    }

    private CompletionStage<Link> approve(Link link, Function<ServerInfo, @Nullable String> check) {
        return link.info()
                .thenApply(info -> {
                    String objection = info.objection(addresses.clustered());
                    String other = objection != null ? objection : check.apply(info);
                    if (other != null) {
                        throw new RedisException("the server at " + link + " cannot be used: " + other);
                    }
                    return link;
                })
                .whenComplete((approved, failure) -> {
                    if (failure != null) {
                        link.close();
                    }
                });
    }

    private static String addressOf(RedisURI uri) {
        if (!uri.getSentinels().isEmpty()) {
            return uri.getSentinelMasterId() + " at "
                    + uri.getSentinels().stream().map(Servers::addressOf).collect(Collectors.joining(", "));
        }
        return uri.getSocket() != null ? uri.getSocket() : uri.getHost() + ":" + uri.getPort();
    }

    /** Closes all connections and ends the threads. */
    @Override
    public void close() {
        CompletableFuture<Void> closed = client.shutdownAsync(0, timeout.toMillis(), TimeUnit.MILLISECONDS);
        if (cluster != null) {
            closed = closed.thenCompose(done -> cluster.shutdownAsync(0, timeout.toMillis(), TimeUnit.MILLISECONDS));
        }
        try {
            closed.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // the threads are ended all the same
        }
        var unused = resources.shutdown(0, timeout.toMillis(), TimeUnit.MILLISECONDS); // its daemon threads end later
        var unusedToo = eventLoops.shutdown(0, timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public String toString() {
        return addresses.toString();
    }
}
