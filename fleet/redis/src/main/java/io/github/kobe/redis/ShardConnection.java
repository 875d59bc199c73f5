package io.github.kobe.redis;

import io.github.kobe.fleet.FleetPush;
import io.github.kobe.fleet.FleetReply;
import io.github.kobe.fleet.FleetRequest;
import io.github.kobe.fleet.FleetStore;
import io.github.kobe.redis.Notices.Kind;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import java.lang.System.Logger.Level;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one shard connected.
 *
 * <pre>
 *   CONNECTING ──attempt succeeds──▶ CONNECTED ──link breaks──▶ CONNECTING
 *       │ ▲                              │
 *       └─┘ attempt fails, after a pause └──close──▶ CLOSED
 * </pre>
 *
 * While there is no link, calls fail at once: a node repeats them with its next heartbeat, or when it is told that the shard is available. A link
 * breaks if a connection is closed, if an answer does not come in time, or if the server says that another one should be asked.
 *
 * <p>Thread-safe.
 */
final class ShardConnection {

    private static final long FIRST_PAUSE_MILLIS = 25;
    private static final int MAX_DOUBLINGS = 5;

    /** Errors that mean: connect again, to find the server that is in charge now. */
    private static final List<String> ELSEWHERE =
            List.of("READONLY", "MOVED", "ASK", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "UNBLOCKED");

    private final int shard;
    private final Servers servers;
    private final ShardKeys keys;
    private final Scripts scripts;
    private final FleetStore.Listener listener;
    private final Notices notices;

    private final ReentrantLock lock = new ReentrantLock();

    /** Those whose pushes are listened to; under the lock, as all that follows. */
    private final Set<String> sessions = new LinkedHashSet<>();

    /** Read by each call without the lock. */
    private volatile @Nullable Link link;

    private int failures; // attempts since the last link, or breakages of a link
    private boolean closed;

    ShardConnection(
            int shard,
            Servers servers,
            ShardKeys keys,
            Scripts scripts,
            FleetStore.Listener listener,
            Notices notices) {
        this.shard = shard;
        this.servers = servers;
        this.keys = keys;
        this.scripts = scripts;
        this.listener = listener;
        this.notices = notices;
    }

    // ---- the link ---------------------------------------------------------------------------------------------

    /** Tries to connect. The stage completes when this attempt has succeeded or failed; if it has failed, others follow. */
    CompletableFuture<?> connect() {
        if (isClosed()) {
            return CompletableFuture.completedFuture(null);
        }
        return servers.open(keys.meta(), this::check)
                .thenCompose(opened -> opened.subscribe(channels())
                        .<Link>thenApply(done -> opened)
                        .whenComplete((done, failure) -> {
                            if (failure != null) {
                                opened.close();
                            }
                        }))
                .handle((opened, failure) -> {
                    if (failure == null) {
                        opened(opened);
                    } else {
                        failed(Link.causeOf(failure));
                    }
                    return null;
                });
    }

    private @Nullable String check(ServerInfo info) {
        if (info.evicts()) {
            notices.say(
                    Level.WARNING,
                    Kind.EVICTION,
                    "maxmemory-policy of " + servers + " must be noeviction or volatile-*, but is "
                            + LogText.of(info.evictionPolicy())
                            + ": if the server evicts keys of a fleet, its limits do not hold");
        }
        return null;
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    private List<String> channels() {
        lock.lock();
        try {
            return sessions.stream().map(keys::channel).toList();
        } finally {
            lock.unlock();
        }
    }

    private void opened(Link opened) {
        opened.watch(servers.timer(), servers.timeout().toMillis(), this::push, this::broke);
        boolean wasAway;
        lock.lock();
        try {
            if (closed) {
                opened.close();
                return;
            }
            if (opened.isBroken()) {
                retryLater();
                return;
            }
            link = opened;
            wasAway = failures > 0;
            failures = 0;
        } finally {
            lock.unlock();
        }
        if (wasAway) {
            notices.say(Level.INFO, Kind.BACK, "shard " + shard + " is connected to " + opened);
            listener.available(shard);
        }
    }

    private void failed(Throwable why) {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            retryLater();
        } finally {
            lock.unlock();
        }
        notices.say(
                Level.WARNING,
                Kind.UNREACHABLE,
                "shard " + shard + " cannot connect to " + servers + ", and tries again: " + reason(why));
    }

    private void broke(Link broken, Throwable why) {
        lock.lock();
        try {
            if (link != broken) {
                return;
            }
            link = null;
            retryLater();
        } finally {
            lock.unlock();
        }
        notices.say(
                Level.WARNING,
                Kind.LOST,
                "shard " + shard + " has lost its connection to " + broken + ", and connects again: " + reason(why));
    }

    /** Under the lock. The pause becomes longer with each failure, and is random, so that a thousand nodes do not come at the same time. */
    private void retryLater() {
        long pause = FIRST_PAUSE_MILLIS << Math.min(failures++, MAX_DOUBLINGS);
        long random = ThreadLocalRandom.current().nextLong(pause / 2, pause + 1);
        try {
            var unused = servers.timer().schedule(this::connectAgain, random, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            closed = true; // the threads have ended
        }
    }

    /** If it fails, it tries again by itself. */
    private void connectAgain() {
        var unused = connect();
    }

    static String reason(Throwable why) {
        Throwable root = why;
        while (root.getCause() != null) { // never the throwable itself
            root = root.getCause();
        }
        String message = root.getMessage();
        return LogText.of(message == null ? root.toString() : message);
    }

    // ---- calls ------------------------------------------------------------------------------------------------

    CompletionStage<FleetReply> call(FleetRequest request) {
        Link current = link;
        if (current == null) {
            return CompletableFuture.failedStage(
                    new RedisConnectionException("shard " + shard + " is not connected to " + servers));
        }
        List<String> arguments;
        try {
            arguments = Arguments.of(request);
        } catch (IllegalArgumentException e) {
            return CompletableFuture.failedStage(e);
        }
        return listenIfHello(current, request)
                .thenCompose(ready -> current.run(scripts.of(request), keys.of(request), arguments))
                .thenApply(answer -> Answers.read(request, answer))
                .whenComplete((reply, failure) -> {
                    if (failure == null) {
                        forgetIfOver(current, request, reply);
                    } else {
                        callFailed(current, Link.causeOf(failure));
                    }
                });
    }

    /** Subscribes to the pushes of a session before it begins. */
    private CompletionStage<?> listenIfHello(Link current, FleetRequest request) {
        if (!(request instanceof FleetRequest.Hello hello)) {
            return CompletableFuture.completedFuture(null);
        }
        lock.lock();
        try {
            sessions.add(hello.session());
        } finally {
            lock.unlock();
        }
        return current.subscribe(List.of(keys.channel(hello.session())));
    }

    /** A session that the store does not know, or that has ended, gets no pushes. */
    private void forgetIfOver(Link current, FleetRequest request, FleetReply reply) {
        String session = switch (request) {
            case FleetRequest.Hello hello -> hello.session();
            case FleetRequest.Exchange exchange -> exchange.session();
            case FleetRequest.Bye bye -> bye.session();
            default -> "";
        };
        boolean over = reply instanceof FleetReply.Rejoin
                || reply instanceof FleetReply.Refused
                || (reply instanceof FleetReply.Reaped && request instanceof FleetRequest.Bye);
        if (!over || session.isEmpty()) {
            return;
        }
        boolean removed;
        lock.lock();
        try {
            removed = sessions.remove(session);
        } finally {
            lock.unlock();
        }
        if (removed) {
            current.unsubscribe(keys.channel(session)).whenComplete((done, failure) -> {
                if (failure != null) {
                    current.breakNow(Link.causeOf(failure));
                }
            });
        }
    }

    private void callFailed(Link current, Throwable why) {
        if (why instanceof RedisCommandExecutionException error) {
            String message = String.valueOf(error.getMessage());
            notices.say(
                    Level.WARNING,
                    Kind.CALL_FAILED,
                    "shard " + shard + ": " + current + " refuses a call: " + LogText.of(message));
            if (isElsewhere(message)) {
                current.breakNow(why);
            }
        } else if (why instanceof IllegalArgumentException) {
            notices.say(Level.WARNING, Kind.CALL_FAILED, "shard " + shard + ": " + why.getMessage());
        } else {
            current.breakNow(why);
        }
    }

    /** The code is at the beginning, or, if the script got the error from Redis 6, behind a text about the script. */
    private static boolean isElsewhere(String message) {
        return ELSEWHERE.stream()
                .anyMatch(code -> message.startsWith(code + " ") || message.contains(" -" + code + " "));
    }

    // ---- pushes -----------------------------------------------------------------------------------------------

    private void push(String channel, byte[] message) {
        FleetPush push;
        try {
            push = Answers.readPush(keys.sessionOf(channel), message);
        } catch (IllegalArgumentException e) {
            notices.say(Level.WARNING, Kind.PUSH, "shard " + shard + ": " + e.getMessage());
            return;
        }
        listener.pushed(shard, push);
    }

    /** Ends all attempts to connect. The client closes the connections. */
    void close() {
        lock.lock();
        try {
            closed = true;
            if (link != null) {
                link.abandon();
                link = null;
            }
        } finally {
            lock.unlock();
        }
    }
}
