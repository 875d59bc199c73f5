package io.github.kobe.redis;

import io.github.kobe.fleet.Claim;
import io.github.kobe.fleet.FleetReply;
import io.github.kobe.fleet.FleetReply.Exchanged;
import io.github.kobe.fleet.FleetReply.Joined;
import io.github.kobe.fleet.FleetRequest;
import io.github.kobe.fleet.FleetStore;
import io.github.kobe.fleet.Grant;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.awaitility.Awaitility;

/** A node that does what a test tells it, one call after the other. Not thread-safe. */
final class TestNode implements AutoCloseable {

    static final String FLEET = "orders";
    static final long TTL = 10_000;

    final RecordingListener listener = new RecordingListener();
    final FleetStore.Connection connection;
    private final String name;
    private String incarnation = "";
    private long seq;

    TestNode(String name, RedisStore store) {
        this.name = name;
        this.connection = store.connect(FLEET, listener);
    }

    /** Sends a call, and returns the stage of its answer. */
    CompletableFuture<FleetReply> send(FleetRequest request) {
        return connection.call(0, request).toCompletableFuture();
    }

    /** Sends a call, and waits for its answer. */
    FleetReply call(FleetRequest request) {
        return answerTo(send(request));
    }

    static FleetReply answerTo(CompletableFuture<FleetReply> call) {
        try {
            return call.get(60, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException | InterruptedException e) {
            throw new AssertionError("there was no answer", e);
        }
    }

    FleetRequest.Hello nextHello() {
        return new FleetRequest.Hello(name, ++seq, "node " + name, TTL, 0, connection.shards(), true);
    }

    FleetRequest.Exchange nextExchange(String group, int keep, int wanted) {
        int known = 4; // so that nothing is granted again
        return new FleetRequest.Exchange(
                name,
                ++seq,
                incarnation,
                true,
                List.of(new Claim(group, 4, 0, Math.max(keep, known), keep, 0, wanted, 0)));
    }

    FleetRequest.Exchange nextHeartbeat() {
        return new FleetRequest.Exchange(name, ++seq, incarnation, true, List.of());
    }

    /** Begins the session, as soon as there is a connection. */
    Joined join() {
        Joined joined = (Joined) awaitAnswerTo(this::nextHello);
        incarnation = joined.incarnation();
        return joined;
    }

    Grant claim(String group, int keep, int wanted) {
        return ((Exchanged) call(nextExchange(group, keep, wanted))).grants().getFirst();
    }

    /** Sends heartbeats until one is answered. */
    FleetReply awaitAnswer() {
        return awaitAnswerTo(this::nextHeartbeat);
    }

    private FleetReply awaitAnswerTo(Supplier<FleetRequest> requests) {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .until(
                        () -> send(requests.get())
                                .exceptionally(failure -> null)
                                .get(60, TimeUnit.SECONDS),
                        reply -> reply != null);
    }

    @Override
    public void close() {
        connection.close();
    }
}
