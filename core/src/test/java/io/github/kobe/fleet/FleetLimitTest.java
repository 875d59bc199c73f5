package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.kobe.TaskHandle;
import io.github.kobe.fleet.TestNodes.Node;
import io.github.kobe.fleet.TestNodes.Referee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does a limit hold over all nodes of a fleet, and do permits go to where they are wanted? */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FleetLimitTest {

    private final TestNodes nodes = new TestNodes();
    private final Referee referee = new Referee();

    @AfterEach
    void close() {
        nodes.close();
    }

    private Node node(int limit) {
        return nodes.add(policy -> policy.defaultMaxConcurrencyPerGroup(limit));
    }

    private Runnable work(long micros) {
        return () -> {
            referee.begin();
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(micros));
            referee.end();
        };
    }

    @Test
    void limitIsNeverExceededUnderLoadOfSeveralNodes() {
        List<Node> all = List.of(node(4), node(4), node(4), node(4));
        List<TaskHandle<?>> tasks = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            for (Node node : all) {
                tasks.add(node.executor().submit("tenant", "task", work(100)));
            }
        }
        tasks.forEach(TaskHandle::join);
        assertThat(referee.most()).isBetween(1, 4);
        assertThat(tasks).allMatch(task -> task.join().isSuccess());
    }

    @Test
    void oneNodeGetsTheWholeLimitIfNoOtherWantsIt() throws Exception {
        Node busy = node(4);
        node(4);
        CountDownLatch running = new CountDownLatch(4);
        CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i < 4; i++) {
            busy.executor().submit("tenant", "task", () -> {
                running.countDown();
                end.await();
                return null;
            });
        }
        running.await();
        assertThat(busy.group("tenant").held()).isEqualTo(4);
        end.countDown();
    }

    @Test
    void permitsMoveToANodeThatWantsThem() throws Exception {
        Node first = node(2);
        Node second = node(2);
        first.executor().submit("tenant", "a", () -> {}).join();
        assertThat(first.group("tenant").held()).isPositive();
        CountDownLatch running = new CountDownLatch(2);
        CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i < 2; i++) {
            second.executor().submit("tenant", "b", () -> {
                running.countDown();
                end.await();
                return null;
            });
        }
        running.await();
        await().until(() -> first.group("tenant").held() == 0);
        end.countDown();
    }

    @Test
    void limitOfOneAlternatesBetweenNodes() {
        List<Node> all = List.of(node(1), node(1), node(1));
        List<String> order = new CopyOnWriteArrayList<>();
        List<TaskHandle<?>> tasks = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            for (Node node : all) {
                tasks.add(node.executor().submit("tenant", "task", () -> {
                    order.add(node.fleet().node());
                    work(3_000).run();
                }));
            }
        }
        tasks.forEach(TaskHandle::join);
        assertThat(referee.most()).isEqualTo(1);
        TestNodes.assertThatEachHasItsTurn(all, order);
    }

    @Test
    void idleGroupsLeaveNothingInTheStore() {
        Node node = nodes.add(
                fleet -> fleet.ttl(Duration.ofSeconds(2)).linger(Duration.ZERO),
                policy -> policy.defaultMaxConcurrencyPerGroup(2));
        for (int i = 0; i < 200; i++) {
            node.executor().submit("tenant-" + i, "task", () -> {}).join();
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> nodes.look().groups().isEmpty());
    }
}
