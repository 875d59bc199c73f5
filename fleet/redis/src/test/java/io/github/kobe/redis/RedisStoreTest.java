package io.github.kobe.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.fleet.FleetPush;
import io.github.kobe.fleet.FleetReply;
import io.github.kobe.fleet.FleetReply.Exchanged;
import io.github.kobe.fleet.FleetReply.Reaped;
import io.github.kobe.fleet.FleetRequest;
import io.github.kobe.fleet.Grant;
import io.github.kobe.redis.kit.RedisBinary;
import io.github.kobe.redis.kit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;

/** Does the store execute calls and deliver pushes, with a server that has no faults? */
class RedisStoreTest {

    static Stream<RedisBinary> servers() {
        return RedisBinary.all();
    }

    @ParameterizedTest
    @MethodSource("servers")
    void permitsMoveByAnswersAndPushes(RedisBinary binary) {
        try (RedisServer redis = RedisServer.builder().binary(binary).start();
                TestNode a = new TestNode("a", RedisStore.at(redis.uri()));
                TestNode b = new TestNode("b", RedisStore.at(redis.uri()))) {
            a.join();
            b.join();
            assertThat(a.claim("größe 漢字", 0, 4).granted()).isEqualTo(4);
            assertThat(b.claim("größe 漢字", 0, 4).granted()).isZero();

            FleetPush recall = a.listener.nextPush();
            assertThat(recall.session()).isEqualTo("a");
            assertThat(recall.number()).isEqualTo(1);
            assertThat(recall.grants()).containsExactly(new Grant("größe 漢字", 2, 4, 2, 4, false));
            a.claim("größe 漢字", 2, 4);
            assertThat(b.listener.nextPush().grants())
                    .singleElement()
                    .satisfies(grant -> assertThat(grant.granted()).isEqualTo(2));
            assertThat(((Exchanged) b.call(b.nextHeartbeat())).pushed()).isEqualTo(1);
        }
    }

    @Test
    void clockAndRunIdAreThoseOfTheServer() {
        try (RedisServer redis = RedisServer.start();
                TestNode a = new TestNode("a", RedisStore.at(redis.uri()))) {
            String incarnation = a.join().incarnation();
            String run = redis.runId();
            List<String> time = redis.ask(Jedis::time);
            assertThat(incarnation).startsWith(run + "/");
            assertThat(Long.parseLong(incarnation.substring(run.length() + 1)) / 1000)
                    .isBetween(Long.parseLong(time.get(0)) - 60, Long.parseLong(time.get(0)));
        }
    }

    @Test
    void answersComeOnTheThreadThatSendsCalls() {
        try (RedisServer redis = RedisServer.start();
                TestNode a = new TestNode("a", RedisStore.at(redis.uri()))) {
            a.join();
            Executor sender = Objects.requireNonNull(a.connection.sender());
            Thread sends =
                    CompletableFuture.supplyAsync(Thread::currentThread, sender).join();
            Thread answers = CompletableFuture.supplyAsync(
                            () -> a.send(a.nextHeartbeat()).thenApply(reply -> Thread.currentThread()), sender)
                    .thenCompose(answer -> answer)
                    .join();
            assertThat(answers).isSameAs(sends);
        }
    }

    @Test
    void scriptsThatTheServerHasForgottenAreSentAgain() {
        try (RedisServer redis = RedisServer.start();
                TestNode a = new TestNode("a", RedisStore.at(redis.uri()))) {
            a.join();
            a.claim("acme", 0, 1);
            redis.run(jedis -> jedis.scriptFlush());
            assertThat(a.claim("acme", 1, 2).granted()).isEqualTo(2);
            redis.run(jedis -> jedis.configResetStat());
            a.claim("acme", 2, 2);
            assertThat(redis.info("commandstats"))
                    .contains("cmdstat_evalsha:calls=1,")
                    .doesNotContain("cmdstat_eval:");
        }
    }

    @Test
    void sessionThatIsOverIsNotListenedTo() {
        try (RedisServer redis = RedisServer.start();
                TestNode a = new TestNode("a", RedisStore.at(redis.uri()))) {
            String incarnation = a.join().incarnation();
            List<String> channels = redis.ask(jedis -> jedis.pubsubChannels("kobe:*"));
            assertThat(channels).containsExactly("kobe:v1:{orders#0}:push:a");
            assertThat(a.call(new FleetRequest.Bye("a", 100, incarnation))).isEqualTo(new Reaped(false, List.of()));
            Awaitility.await()
                    .until(() -> redis.<List<String>>ask(jedis -> jedis.pubsubChannels("kobe:*"))
                            .isEmpty());
        }
    }

    @Test
    void fleetsDoNotSeeEachOther() {
        try (RedisServer redis = RedisServer.start();
                TestNode a = new TestNode("a", RedisStore.at(redis.uri()))) {
            a.join();
            a.claim("acme", 0, 4);
            RecordingListener listener = new RecordingListener();
            try (var other = RedisStore.at(redis.uri()).connect("shipping", listener)) {
                FleetReply reply = TestNode.answerTo(other.call(0, new FleetRequest.Look(List.of("a"), List.of("acme")))
                        .toCompletableFuture());
                assertThat(reply).isEqualTo(new FleetReply.Snapshot("", 0, 0, List.of(), List.of()));
            }
        }
    }

    @Test
    void storeThatEvictsIsReportedAtJoining() {
        try (LogCapture log = new LogCapture();
                RedisServer redis = RedisServer.builder()
                        .option("maxmemory-policy", "allkeys-lru")
                        .start();
                TestNode a = new TestNode("a", RedisStore.at(redis.uri()))) {
            a.join();
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARNING fleet orders: maxmemory-policy")
                    .contains("noeviction or volatile-*, but is allkeys-lru");
        }
    }

    @Test
    void nothingIsSaidIfAllIsWell() {
        try (LogCapture log = new LogCapture();
                RedisServer redis = RedisServer.builder()
                        .option("maxmemory-policy", "volatile-lru")
                        .start();
                TestNode a = new TestNode("a", RedisStore.at(redis.uri()))) {
            a.join();
            assertThat(log.lines()).isEmpty();
            assertThat(a.listener.hasAvailable()).isFalse();
        }
    }

    @Test
    void halfCharactersAreRefused() {
        try (RedisServer redis = RedisServer.start();
                TestNode a = new TestNode("a", RedisStore.at(redis.uri()))) {
            a.join();
            assertThatThrownBy(() -> a.send(a.nextExchange("x\uD800", 0, 1)).join())
                    .hasRootCauseInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("half a character at 1");
            assertThat(a.claim("x\uD83D\uDE00", 0, 1).granted()).isEqualTo(1);
        }
    }

    @Test
    void closedConnectionAnswersNothingAndLeavesNoThread() {
        try (RedisServer redis = RedisServer.start()) {
            TestNode a = new TestNode("a", RedisStore.at(redis.uri()));
            a.join();
            redis.freeze();
            CompletableFuture<FleetReply> unanswered = a.send(a.nextHeartbeat());
            a.close();
            a.close();
            assertThatThrownBy(() -> TestNode.answerTo(unanswered)).hasRootCauseMessage("Connection closed");
            assertThatThrownBy(() -> TestNode.answerTo(a.send(a.nextHeartbeat())))
                    .hasRootCauseMessage("the connection is closed");
            redis.thaw();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> Thread.getAllStackTraces().keySet().stream()
                            .noneMatch(thread -> thread.getName().startsWith("lettuce")));
            assertThat(a.listener.hasAvailable()).isFalse();
        }
    }

    @Test
    void nameOfAFleetIsChecked() {
        for (String name : List.of("", "a b", "a}b", "x".repeat(101))) {
            assertThatThrownBy(() -> RedisStore.at("redis://127.0.0.1:1").connect(name, new RecordingListener()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("fleet must be");
        }
    }
}
