package io.github.kobe.redis;

import io.github.kobe.redis.Scripts.Script;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Two connections to one server: for calls, and for pushes. They live and break together, and are never repaired, so a command is sent at most once.
 * Thread-safe.
 */
final class Link {

    /** Is told once when a link has broken. */
    interface Breakage {
        void broke(Link link, Throwable why);
    }

    private final String address;
    private final StatefulRedisConnection<String, String> calls;
    private final StatefulRedisPubSubConnection<String, byte[]> pushes;
    private final AtomicBoolean broken = new AtomicBoolean();
    private volatile @Nullable Breakage breakage;
    private volatile @Nullable Future<?> pinging;

    Link(
            String address,
            StatefulRedisConnection<String, String> calls,
            StatefulRedisPubSubConnection<String, byte[]> pushes) {
        this.address = address;
        this.calls = calls;
        this.pushes = pushes;
    }

    /**
     * Begins to pass on pushes, and to find out whether the link has broken. Nothing else would notice that a connection without calls is dead.
     *
     * @param timer on which the connection for pushes is probed
     * @param pingMillis how often
     * @param onPush is told of each message and its channel
     * @param onBreakage is told if it breaks
     */
    void watch(
            ScheduledExecutorService timer, long pingMillis, BiConsumer<String, byte[]> onPush, Breakage onBreakage) {
        breakage = onBreakage;
        pushes.addListener(new RedisPubSubAdapter<String, byte[]>() {
            @Override
            public void message(String channel, byte[] message) {
                onPush.accept(channel, message);
            }
        });
        RedisConnectionStateListener disconnected = new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
                breakNow(new RedisConnectionException("the connection was closed"));
            }
        };
        calls.addListener(disconnected);
        pushes.addListener(disconnected);
        pinging = timer.scheduleWithFixedDelay(this::ping, pingMillis, pingMillis, TimeUnit.MILLISECONDS);
        if (!calls.isOpen() || !pushes.isOpen()) {
            breakNow(new RedisConnectionException("the connection was closed")); // before there was a listener
        }
    }

    private void ping() {
        pushes.async().ping().whenComplete((pong, failure) -> {
            if (failure != null) {
                breakNow(failure);
            }
        });
    }

    /** Closes the connections, because they are of no use any more. */
    void breakNow(Throwable why) {
        if (broken.compareAndSet(false, true)) {
            closeConnections();
            Breakage told = breakage;
            if (told != null) {
                told.broke(this, why);
            }
        }
    }

    boolean isBroken() {
        return broken.get();
    }

    /** Closes the connections, unless they are closed, and tells nobody. */
    void close() {
        if (broken.compareAndSet(false, true)) {
            closeConnections();
        }
    }

    /** Stops watching, because the client is about to close all connections. */
    void abandon() {
        broken.set(true);
        cancelPings();
    }

    private void closeConnections() {
        cancelPings();
        // If a close fails, the connection is lost all the same, and nobody uses it any more.
        var unusedCalls = calls.closeAsync();
        var unusedPushes = pushes.closeAsync();
    }

    private void cancelPings() {
        Future<?> timer = pinging;
        if (timer != null) {
            timer.cancel(false);
        }
    }

    /** Asks the server about itself. Fails while it loads its data. */
    CompletionStage<ServerInfo> info() {
        return calls.async().ping().thenCompose(pong -> calls.async().info()).thenApply(ServerInfo::of);
    }

    /** Subscribes to channels. Completes when the server has done so. */
    CompletionStage<?> subscribe(Collection<String> channels) {
        return channels.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : pushes.async().subscribe(channels.toArray(String[]::new));
    }

    CompletionStage<?> unsubscribe(String channel) {
        return pushes.async().unsubscribe(channel);
    }

    /** Returns the fields of a hash. */
    CompletionStage<Map<String, String>> fields(String key) {
        return calls.async().hgetall(key);
    }

    /** Runs a script. If the server does not know it, then it has not run, and is sent in full. */
    CompletionStage<List<Object>> run(Script script, List<String> keys, List<String> arguments) {
        String[] keyArray = keys.toArray(String[]::new);
        String[] argumentArray = arguments.toArray(String[]::new);
        return calls.async()
                .<List<Object>>evalsha(script.sha(), ScriptOutputType.MULTI, keyArray, argumentArray)
                .exceptionallyCompose(failure -> causeOf(failure) instanceof RedisNoScriptException
                        ? calls.async().eval(script.text(), ScriptOutputType.MULTI, keyArray, argumentArray)
                        : CompletableFuture.failedStage(failure));
    }

    static Throwable causeOf(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    @Override
    public String toString() {
        return address;
    }
}
