package io.github.kobe.fleet;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The port to the store that the nodes of a fleet share. An implementation executes each {@link FleetRequest} as {@link InMemoryStore} does. The
 * tests of the core contain a kit that compares the two.
 *
 * <p>Thread-safe.
 */
public interface FleetStore {

    /**
     * Opens a connection of one node.
     *
     * @param fleet the name of the fleet: letters, digits, '.', '-' and '_'
     * @param listener is told of pushes; must return soon, and must not throw
     * @throws IllegalArgumentException if the name is not valid
     */
    Connection connect(String fleet, Listener listener);

    /** A connection of one node to all shards of a fleet. Thread-safe. */
    interface Connection extends AutoCloseable {

        /** Returns the number of shards. It is the same for all nodes of a fleet, for as long as the fleet exists. */
        int shards();

        /**
         * Executes a call. The stage completes with the answer, or exceptionally if it is not known whether the call was executed. A call is
         * sent at most once: an implementation that repeats it by itself would execute it after later ones. Before a {@link FleetRequest.Hello} is
         * executed, pushes for its session can be received. Never throws.
         *
         * @param shard the shard, from 0
         * @param request the call
         */
        CompletionStage<FleetReply> call(int shard, FleetRequest request);

        /**
         * Returns the thread that sends calls, if there is one, otherwise {@code null}: a call that is made on it needs no other thread to wake up. The fleet gives it short
         * work, which does not throw and must not run in {@code execute}. If it rejects that or never runs it, the fleet does it itself, later.
         */
        default @Nullable Executor sender() {
            return null;
        }

        /** Closes the connection. Calls that are not answered complete exceptionally. Only the first call has an effect. */
        @Override
        void close();
    }

    /** Is told of what happens without a call. It may be called by several threads at the same time. */
    interface Listener {

        /** A push has come. */
        void pushed(int shard, FleetPush push);

        /** The shard can be reached again, after it could not, or pushes may have been lost. */
        void available(int shard);
    }
}
