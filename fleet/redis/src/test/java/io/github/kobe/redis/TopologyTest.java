package io.github.kobe.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.redis.kit.Certificate;
import io.github.kobe.redis.kit.RedisServer;
import io.lettuce.core.SslOptions;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Does a fleet work with users, encryption, Sentinel and a cluster? */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class TopologyTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int SLOTS = 16384;

    /** Runs tasks of some groups on two nodes, then something, and then tasks again. */
    private static void work(RedisStore store, Runnable between) {
        try (Fleet first = join(store);
                Fleet second = join(store);
                GroupExecutor a = executor(first);
                GroupExecutor b = executor(second)) {
            run(a, b);
            between.run();
            run(a, b);
        }
    }

    private static void work(RedisStore store) {
        work(store, () -> {});
    }

    private static Fleet join(RedisStore store) {
        return Fleet.builder("orders", store)
                .ttl(Duration.ofSeconds(2))
                .founding(true)
                .join();
    }

    private static GroupExecutor executor(Fleet fleet) {
        return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(2)
                .fleet(fleet)
                .build());
    }

    private static void run(GroupExecutor... executors) {
        List<TaskHandle<?>> tasks = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            for (GroupExecutor executor : executors) {
                tasks.add(executor.submit("tenant-" + i % 20, "task", () -> {}));
            }
        }
        assertThat(tasks).allMatch(task -> task.join().isSuccess());
    }

    /** The rights of the user on the page. */
    private static String rules() throws IOException {
        Matcher rules = Pattern.compile("ACL SETUSER fleet on >secret (.*)")
                .matcher(Files.readString(Path.of("../../docs/guide/operate-the-fleet.md")));
        assertThat(rules.find()).isTrue();
        return rules.group(1);
    }

    private static List<String> refusedCalls(LogCapture log) {
        return log.lines().stream()
                .filter(line -> line.contains("refuses a call"))
                .toList();
    }

    /** Alone: a script does not run the same commands for the only claim on an unused group as for many claims. */
    private static void runOneTask(RedisStore store, LogCapture log) {
        try (Fleet fleet = join(store);
                GroupExecutor executor = executor(fleet)) {
            TaskHandle<?> task = executor.submit("tenant", "task", () -> {});
            await().atMost(PATIENCE)
                    .until(() -> task.isDone() || !refusedCalls(log).isEmpty());
        }
    }

    /** The rules on the page are those that the test uses. */
    @Test
    void userThatMayDoNoMoreThanThePageSays() throws IOException {
        try (RedisServer redis =
                        RedisServer.builder().user("fleet", "secret", rules()).start();
                LogCapture log = new LogCapture()) {
            RedisStore store = RedisStore.at(redis.uri());
            runOneTask(store, log);
            assertThat(refusedCalls(log)).isEmpty();
            work(store);
            assertThat(refusedCalls(log)).isEmpty();
        }
    }

    @Test
    void pageGrantsTheCommandsOfTheScripts() throws IOException {
        Set<String> commands = new TreeSet<>();
        try (DirectoryStream<Path> scripts =
                Files.newDirectoryStream(Path.of("src/main/resources/io/github/kobe/redis"), "*.lua")) {
            for (Path script : scripts) {
                Matcher calls = Pattern.compile("redis\\.p?call\\('(\\w+)'").matcher(Files.readString(script));
                while (calls.find()) {
                    commands.add("+" + calls.group(1).toLowerCase(Locale.ROOT));
                }
            }
        }
        assertThat(commands).contains("+time", "+exists"); // the scripts were read
        Set<String> ofConnections = Set.of("+ping", "+info", "+evalsha", "+eval", "+subscribe", "+unsubscribe");
        Set<String> granted = new TreeSet<>(List.of(rules().split(" ")));
        granted.removeIf(rule -> !rule.startsWith("+"));
        assertThat(granted).containsAll(ofConnections);
        granted.removeAll(ofConnections);
        commands.removeAll(ofConnections); // they also use INFO
        assertThat(granted).isEqualTo(commands);
    }

    @Test
    void encryptedConnections(@TempDir Path directory) {
        Certificate certificate = Certificate.create();
        try (RedisServer redis =
                RedisServer.builder().tls(certificate).password("secret").start()) {
            SslOptions trust = SslOptions.builder()
                    .jdkSslProvider()
                    .trustManager(certificate.writeTo(directory).toFile())
                    .build();
            work(RedisStore.builder(redis.uri()).ssl(trust).build());
        }
    }

    @Test
    void sentinelNamesTheServerThatIsInCharge() {
        try (RedisServer primary = RedisServer.start();
                RedisServer replica = RedisServer.builder().replicaOf(primary).start();
                RedisServer sentinel =
                        RedisServer.builder().sentinelOf("main", primary).start()) {
            replica.awaitReplication();
            await().atMost(PATIENCE).until(() -> sentinel.info("sentinel").contains("slaves=1"));
            RedisStore store = RedisStore.builder("redis-sentinel://127.0.0.1:" + sentinel.port() + "#main")
                    .timeout(Duration.ofSeconds(1))
                    .build();
            work(store, primary::kill);
            assertThat(replica.info("replication")).contains("role:master");
        }
    }

    @Test
    void shardsAreSpreadOverACluster() {
        try (RedisServer first = RedisServer.builder().clustered().start();
                RedisServer second = RedisServer.builder().clustered().start()) {
            first.run(
                    jedis -> jedis.clusterAddSlots(IntStream.range(0, SLOTS / 2).toArray()));
            second.run(jedis ->
                    jedis.clusterAddSlots(IntStream.range(SLOTS / 2, SLOTS).toArray()));
            first.run(jedis -> jedis.clusterMeet("127.0.0.1", second.port()));
            for (RedisServer server : List.of(first, second)) {
                await().atMost(PATIENCE)
                        .until(() -> server.ask(jedis -> jedis.clusterInfo()).contains("cluster_state:ok"));
            }
            work(RedisStore.at("redis-cluster://127.0.0.1:" + first.port()));
            for (RedisServer server : List.of(first, second)) {
                Set<String> keys = new HashSet<>(server.ask(jedis -> jedis.keys("*")));
                assertThat(keys).isNotEmpty().allMatch(key -> key.endsWith("}:meta"));
            }
        }
    }
}
