package io.github.kobe.redis.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.redis.kit.TcpProxy.Fate;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** Does the proxy have the faults that a test asks for? */
class TcpProxyTest {

    private static RedisServer redis;

    private final TcpProxy proxy = TcpProxy.to(redis.port());
    private final Jedis client = new Jedis("127.0.0.1", proxy.port(), 30_000);

    @BeforeAll
    static void startServer() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stopServer() {
        redis.close();
    }

    @AfterEach
    void close() {
        proxy.close();
        close(client);
    }

    private static void close(Jedis broken) {
        try {
            broken.close();
        } catch (JedisConnectionException e) {
            // the test has broken it
        }
    }

    private static long counter() {
        return redis.ask(jedis -> jedis.incrBy("counter", 0));
    }

    @Test
    void passes() {
        assertThat(client.ping()).isEqualTo("PONG");
        assertThat(proxy.accepted()).isEqualTo(1);
        assertThat(proxy.open()).isEqualTo(1);
    }

    @Test
    void whatIsHeldArrivesLate() throws Exception {
        client.ping();
        long before = counter();
        proxy.hold();
        CompletableFuture<Long> held = CompletableFuture.supplyAsync(() -> client.incr("counter"));
        Awaitility.await().until(() -> proxy.held() == 1);
        assertThat(counter()).isEqualTo(before);
        proxy.pass();
        assertThat(held.get(30, TimeUnit.SECONDS)).isEqualTo(before + 1);
    }

    @Test
    void whatIsDroppedNeverArrives() {
        long before = counter();
        client.ping();
        client.getClient().setSoTimeout(200);
        proxy.drop();
        assertThatThrownBy(() -> client.incr("counter")).isInstanceOf(JedisConnectionException.class);
        proxy.pass();
        Awaitility.await().until(() -> proxy.open() == 0);
        assertThat(counter()).isEqualTo(before);
    }

    @Test
    void requestsPassWhileRepliesAreLost() {
        long before = counter();
        client.ping();
        client.getClient().setSoTimeout(200);
        proxy.set(Fate.PASS, Fate.DROP);
        assertThatThrownBy(() -> client.incr("counter")).isInstanceOf(JedisConnectionException.class);
        Awaitility.await().until(() -> counter() == before + 1);
    }

    @Test
    void repliesPassWhileRequestsAreHeld() throws Exception {
        client.ping();
        long before = counter();
        proxy.set(Fate.HOLD, Fate.PASS);
        CompletableFuture<Long> held = CompletableFuture.supplyAsync(() -> client.incr("counter"));
        Awaitility.await().until(() -> proxy.held() == 1);
        assertThat(counter()).isEqualTo(before);
        proxy.set(Fate.PASS, Fate.PASS);
        assertThat(held.get(30, TimeUnit.SECONDS)).isEqualTo(before + 1);
    }

    @Test
    void delayKeepsTheOrder() {
        client.ping();
        proxy.delay(Duration.ofMillis(20));
        for (int i = 0; i < 5; i++) {
            assertThat(client.echo("number " + i)).isEqualTo("number " + i);
        }
    }

    @Test
    void resetBreaksConnectionsOnce() {
        client.ping();
        proxy.reset();
        assertThatThrownBy(client::ping).isInstanceOf(JedisConnectionException.class);
        try (Jedis next = new Jedis("127.0.0.1", proxy.port(), 30_000)) {
            assertThat(next.ping()).isEqualTo("PONG");
        }
    }

    @Test
    void refusesUntilItPasses() {
        proxy.refuse();
        assertThatThrownBy(client::ping).isInstanceOf(JedisConnectionException.class);
        proxy.pass();
        try (Jedis next = new Jedis("127.0.0.1", proxy.port(), 30_000)) {
            assertThat(next.ping()).isEqualTo("PONG");
        }
    }

    @Test
    void endOfTheServerIsPassedOn() {
        try (RedisServer mortal = RedisServer.start();
                TcpProxy toMortal = TcpProxy.to(mortal.port())) {
            Jedis other = new Jedis("127.0.0.1", toMortal.port(), 30_000);
            other.ping();
            mortal.kill();
            Awaitility.await().until(() -> toMortal.open() == 0);
            assertThatThrownBy(other::ping).isInstanceOf(JedisConnectionException.class);
            close(other);
        }
    }
}
