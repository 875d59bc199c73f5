package io.github.kobe.fleet;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** The way of one node to a store, which can be disturbed. */
final class FaultyStore implements FleetStore {

    enum Fault {
        NONE,
        /** Calls are answered, but pushes are lost. */
        LOSES_PUSHES,
        /** Calls fail, and pushes are lost. */
        FAILS,
        /** Calls are never answered, and pushes are lost. */
        SILENT,
        /** Calls throw, against the contract. */
        THROWS,
        /** Calls return no stage, against the contract. */
        RETURNS_NULL,
        /** Answers are those to other calls, against the contract. */
        WRONG_ANSWER
    }

    private static final Executor SENDER =
            Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());

    private final FleetStore store;
    private volatile Fault fault = Fault.NONE;

    FaultyStore(FleetStore store) {
        this.store = store;
    }

    void set(Fault kind) {
        fault = kind;
    }

    @Override
    public Connection connect(String fleet, Listener listener) {
        Connection connection = store.connect(fleet, new Listener() {
            @Override
            public void pushed(int shard, FleetPush push) {
                if (fault == Fault.NONE) {
                    listener.pushed(shard, push);
                }
            }

            @Override
            public void available(int shard) {
                listener.available(shard);
            }
        });
        return new ForwardingConnection(connection) {
            @Override
            @SuppressWarnings("NullAway") // returns null on purpose
            public CompletionStage<FleetReply> call(int shard, FleetRequest request) {
                return switch (fault) {
                    case NONE, LOSES_PUSHES -> super.call(shard, request);
                    case FAILS -> CompletableFuture.failedStage(new IllegalStateException("cut off"));
                    case SILENT -> new CompletableFuture<>();
                    case THROWS -> throw new IllegalStateException("thrown by the store");
                    case RETURNS_NULL -> null;
                    case WRONG_ANSWER -> CompletableFuture.completedFuture(new FleetReply.Configured(true, 1));
                };
            }

            @Override
            public @Nullable Executor sender() {
                return switch (fault) {
                    case NONE -> SENDER;
                    case FAILS ->
                        work -> {
                            throw new RejectedExecutionException("cut off");
                        };
                    case SILENT -> work -> {};
                    case THROWS -> throw new IllegalStateException("thrown by the store");
                    case LOSES_PUSHES, RETURNS_NULL, WRONG_ANSWER -> null;
                };
            }
        };
    }
}
