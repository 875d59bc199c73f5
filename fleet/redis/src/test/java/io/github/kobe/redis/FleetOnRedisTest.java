package io.github.kobe.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.PermitResult;
import io.github.kobe.TaskHandle;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.fleet.FleetGroupStats;
import io.github.kobe.redis.kit.RedisBinary;
import io.github.kobe.redis.kit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Do executors of a fleet share limits through a real server? */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FleetOnRedisTest {

    private static final Duration TTL = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    static Stream<RedisBinary> servers() {
        return RedisBinary.all();
    }

    /** One executor, and the fleet that it is part of, as a JVM of its own would have them. */
    private record Node(Fleet fleet, GroupExecutor executor) implements AutoCloseable {

        static Node join(RedisStore store, UnaryOperator<Fleet.Builder> settings, int limit) {
            Fleet fleet = settings.apply(
                            Fleet.builder("orders", store).founding(true).ttl(TTL))
                    .join();
            return new Node(
                    fleet,
                    GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                            .defaultMaxConcurrencyPerGroup(limit)
                            .fleet(fleet)
                            .build()));
        }

        static Node join(RedisServer redis, int limit) {
            return join(RedisStore.at(redis.uri()), settings -> settings, limit);
        }

        FleetGroupStats group(String key) {
            return fleet.groupStats(key).orElse(new FleetGroupStats(key, 0, false, 0, 0, 0, 0));
        }

        @Override
        public void close() {
            executor.close();
            fleet.close();
        }
    }

    /** Counts how many tasks run at the same time. */
    private static final class Count {
        private final AtomicInteger running = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();

        void work() {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            running.decrementAndGet();
        }
    }

    /** Tasks that run until they are told to end. */
    private static final class Gate {
        private final CountDownLatch open = new CountDownLatch(1);
        private final AtomicInteger running = new AtomicInteger();

        void submit(Node node, String group, int tasks) {
            for (int i = 0; i < tasks; i++) {
                node.executor().submit(group, "gated", () -> {
                    running.incrementAndGet();
                    open.await();
                    return null;
                });
            }
        }

        void awaitRunning(int tasks) {
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(running).hasValue(tasks));
        }
    }

    private static void run(List<Node> nodes, String group, int tasksOfEach, Count count) {
        List<TaskHandle<?>> tasks = new ArrayList<>();
        for (int i = 0; i < tasksOfEach; i++) {
            for (Node node : nodes) {
                tasks.add(node.executor().submit(group, "task", count::work));
            }
        }
        tasks.forEach(TaskHandle::join);
        assertThat(tasks).allMatch(task -> task.join().isSuccess());
    }

    /** The kinds of keys that are there: what follows the prefix, without session and group. */
    private static Set<String> kindsOfKeys(RedisServer redis) {
        return redis.ask(jedis -> jedis.keys("*")).stream()
                .map(key -> key.substring(key.indexOf("}:") + 2).replaceFirst(":.*", ""))
                .collect(Collectors.toSet());
    }

    @ParameterizedTest
    @MethodSource("servers")
    void limitHoldsOverNodesAndNothingIsLeftBehind(RedisBinary binary) {
        try (RedisServer redis = RedisServer.builder().binary(binary).start()) {
            Count count = new Count();
            try (Node a = Node.join(redis, 3);
                    Node b = Node.join(redis, 3);
                    Node c = Node.join(redis, 3)) {
                run(List.of(a, b, c), "acme", 200, count);
            }
            assertThat(count.most).hasValueBetween(1, 3);
            assertThat(kindsOfKeys(redis)).containsExactly("meta");
        }
    }

    @Test
    void shardsOfOneServerWorkTogether() {
        try (RedisServer redis = RedisServer.start()) {
            RedisStore store = RedisStore.builder(redis.uri()).shards(4).build();
            List<Count> counts = Stream.generate(Count::new).limit(12).toList();
            try (Node a = Node.join(store, settings -> settings.totalLimit(8), 2);
                    Node b = Node.join(store, settings -> settings.totalLimit(8), 2)) {
                Count all = new Count();
                List<TaskHandle<?>> tasks = new ArrayList<>();
                for (int i = 0; i < 600; i++) {
                    int group = i % counts.size();
                    tasks.add((i % 2 == 0 ? a : b).executor().submit("tenant-" + group, "task", () -> {
                        all.most.accumulateAndGet(all.running.incrementAndGet(), Math::max);
                        counts.get(group).work();
                        all.running.decrementAndGet();
                    }));
                }
                tasks.forEach(TaskHandle::join);
                assertThat(all.most).hasValueBetween(1, 8);
            }
            assertThat(counts).allSatisfy(count -> assertThat(count.most).hasValueBetween(1, 2));
            assertThat(kindsOfKeys(redis)).containsExactly("meta");
        }
    }

    @Test
    void permitsGoToTheNodeThatWantsThem() {
        try (RedisServer redis = RedisServer.start();
                Node a = Node.join(redis, 4);
                Node b = Node.join(redis, 4)) {
            Gate first = new Gate();
            first.submit(a, "acme", 4);
            first.awaitRunning(4);
            Gate second = new Gate();
            second.submit(b, "acme", 4);
            first.open.countDown();
            second.awaitRunning(4);
            await().atMost(PATIENCE).until(() -> a.group("acme").held() == 0);
            assertThat(b.group("acme").held()).isEqualTo(4);
            second.open.countDown();
        }
    }

    @Test
    void settingsOfTheFleetReachAllNodes() {
        try (RedisServer redis = RedisServer.start();
                Node a = Node.join(redis, 1);
                Node b = Node.join(redis, 1)) {
            Gate gate = new Gate();
            gate.submit(a, "acme", 3);
            gate.submit(b, "acme", 3);
            gate.awaitRunning(1);
            a.fleet().control().setLimit("acme", 6).join();
            gate.awaitRunning(6);

            b.fleet().control().pause("umbrella").join();
            TaskHandle<?> paused = a.executor().submit("umbrella", "task", () -> {});
            await().atMost(PATIENCE).until(() -> a.group("umbrella").paused());
            assertThat(paused.isDone()).isFalse();
            b.fleet().control().resume("umbrella").join();
            assertThat(paused.join().isSuccess()).isTrue();
            gate.open.countDown();
        }
    }

    @Test
    void firstCallerOfAGroupWithoutAQueueWaitsForTheStore() {
        try (RedisServer redis = RedisServer.start();
                Node a = Node.join(redis, 2)) {
            a.executor().submit("warm-up", "task", () -> {}).join();
            await().atMost(PATIENCE).untilAsserted(() -> {
                String key = "tenant-" + System.nanoTime(); // new each time: a busy machine may take more than 50 ms
                try (PermitResult result = a.executor().tryAcquire(key, Duration.ZERO)) {
                    assertThat(result.isGranted()).isTrue();
                    assertThat(a.group(key).held()).isPositive();
                }
            });
        }
    }

    @Test
    void nodesGoOnWhenTheServerHasLostItsData() {
        try (RedisServer redis = RedisServer.start();
                Node a = Node.join(redis, 2);
                Node b = Node.join(redis, 2)) {
            Count count = new Count();
            run(List.of(a, b), "acme", 20, count);
            redis.restart();
            run(List.of(a, b), "acme", 50, count);
            assertThat(count.most).hasValueBetween(1, 2);
        }
    }

    @Test
    void nodeThatIsCreatedBeforeTheServerWorksWhenItComes() {
        try (RedisServer redis = RedisServer.start()) {
            redis.kill();
            RedisStore store = RedisStore.builder(redis.uri())
                    .timeout(Duration.ofMillis(500))
                    .build();
            try (Node a = Node.join(store, settings -> settings, 2)) {
                TaskHandle<?> early = a.executor().submit("acme", "task", () -> {});
                redis.launch();
                assertThat(early.join().isSuccess()).isTrue();
            }
        }
    }

    @Test
    void keysOfManyGroupsAreGoneWhenTheyAreIdle() {
        try (RedisServer redis = RedisServer.start();
                Node a = Node.join(RedisStore.at(redis.uri()), settings -> settings.linger(Duration.ZERO), 2)) {
            List<TaskHandle<?>> tasks = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                tasks.add(a.executor().submit("tenant-" + i, "task", () -> {}));
            }
            tasks.forEach(TaskHandle::join);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(kindsOfKeys(redis)).doesNotContain("group", "groups"));
        }
    }

    @Test
    void closingReturnsPermitsWhileOthersWait() {
        try (RedisServer redis = RedisServer.start();
                Node b = Node.join(redis, 2)) {
            Gate waiting = new Gate();
            try (Node a = Node.join(redis, 2)) {
                Gate gate = new Gate();
                gate.submit(a, "acme", 2);
                gate.awaitRunning(2);
                waiting.submit(b, "acme", 2);
                gate.open.countDown();
            }
            waiting.awaitRunning(2);
            waiting.open.countDown();
        }
    }
}
