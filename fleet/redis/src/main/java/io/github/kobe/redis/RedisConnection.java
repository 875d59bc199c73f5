package io.github.kobe.redis;

import io.github.kobe.fleet.FleetReply;
import io.github.kobe.fleet.FleetRequest;
import io.github.kobe.fleet.FleetStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The connection of one node to all shards. Thread-safe. */
final class RedisConnection implements FleetStore.Connection {

    private final Servers servers;
    private final List<ShardConnection> shards;
    private final AtomicBoolean closed = new AtomicBoolean();

    RedisConnection(Servers servers, List<ShardConnection> shards) {
        this.servers = servers;
        this.shards = List.copyOf(shards);
    }

    /** Connects to all shards, and waits until that has succeeded or failed once. */
    void connect() {
        CompletableFuture<?>[] attempts =
                shards.stream().map(ShardConnection::connect).toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture.allOf(attempts).get(3 * servers.timeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // it goes on in the background, and says so
        }
    }

    @Override
    public int shards() {
        return shards.size();
    }

    @Override
    public CompletionStage<FleetReply> call(int shard, FleetRequest request) {
        if (closed.get()) {
            return CompletableFuture.failedStage(new IllegalStateException("the connection is closed"));
        }
        return shards.get(shard).call(request);
    }

    @Override
    public @Nullable Executor sender() {
        return servers.eventLoop();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            shards.forEach(ShardConnection::close);
            servers.close();
        }
    }
}
