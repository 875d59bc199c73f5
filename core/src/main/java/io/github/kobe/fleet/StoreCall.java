package io.github.kobe.fleet;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A call of a store that may break its contract. */
final class StoreCall {

    private StoreCall() {}

    /** Calls the store. The stage fails if the store throws or returns null, against its contract. It may never complete. Never throws. */
    static CompletionStage<FleetReply> send(FleetStore.Connection connection, int shard, FleetRequest request) {
        try {
            return Objects.requireNonNull(connection.call(shard, request), "the store returned null");
        } catch (Throwable fault) {
            return CompletableFuture.failedStage(fault);
        }
    }
}
