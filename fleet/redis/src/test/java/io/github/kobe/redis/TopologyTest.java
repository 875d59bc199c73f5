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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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

    /** The rules on the page are those that the test uses. */
    @Test
    void userThatMayDoNoMoreThanThePageSays() throws IOException {
        Matcher rules = Pattern.compile("ACL SETUSER fleet on >secret (.*)")
                .matcher(Files.readString(Path.of("../../docs/guide/operate-the-fleet.md")));
        assertThat(rules.find()).isTrue();
        try (RedisServer redis = RedisServer.builder()
                        .user("fleet", "secret", rules.group(1))
                        .start();
                LogCapture log = new LogCapture()) {
            work(RedisStore.at(redis.uri()));
            assertThat(log.lines()).noneMatch(line -> line.contains("NOPERM"));
        }
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
