package io.github.kobe.redis;

import io.github.kobe.fleet.FleetPush;
import io.github.kobe.fleet.FleetReply;
import io.github.kobe.fleet.FleetRequest;
import io.github.kobe.fleet.FleetStore;
import io.github.kobe.redis.kit.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Tuple;

/** A shard in a real server, with the real scripts, whose time and run id can be set. Not thread-safe. */
final class SettableShard implements AutoCloseable {

    static final String FLEET = "orders";

    private static final String LAST = "last";
    private static final String PREFIX = "kobe:v1:{" + FLEET + "#0}:";
    private static final FleetStore.Listener IGNORE = new FleetStore.Listener() {
        @Override
        public void pushed(int shard, FleetPush push) {}

        @Override
        public void available(int shard) {}
    };

    private final Jedis jedis;
    private final FleetStore.Connection connection;
    private final Jedis pushes;
    private final BlockingQueue<FleetPush> pushed = new LinkedBlockingQueue<>();
    private final CountDownLatch subscribed = new CountDownLatch(1);
    private final BinaryJedisPubSub subscription = new BinaryJedisPubSub() {
        @Override
        public void onPMessage(byte[] pattern, byte[] channel, byte[] message) {
            String session = new String(channel, StandardCharsets.UTF_8).substring((PREFIX + "push:").length());
            pushed.add(Answers.readPush(session, message));
        }

        @Override
        public void onPSubscribe(byte[] pattern, int channels) {
            subscribed.countDown();
        }
    };
    private final Thread subscriber;

    SettableShard(RedisServer redis) throws InterruptedException {
        this(redis, UnaryOperator.identity());
    }

    /**
     * @param redis the server
     * @param edit changes the parts of the scripts
     */
    SettableShard(RedisServer redis, UnaryOperator<String> edit) throws InterruptedException {
        jedis = new Jedis("127.0.0.1", redis.port());
        pushes = new Jedis("127.0.0.1", redis.port(), 0);
        subscriber = Thread.ofVirtual()
                .start(() -> pushes.psubscribe(subscription, (PREFIX + "push:*").getBytes(StandardCharsets.UTF_8)));
        subscribed.await();
        connection = RedisStore.builder(redis.uri())
                .scripts(new Scripts(part -> part.equals("server") ? serverPart() : edit.apply(Scripts.part(part))))
                .timeout(Duration.ofSeconds(30))
                .build()
                .connect(FLEET, IGNORE);
        loseData();
    }

    private static String serverPart() {
        try (InputStream in = SettableShard.class.getResourceAsStream("settable-server.lua")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void setTime(long millis) {
        jedis.set("test:time", Long.toString(millis));
    }

    void setRun(String run) {
        jedis.set("test:run", run);
    }

    /** Removes everything but time and run id. */
    void loseData() {
        for (String key : jedis.keys("kobe:*")) {
            jedis.del(key);
        }
    }

    FleetReply call(FleetRequest request) {
        try {
            return connection.call(0, request).toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError("the store fails on " + request, e);
        }
    }

    /** Returns the pushes of all calls so far, and forgets them. */
    List<FleetPush> takePushes() {
        jedis.publish(PREFIX + "push:" + LAST, "0\n0 0 0 0 0 0 "); // comes after those that were sent before
        List<FleetPush> taken = new ArrayList<>();
        try {
            while (true) {
                FleetPush push = pushed.poll(60, TimeUnit.SECONDS);
                if (push == null) {
                    throw new AssertionError("pushes do not come any more, after " + taken);
                }
                if (push.session().equals(LAST)) {
                    return taken;
                }
                taken.add(push);
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted while it waited for pushes", e);
        }
    }

    /** Returns all keys, in the form of {@link io.github.kobe.fleet.ReferenceShard#dump}. */
    TreeMap<String, String> dump() {
        TreeMap<String, String> dump = new TreeMap<>();
        Map<String, String> meta = jedis.hgetAll(PREFIX + "meta");
        if (meta.isEmpty()) {
            return dump;
        }
        dump.put(
                "meta",
                String.join(" ", meta.get("incarnation"), meta.get("ttl"), meta.get("clock"), meta.get("learn")));
        Map<String, String> config = new TreeMap<>(jedis.hgetAll(PREFIX + "config"));
        dump.put("config", "version " + (config.containsKey("version") ? config.remove("version") : "0"));
        config.forEach((field, value) -> dump.put("config " + field, value));
        Map<String, String> pushedCounts = jedis.hgetAll(PREFIX + "pushed");
        Map<String, String> nodes = jedis.hgetAll(PREFIX + "nodes");
        for (Tuple session : jedis.zrangeWithScores(PREFIX + "sessions", 0, -1)) {
            String name = session.getElement();
            Map<String, String> s = jedis.hgetAll(PREFIX + "session:" + name);
            dump.put(
                    "session:" + name,
                    String.join(
                            " ",
                            nodes.remove(name),
                            s.get("seq"),
                            s.get("reclaim"),
                            s.get("dead"),
                            Long.toString((long) session.getScore()),
                            pushedCounts.containsKey(name) ? pushedCounts.remove(name) : "0"));
        }
        nodes.forEach((name, node) -> dump.put("left over: node of " + name, node));
        pushedCounts.forEach((name, count) -> dump.put("left over: pushes of " + name, count));
        for (String key : jedis.keys(PREFIX + "*")) {
            String name = key.substring(PREFIX.length());
            if (name.startsWith("groups:")) {
                dump.put(name, new TreeSet<>(jedis.smembers(key)).toString());
            } else if (name.startsWith("group:")) {
                putGroup(dump, name, jedis.hgetAll(key));
            } else if (name.startsWith("session:")) {
                dump.putIfAbsent(name, "left over");
            }
        }
        return dump;
    }

    private static void putGroup(TreeMap<String, String> dump, String name, Map<String, String> fields) {
        dump.put(name, fields.get("limit") + " " + fields.get("version") + " " + fields.get("turns"));
        fields.forEach((field, value) -> {
            if (field.startsWith("s:")) {
                dump.put(name + " " + field, value);
            }
        });
    }

    /** Returns the names of all keys, without their prefix. */
    TreeSet<String> keys() {
        TreeSet<String> names = new TreeSet<>();
        jedis.keys(PREFIX + "*").forEach(key -> names.add(key.substring(PREFIX.length())));
        return names;
    }

    @Override
    public void close() throws InterruptedException {
        connection.close();
        subscription.punsubscribe();
        subscriber.join();
        pushes.close();
        jedis.close();
    }
}
