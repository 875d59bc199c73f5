package io.github.kobe.redis.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** Do the servers of the tests have the faults that a test asks for? */
class RedisServerTest {

    static Stream<RedisBinary> binaries() {
        return RedisBinary.all();
    }

    @ParameterizedTest
    @MethodSource("binaries")
    void persistentDataSurvivesSigkill(RedisBinary binary) {
        try (RedisServer redis =
                RedisServer.builder().binary(binary).persistent().start()) {
            redis.run(jedis -> jedis.set("a", "1"));
            String run = redis.runId();
            redis.restart();
            assertThat(redis.<String>ask(jedis -> jedis.get("a"))).isEqualTo("1");
            assertThat(redis.runId()).isNotEqualTo(run);

            redis.kill();
            redis.loseData();
            redis.launch();
            assertThat(redis.<String>ask(jedis -> jedis.get("a"))).isNull();
        }
    }

    @Test
    void otherDataDoesNot() {
        try (RedisServer redis = RedisServer.start()) {
            redis.run(jedis -> jedis.set("a", "1"));
            redis.restart();
            assertThat(redis.<String>ask(jedis -> jedis.get("a"))).isNull();
        }
    }

    @Test
    void killedServerIsNotReachable() {
        try (RedisServer redis = RedisServer.start()) {
            redis.kill();
            assertThatThrownBy(() -> redis.run(Jedis::ping)).isInstanceOf(JedisConnectionException.class);
        }
    }

    @Test
    void frozenServerAnswersWhenItIsThawed() {
        try (RedisServer redis = RedisServer.start();
                Jedis impatient = new Jedis("127.0.0.1", redis.port(), 200)) {
            impatient.ping();
            redis.freeze();
            assertThatThrownBy(impatient::ping)
                    .isInstanceOf(JedisConnectionException.class)
                    .hasRootCauseMessage("Read timed out");
            redis.thaw();
            assertThat(redis.<String>ask(Jedis::ping)).isEqualTo("PONG");
        }
    }

    @Test
    void replicaFollowsUntilItIsPromoted() {
        try (RedisServer primary = RedisServer.start();
                RedisServer replica = RedisServer.builder().replicaOf(primary).start()) {
            replica.awaitReplication();
            primary.run(jedis -> jedis.set("a", "1"));
            Awaitility.await().until(() -> "1".equals(replica.<String>ask(jedis -> jedis.get("a"))));
            assertThatThrownBy(() -> replica.run(jedis -> jedis.set("b", "2")))
                    .isInstanceOf(JedisDataException.class)
                    .hasMessageContaining("READONLY");
            replica.promote();
            replica.run(jedis -> jedis.set("b", "2"));
        }
    }

    @Test
    void passwordIsNeeded() {
        try (RedisServer redis = RedisServer.builder().password("secret").start();
                Jedis stranger = new Jedis("127.0.0.1", redis.port())) {
            assertThatThrownBy(stranger::ping)
                    .isInstanceOf(JedisDataException.class)
                    .hasMessageContaining("NOAUTH");
            assertThat(redis.<String>ask(Jedis::ping)).isEqualTo("PONG");
            assertThat(redis.uri()).isEqualTo("redis://default:secret@127.0.0.1:" + redis.port());
        }
    }

    @Test
    void userMayDoWhatTheRulesSay() {
        try (RedisServer redis =
                RedisServer.builder().user("bob", "secret", "+ping +info").start()) {
            assertThat(redis.<String>ask(Jedis::ping)).isEqualTo("PONG");
            assertThatThrownBy(() -> redis.run(Jedis::dbSize))
                    .isInstanceOf(JedisAccessControlException.class)
                    .hasMessageContaining("NOPERM");
        }
    }

    @Test
    void encryptedServerAcceptsNoOtherConnections() {
        Certificate certificate = Certificate.create();
        try (RedisServer redis = RedisServer.builder().tls(certificate).start();
                Jedis plain = new Jedis("127.0.0.1", redis.port())) {
            assertThat(redis.<String>ask(Jedis::ping)).isEqualTo("PONG");
            assertThat(redis.uri()).startsWith("rediss://");
            assertThatThrownBy(plain::ping).isInstanceOf(JedisConnectionException.class);
        }
    }

    @Test
    void sentinelKnowsThePrimary() {
        try (RedisServer primary = RedisServer.start();
                RedisServer sentinel =
                        RedisServer.builder().sentinelOf("main", primary).start()) {
            List<String> address = sentinel.ask(jedis -> jedis.sentinelGetMasterAddrByName("main"));
            assertThat(address).containsExactly("127.0.0.1", Integer.toString(primary.port()));
        }
    }

    @Test
    void wrongSettingsAreReportedWithTheLog() {
        assertThatThrownBy(() ->
                        RedisServer.builder().option("no-such-option", "1").start())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no-such-option");
    }
}
