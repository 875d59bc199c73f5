package io.github.kobe.fleet;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * A store in the memory of this JVM, for tests and for several executors in one process. It is also the executable specification of every other
 * store: the answer to a call depends only on the calls before it, and on the clock.
 *
 * <p>It has one shard. A call is executed and answered on the thread of the caller, and so are the pushes to other nodes.
 *
 * <p>Thread-safe.
 */
public final class InMemoryStore implements FleetStore {

    private final LongSupplier millis;
    private final String run = UUID.randomUUID().toString();
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, ShardState> fleets = new TreeMap<>(); // under the lock
    private final Map<String, Listener> listeners = new ConcurrentHashMap<>(); // by session

    /** Creates an empty store with a clock that is never set back. */
    public InMemoryStore() {
        this(() -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
    }

    /**
     * Creates an empty store.
     *
     * @param millis the clock of the store, in milliseconds from any instant
     */
    public InMemoryStore(LongSupplier millis) {
        this.millis = Objects.requireNonNull(millis, "millis");
    }

    @Override
    public Connection connect(String fleet, Listener listener) {
        return new MemoryConnection(FleetNames.checkFleet(fleet), Objects.requireNonNull(listener, "listener"));
    }

    private FleetReply execute(String fleet, FleetRequest request) {
        ShardState.Result result;
        lock.lock();
        try {
            ShardState shard = fleets.computeIfAbsent(fleet, name -> new ShardState());
            result = shard.call(request, millis.getAsLong(), run);
        } finally {
            lock.unlock();
        }
        for (FleetPush push : result.pushes()) {
            Listener listener = listeners.get(push.session());
            if (listener != null) {
                listener.pushed(0, push);
            }
        }
        return result.reply();
    }

    private final class MemoryConnection implements Connection {

        private final String fleet;
        private final Listener listener;
        private final List<String> sessions = new ArrayList<>(); // under its own monitor
        private volatile boolean closed;

        MemoryConnection(String fleet, Listener listener) {
            this.fleet = fleet;
            this.listener = listener;
        }

        @Override
        public int shards() {
            return 1;
        }

        @Override
        public CompletionStage<FleetReply> call(int shard, FleetRequest request) {
            if (closed) {
                return CompletableFuture.failedFuture(new IllegalStateException("the connection is closed"));
            }
            if (request instanceof FleetRequest.Hello hello) {
                listen(hello.session());
            }
            FleetReply reply = execute(fleet, request);
            forgetIfOver(request, reply);
            return CompletableFuture.completedFuture(reply);
        }

        /** A session that has ended, or that the store does not know, gets no pushes. */
        private void forgetIfOver(FleetRequest request, FleetReply reply) {
            String session = switch (request) {
                case FleetRequest.Bye bye -> bye.session();
                case FleetRequest.Exchange exchange when reply instanceof FleetReply.Rejoin -> exchange.session();
                default -> "";
            };
            synchronized (sessions) {
                if (sessions.remove(session)) {
                    listeners.remove(session);
                }
            }
        }

        private void listen(String session) {
            synchronized (sessions) {
                sessions.add(session);
                listeners.put(session, listener);
            }
        }

        @Override
        public void close() {
            closed = true;
            synchronized (sessions) {
                sessions.forEach(listeners::remove);
                sessions.clear();
            }
        }
    }
}
