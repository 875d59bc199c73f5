package io.github.kobe.fleet;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A connection to a store that does what another one does. Subclasses disturb it, or watch. */
class ForwardingConnection implements FleetStore.Connection {

    private final FleetStore.Connection connection;

    ForwardingConnection(FleetStore.Connection connection) {
        this.connection = connection;
    }

    @Override
    public int shards() {
        return connection.shards();
    }

    @Override
    public CompletionStage<FleetReply> call(int shard, FleetRequest request) {
        return connection.call(shard, request);
    }

    @Override
    public @Nullable Executor sender() {
        return connection.sender();
    }

    @Override
    public void close() {
        connection.close();
    }
}
