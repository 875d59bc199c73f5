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
import java.util.Collection;
import java.util.HashMap;
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

/** One shard in a real server, seen from outside: its calls, its pushes and its keys. A script that uses a key without declaring it fails. Not thread-safe. */
final class ScriptShard implements AutoCloseable {

    private static final String FLEET = "orders";
    private static final String PREFIX = "kobe:v1:{" + FLEET + "#0}:";
    private static final String LAST = "last";

    private final Jedis jedis;
    private final Jedis subscribing;
    private final FleetStore.Connection connection;
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
    private final String dumpScript;

    private ScriptShard(RedisServer redis, UnaryOperator<String> parts) throws InterruptedException {
        jedis = new Jedis("127.0.0.1", redis.port());
        subscribing = new Jedis("127.0.0.1", redis.port(), 0);
        byte[] channels = (PREFIX + "push:*").getBytes(StandardCharsets.UTF_8);
        subscriber = Thread.ofVirtual().start(() -> subscribing.psubscribe(subscription, channels));
        subscribed.await();
        connection = RedisStore.builder(redis.uri())
                .scripts(new Scripts(parts))
                .timeout(Duration.ofSeconds(30))
                .build()
                .connect(FLEET, new RecordingListener());
        dumpScript = jedis.scriptLoad(testPart("dump"));
        loseData();
    }

    /**
     * Uses the scripts with the real time.
     *
     * @param edit changes their parts
     */
    static ScriptShard real(RedisServer redis, UnaryOperator<String> edit) throws InterruptedException {
        return new ScriptShard(redis, part -> {
            String text = edit.apply(Scripts.part(part));
            return part.equals("server") ? testPart("declared-keys") + text : text;
        });
    }

    /** Uses the scripts with {@link #setTime} and {@link #setRun}. */
    static ScriptShard settable(RedisServer redis) throws InterruptedException {
        return new ScriptShard(
                redis,
                part -> part.equals("server")
                        ? testPart("declared-keys") + testPart("settable-server")
                        : Scripts.part(part));
    }

    private static String testPart(String name) {
        try (InputStream in = ScriptShard.class.getResourceAsStream(name + ".lua")) {
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

    /** Runs commands on a field of meta, if there is data. */
    void changeMeta(String field, UnaryOperator<String> change) {
        String value = jedis.hget(PREFIX + "meta", field);
        if (value != null) {
            jedis.hset(PREFIX + "meta", field, change.apply(value));
        }
    }

    /** Returns a field of meta, or a default. */
    String meta(String field, String without) {
        String value = jedis.hget(PREFIX + "meta", field);
        return value == null ? without : value;
    }

    void loseData() {
        for (String key : jedis.keys(PREFIX + "*")) {
            jedis.del(key);
        }
    }

    FleetReply call(FleetRequest request) {
        return TestNode.answerTo(connection.call(0, request).toCompletableFuture());
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
        subscribing.close();
        jedis.close();
    }

    // ---- all data, as StoreComparison wants it -------------------------------------------------------------

    /** Returns all data, as {@link io.github.kobe.fleet.StoreComparison.Subject#dump} says. What should not be there is a line too. */
    List<String> dump() {
        Map<String, List<String>> keys = new TreeMap<>();
        for (Object part : (List<?>) jedis.evalsha(dumpScript, 0, PREFIX)) {
            List<?> key = (List<?>) part;
            keys.put(
                    (String) key.get(0),
                    ((List<?>) key.get(1)).stream().map(String.class::cast).toList());
        }
        List<String> lines = new ArrayList<>();
        Map<String, String> meta = take(keys, "meta");
        if (!meta.isEmpty()) {
            lines.add("meta" + fields(meta, "incarnation", "run", "ttl", "shards", "time", "clock", "learn"));
        }
        dumpSessions(keys, lines);
        for (String key : List.copyOf(keys.keySet())) {
            if (key.startsWith("group:")) {
                dumpGroup(key.substring("group:".length()), take(keys, key), lines);
            }
        }
        dumpConfig(take(keys, "config"), lines);
        keys.forEach((key, value) -> lines.add("left over: " + key + " " + value));
        return lines;
    }

    private static void dumpSessions(Map<String, List<String>> keys, List<String> lines) {
        Map<String, String> nodes = take(keys, "nodes");
        Map<String, String> pushes = take(keys, "pushed");
        take(keys, "sessions").forEach((name, until) -> {
            Map<String, String> session = take(keys, "session:" + name);
            session.put("until", until);
            session.put("node", nodes.remove(name));
            session.put("pushed", pushes.containsKey(name) ? pushes.remove(name) : "0");
            List<String> groups = keys.remove("groups:" + name);
            Collection<String> sorted = new TreeSet<>(groups == null ? List.of() : groups);
            lines.add("session " + name + fields(session, "until", "seq", "node", "reclaim", "dead", "pushed")
                    + " groups=" + String.join(",", sorted));
        });
        nodes.forEach((name, node) -> lines.add("left over: node " + name));
        pushes.forEach((name, count) -> lines.add("left over: pushed " + name));
    }

    private static void dumpGroup(String name, Map<String, String> group, List<String> lines) {
        lines.add("group " + name + fields(group, "limit", "version", "turns"));
        List<String> names = List.of("granted", "debt", "wanted", "used", "seq", "turn", "target", "least", "limit");
        group.forEach((field, value) -> {
            if (field.startsWith("s:")) {
                StringBuilder entry = new StringBuilder("entry " + name + " " + field.substring(2));
                String[] values = value.split(" ");
                for (int i = 0; i < values.length; i++) {
                    entry.append(' ').append(names.get(i)).append('=').append(values[i]);
                }
                lines.add(entry.toString());
            }
        });
    }

    private static void dumpConfig(Map<String, String> config, List<String> lines) {
        config.forEach((field, value) -> {
            if (field.equals("version")) {
                lines.add("config version=" + value);
            } else if (field.startsWith("limit:")) {
                lines.add("limit " + field.substring("limit:".length()) + " " + value);
            } else {
                lines.add("paused " + field.substring("paused:".length()) + (value.equals("1") ? "" : value));
            }
        });
    }

    private static Map<String, String> take(Map<String, List<String>> keys, String key) {
        Map<String, String> fields = new HashMap<>();
        List<String> values = keys.remove(key);
        for (int i = 0; values != null && i < values.size(); i += 2) {
            fields.put(values.get(i), values.get(i + 1));
        }
        return fields;
    }

    private static String fields(Map<String, String> values, String... names) {
        StringBuilder text = new StringBuilder();
        for (String name : names) {
            text.append(' ').append(name).append('=').append(values.get(name));
        }
        return text.toString();
    }
}
