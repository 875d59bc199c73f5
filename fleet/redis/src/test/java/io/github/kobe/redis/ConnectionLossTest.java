package io.github.kobe.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.fleet.FleetReply;
import io.github.kobe.fleet.FleetReply.Exchanged;
import io.github.kobe.fleet.FleetReply.Joined;
import io.github.kobe.fleet.FleetReply.Rejoin;
import io.github.kobe.fleet.FleetRequest;
import io.github.kobe.fleet.FleetStore;
import io.github.kobe.redis.kit.RedisServer;
import io.github.kobe.redis.kit.TcpProxy;
import io.github.kobe.redis.kit.TcpProxy.Fate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Does the store survive what happens to connections and servers, and does it send each call at most once? */
class ConnectionLossTest {

    private static final Duration SHORT = Duration.ofMillis(1000);
    private static final Duration LONG = Duration.ofSeconds(30);

    private static RedisStore store(String uri, Duration timeout) {
        return RedisStore.builder(uri).timeout(timeout).build();
    }

    /** How often the server was asked to run a script. */
    private static int scriptCalls(RedisServer redis) {
        Matcher calls = Pattern.compile("cmdstat_eval(?:sha)?:calls=(\\d+)").matcher(redis.info("commandstats"));
        int sum = 0;
        while (calls.find()) {
            sum += Integer.parseInt(calls.group(1));
        }
        return sum;
    }

    @Test
    void resetConnectionIsReplacedAndPushesComeAgain() {
        try (RedisServer redis = RedisServer.start();
                TcpProxy proxy = TcpProxy.to(redis.port());
                TestNode a = new TestNode("a", store(redis.uriAt(proxy.port()), LONG));
                TestNode b = new TestNode("b", store(redis.uri(), LONG))) {
            a.join();
            b.join();
            a.claim("acme", 0, 4);
            proxy.reset();
            assertThat(a.listener.nextAvailable()).isZero();

            b.claim("acme", 0, 4);
            assertThat(a.listener.nextPush().grants().getFirst().target()).isEqualTo(2);
            assertThat(a.claim("acme", 4, 4).granted()).isEqualTo(4);
        }
    }

    @Test
    void callWithoutAnswerFailsAndIsNotRepeated() {
        try (RedisServer redis = RedisServer.start();
                TcpProxy proxy = TcpProxy.to(redis.port());
                TestNode a = new TestNode("a", store(redis.uriAt(proxy.port()), SHORT))) {
            a.join();
            a.claim("acme", 0, 1);
            redis.run(jedis -> jedis.configResetStat());
            proxy.set(Fate.PASS, Fate.DROP);
            CompletableFuture<FleetReply> unanswered = a.send(a.nextExchange("acme", 0, 3));
            assertThatThrownBy(() -> TestNode.answerTo(unanswered)).isInstanceOf(AssertionError.class);
            assertThat(scriptCalls(redis)).isEqualTo(1);

            proxy.pass();
            a.listener.nextAvailable();
            Exchanged next = (Exchanged) a.call(a.nextHeartbeat());
            assertThat(next.nodes()).isEqualTo(1);
            assertThat(scriptCalls(redis)).as("the lost call and the heartbeat").isEqualTo(2);
        }
    }

    @Test
    void callInFlightWhenTheServerDiesIsNotRepeated() {
        try (RedisServer redis = RedisServer.builder().persistent().start();
                TestNode a = new TestNode("a", store(redis.uri(), LONG))) {
            a.join();
            redis.freeze();
            CompletableFuture<FleetReply> unanswered = a.send(a.nextExchange("acme", 0, 3));
            redis.restart();
            assertThatThrownBy(() -> TestNode.answerTo(unanswered)).isInstanceOf(AssertionError.class);
            a.listener.nextAvailable();
            assertThat(scriptCalls(redis)).isZero();
        }
    }

    @Test
    void callsFailAtOnceWhileThereIsNoConnection() {
        try (RedisServer redis = RedisServer.start();
                TestNode a = new TestNode("a", store(redis.uri(), LONG))) {
            a.join();
            redis.kill();
            Awaitility.await()
                    .untilAsserted(() -> assertThatThrownBy(() -> TestNode.answerTo(a.send(a.nextHeartbeat())))
                            .hasRootCauseMessage("shard 0 is not connected to 127.0.0.1:" + redis.port()));
        }
    }

    @Test
    void restartWithoutDataBeginsANewIncarnation() {
        try (RedisServer redis = RedisServer.start();
                TestNode a = new TestNode("a", store(redis.uri(), LONG))) {
            String before = a.join().incarnation();
            redis.restart();
            a.listener.nextAvailable();
            assertThat(a.call(a.nextHeartbeat())).isEqualTo(new Rejoin(""));
            assertThat(a.join().incarnation()).isNotEqualTo(before);
        }
    }

    @Test
    void restartWithDataMakesTheStoreLearn() {
        try (RedisServer redis = RedisServer.builder().persistent().start();
                TestNode a = new TestNode("a", store(redis.uri(), LONG))) {
            a.join();
            a.claim("acme", 0, 4);
            redis.restart();
            a.listener.nextAvailable();
            assertThat(a.call(a.nextHeartbeat())).isEqualTo(new Rejoin(""));
            Joined joined = (Joined) a.call(new FleetRequest.Hello("a2", 1, "node a", TestNode.TTL, 0, 1, true));
            assertThat(joined.learning()).isEqualTo(TestNode.TTL);
            assertThat(joined.nodes()).as("the old session is still there").isEqualTo(2);
        }
    }

    @Test
    void frozenServerIsUsedAgainWhenItGoesOn() {
        try (RedisServer redis = RedisServer.start();
                TestNode a = new TestNode("a", store(redis.uri(), SHORT))) {
            a.join();
            redis.freeze();
            assertThatThrownBy(() -> TestNode.answerTo(a.send(a.nextHeartbeat())))
                    .isInstanceOf(AssertionError.class);
            redis.thaw();
            assertThat(a.awaitAnswer()).isInstanceOf(Exchanged.class);
        }
    }

    @Test
    void deadConnectionWithoutCallsIsNoticed() {
        try (RedisServer redis = RedisServer.start();
                TcpProxy proxy = TcpProxy.to(redis.port());
                TestNode a = new TestNode("a", store(redis.uriAt(proxy.port()), SHORT))) {
            a.join();
            long connections = proxy.accepted();
            proxy.drop();
            Awaitility.await().atMost(LONG).until(() -> proxy.accepted() > connections);
            proxy.pass();
            assertThat(a.awaitAnswer()).isInstanceOf(Exchanged.class);
        }
    }

    @Test
    void serverThatComesLaterIsFound() {
        try (RedisServer redis = RedisServer.start();
                LogCapture log = new LogCapture()) {
            redis.kill();
            try (TestNode a = new TestNode("a", store(redis.uri(), SHORT))) {
                assertThatThrownBy(() -> TestNode.answerTo(a.send(a.nextHello())))
                        .hasRootCauseMessage("shard 0 is not connected to 127.0.0.1:" + redis.port());
                redis.launch();
                a.listener.nextAvailable();
                a.join();
                assertThat(log.lines())
                        .anySatisfy(line -> assertThat(line)
                                .startsWith(
                                        "WARNING fleet orders: shard 0 cannot connect to 127.0.0.1:" + redis.port()))
                        .anySatisfy(line -> assertThat(line).startsWith("INFO fleet orders: shard 0 is connected to"));
            }
        }
    }

    @Test
    void replicaIsNotUsedUntilItIsPromoted() {
        try (RedisServer primary = RedisServer.start();
                RedisServer replica = RedisServer.builder().replicaOf(primary).start();
                LogCapture log = new LogCapture()) {
            replica.awaitReplication();
            try (TestNode a = new TestNode("a", store(replica.uri(), LONG))) {
                assertThat(log.lines())
                        .anySatisfy(line -> assertThat(line).endsWith("cannot be used: it is a replica"));
                replica.promote();
                a.listener.nextAvailable();
                a.join();
            }
        }
    }

    @Test
    void primaryThatBecomesAReplicaIsLeft() {
        try (RedisServer other = RedisServer.start();
                RedisServer redis = RedisServer.start();
                TestNode a = new TestNode("a", store(redis.uri(), LONG))) {
            a.join();
            redis.follow(other);
            assertThatThrownBy(() -> TestNode.answerTo(a.send(a.nextHello())))
                    .rootCause()
                    .hasMessageContaining("READONLY");
            redis.promote();
            a.listener.nextAvailable();
            assertThat(a.call(a.nextHeartbeat())).as("its data was replaced").isEqualTo(new Rejoin(""));
        }
    }

    @Test
    void promotedReplicaLearns() {
        try (RedisServer primary = RedisServer.start();
                RedisServer replica = RedisServer.builder().replicaOf(primary).start();
                TestNode a = new TestNode("a", store(primary.uri(), LONG))) {
            replica.awaitReplication();
            String before = a.join().incarnation();
            a.claim("acme", 0, 4);
            primary.run(jedis -> {
                jedis.set("last", "write"); // WAIT is for writes of its own connection, and all before them
                jedis.waitReplicas(1, 30_000);
            });
            primary.kill();
            replica.promote();
            try (TestNode b = new TestNode("b", store(replica.uri(), LONG))) {
                Joined joined = b.join();
                assertThat(joined.incarnation()).isNotEqualTo(before);
                assertThat(joined.learning()).isEqualTo(TestNode.TTL);
                assertThat(joined.nodes()).isEqualTo(2);
                assertThat(b.claim("acme", 0, 1).granted()).isZero();
            }
        }
    }

    @Test
    void faultThatLastsDoesNotFloodTheLog() {
        try (RedisServer redis = RedisServer.start();
                TcpProxy proxy = TcpProxy.to(redis.port());
                LogCapture log = new LogCapture();
                TestNode a = new TestNode("a", store(redis.uriAt(proxy.port()), SHORT))) {
            a.join();
            proxy.refuse();
            long connections = proxy.accepted();
            Awaitility.await().atMost(LONG).until(() -> proxy.accepted() > connections + 5);
            proxy.pass();
            a.listener.nextAvailable();
            assertThat(log.lines().stream().filter(line -> line.contains("cannot connect")))
                    .hasSizeLessThanOrEqualTo(2);
        }
    }

    @Test
    void connectionsDoNotPileUp() {
        try (RedisServer redis = RedisServer.start();
                TcpProxy proxy = TcpProxy.to(redis.port());
                TestNode a = new TestNode("a", store(redis.uriAt(proxy.port()), LONG))) {
            a.join();
            for (int i = 0; i < 10; i++) {
                proxy.reset();
                a.listener.nextAvailable();
            }
            a.call(a.nextHeartbeat());
            Awaitility.await().until(() -> proxy.open() == 2);
        }
    }

    @Test
    void closeWhileItConnectsEndsTheAttempts() {
        try (RedisServer redis = RedisServer.start();
                TcpProxy proxy = TcpProxy.to(redis.port())) {
            proxy.refuse();
            FleetStore.Connection connection =
                    store(redis.uriAt(proxy.port()), SHORT).connect("orders", new RecordingListener());
            connection.close();
            Awaitility.await()
                    .atMost(LONG)
                    .until(() -> Thread.getAllStackTraces().keySet().stream()
                            .noneMatch(thread -> thread.getName().startsWith("lettuce")));
            proxy.pass();
            List<String> clients =
                    redis.<String>ask(jedis -> jedis.clientList()).lines().toList();
            assertThat(clients).as("only the one that asks").hasSize(1);
        }
    }
}
