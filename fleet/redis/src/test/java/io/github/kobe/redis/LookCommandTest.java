package io.github.kobe.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.SharedLimit;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.redis.kit.RedisServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does an operator see who holds, wants and uses the permits of a fleet? */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LookCommandTest {

    private final RedisServer redis = RedisServer.start();
    private final List<AutoCloseable> nodes = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable node : nodes.reversed()) {
            node.close();
        }
        redis.close();
    }

    private record Printed(int code, String out, String err) {
        /** The words of the line that begins so. */
        List<String> line(String begin) {
            return out.lines()
                    .filter(line -> line.strip().startsWith(begin))
                    .findFirst()
                    .map(line -> List.of(line.strip().split(" {2,}")))
                    .orElseThrow(() -> new AssertionError("no line " + begin + "\n" + out));
        }
    }

    private static Printed run(String input, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = LookCommand.run(
                List.of(args),
                new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        return new Printed(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    private Printed look(String... groups) {
        List<String> args = new ArrayList<>(List.of(redis.uri(), "orders"));
        args.addAll(List.of(groups));
        return run("", args.toArray(String[]::new));
    }

    private Fleet join(String node, int shards) {
        Fleet fleet = Fleet.builder(
                        "orders", RedisStore.builder(redis.uri()).shards(shards).build())
                .node(node)
                .founding(true)
                .totalLimit(100)
                .join();
        nodes.add(fleet);
        return fleet;
    }

    /** Runs tasks until the test ends. Returns when they run. */
    private void hold(Fleet fleet, String group, int tasks) throws InterruptedException {
        GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(3)
                .fleet(fleet)
                .build());
        nodes.add(executor);
        CountDownLatch running = new CountDownLatch(Math.min(3, tasks));
        for (int i = 0; i < tasks; i++) {
            executor.submit(group, "task", () -> {
                running.countDown();
                new CountDownLatch(1).await();
                return null;
            });
        }
        running.await();
    }

    @Test
    void showsNodesAndGroups() throws Exception {
        Fleet fleet = join("web-1", 1);
        hold(fleet, "acme", 5);
        fleet.control().pause("umbrella").join();
        Printed printed = look();
        assertThat(printed.err()).isEmpty();
        assertThat(printed.code()).isZero();
        assertThat(printed.out()).startsWith("fleet orders at 127.0.0.1:" + redis.port() + ", shards 1, TTL 10.0 s");
        assertThat(printed.line("web-1").subList(4, 6)).as("groups, held").containsExactly("1", "3");
        assertThat(printed.line("acme").subList(0, 4)).containsExactly("acme", "3", "3", "3");
        assertThat(printed.line("(total of the fleet)").get(1)).isEqualTo("100");
    }

    @Test
    void showsSharedLimitsApartFromGroups() throws Exception {
        Fleet fleet = join("web-1", 1);
        hold(fleet, "acme", 2);
        SharedLimit tenant =
                SharedLimit.by("tenant", key -> key.split("/")[0]).max(2).acrossFleet();
        GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                GroupPolicy.builder().sharedLimit(tenant).fleet(fleet).build());
        nodes.add(executor);
        CountDownLatch running = new CountDownLatch(3);
        for (String group : List.of("globex/a", "globex/b", "x".repeat(300) + "/a")) {
            executor.submit(group, "task", () -> {
                running.countDown();
                new CountDownLatch(1).await();
                return null;
            });
        }
        running.await();
        Printed printed = look();
        assertThat(printed.line("shared limit tenant 'globex'").get(1)).isEqualTo("2");
        assertThat(printed.out()).contains("shared limit ~#");
        assertThat(printed.line("web-1").get(4)).as("groups").isIn("1", "3"); // one line for each executor
        Printed one = look("tenant=globex");
        assertThat(one.out()).contains("shared limit tenant 'globex'").doesNotContain("acme");
    }

    @Test
    void findsAllShardsByItself() throws Exception {
        Fleet fleet = join("web-1", 4);
        for (int i = 0; i < 12; i++) {
            hold(fleet, "tenant-" + i, 1);
        }
        Printed printed = look("--all");
        assertThat(printed.out()).contains("shards 4");
        for (int i = 0; i < 12; i++) {
            assertThat(printed.line("tenant-" + i).getFirst()).isEqualTo("tenant-" + i);
        }
        assertThat(look("tenant-7").out()).contains("tenant-7").doesNotContain("tenant-8");
    }

    @Test
    void namesCannotBeginALineOrMoveTheCursor() throws Exception {
        hold(join("web\n\u001b[2J", 1), "ac\nme\u001b[31m", 1);
        assertThat(look().out()).doesNotContain("\u001b").contains("ac\\u000ame\\u001b[31m");
    }

    @Test
    void uriCanComeFromTheInput() throws Exception {
        hold(join("web-1", 1), "acme", 1);
        assertThat(run(redis.uri() + "\n", "look", "-", "orders").out()).contains("acme");
    }

    @Test
    void readsOnly() {
        try (TestNode node = new TestNode("a", RedisStore.at(redis.uri()))) { // sends no heartbeats
            node.join();
            node.claim("acme", 0, 2);
            Map<String, byte[]> before = contents();
            assertThat(look().line("acme")).startsWith("acme");
            assertThat(contents()).usingRecursiveComparison().isEqualTo(before);
        }
    }

    private Map<String, byte[]> contents() {
        return redis.ask(jedis -> {
            Map<String, byte[]> contents = new TreeMap<>();
            jedis.keys("*").forEach(key -> contents.put(key, jedis.dump(key)));
            return contents;
        });
    }

    @Test
    void saysWhatIsWrong() {
        assertThat(run("", "only-one").code()).isEqualTo(2);
        assertThat(run("", "only-one").err()).startsWith("Usage: look URI FLEET");
        assertThat(run("", "http://x", "orders").code()).isEqualTo(2);
        Printed none = run("", redis.uri(), "nobody");
        assertThat(none.code()).isEqualTo(1);
        assertThat(none.err()).contains("there is no fleet 'nobody' at 127.0.0.1:" + redis.port());
        redis.kill();
        Printed down = run("", "redis://user:secret@127.0.0.1:" + redis.port(), "orders");
        assertThat(down.code()).isEqualTo(1);
        assertThat(down.err()).contains("cannot read").contains("refused").doesNotContain("secret");
    }
}
