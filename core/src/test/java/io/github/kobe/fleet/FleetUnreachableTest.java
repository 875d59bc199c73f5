package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.fleet.FaultyStore.Fault;
import io.github.kobe.fleet.TestNodes.Node;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What does a node do while the store cannot be reached, and after that? */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FleetUnreachableTest {

    private static final int LIMIT = 4;
    private static final Duration TTL = Duration.ofSeconds(1);

    private final TestNodes nodes = new TestNodes();
    private final FaultyStore way = new FaultyStore(nodes.store);
    private final CountDownLatch end = new CountDownLatch(1);

    @BeforeEach
    void waitLongEnough() {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
    }

    @AfterEach
    void close() {
        end.countDown();
        way.set(Fault.NONE);
        nodes.close();
        Awaitility.reset();
    }

    private Node node(FleetStore store, UnreachableMode mode, LeaseLostAction action) {
        return nodes.add(
                store,
                fleet -> fleet.ttl(TTL).whenUnreachable(mode).onLeaseLost(action),
                policy -> policy.defaultMaxConcurrencyPerGroup(LIMIT));
    }

    private Node cutOffNode(UnreachableMode mode) {
        return node(way, mode, LeaseLostAction.KEEP);
    }

    private Node otherNode() {
        return node(nodes.store, UnreachableMode.STOP, LeaseLostAction.KEEP);
    }

    private static boolean hasLease(Node node) {
        return node.fleet().stats().sessions().stream()
                .allMatch(s -> s.leaseLeft().isPositive());
    }

    private static boolean isMember(Node node) {
        return hasLease(node)
                && node.fleet().stats().sessions().stream().allMatch(s -> s.state() == SessionState.MEMBER);
    }

    private void cutOff(Node node, Fault fault) {
        await().until(() -> isMember(node));
        way.set(fault);
        await().until(() -> !hasLease(node));
    }

    /** Submits tasks that run until the test ends. */
    private List<TaskHandle<?>> submit(Node node, String group, int number, AtomicInteger running) {
        List<TaskHandle<?>> tasks = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            tasks.add(node.executor().submit(group, "task", () -> {
                running.incrementAndGet();
                end.await();
                return null;
            }));
        }
        return tasks;
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"NONE", "LOSES_PUSHES"},
            mode = EnumSource.Mode.EXCLUDE)
    void nothingStartsWithoutALeaseUntilTheStoreAnswers(Fault fault) {
        Node node = cutOffNode(UnreachableMode.STOP);
        node.executor().submit("tenant", "before", () -> {}).join();
        cutOff(node, fault);
        AtomicInteger running = new AtomicInteger();
        submit(node, "tenant", 1, running);
        submit(node, "another", 1, running);
        assertThat(node.executor().groupStats("tenant").orElseThrow().queuedCount())
                .isEqualTo(1);
        assertThat(running).hasValue(0);
        assertThat(node.fleet().stats().lostCalls()).isPositive();
        way.set(Fault.NONE);
        await().until(() -> running.get() == 2);
    }

    @Test
    void permitsMoveWithTheHeartbeatsIfPushesAreLost() {
        Node node = cutOffNode(UnreachableMode.STOP);
        Node other = otherNode();
        AtomicInteger ofOther = new AtomicInteger();
        submit(other, "tenant", 2 * LIMIT, ofOther);
        await().until(() -> ofOther.get() == LIMIT);
        way.set(Fault.LOSES_PUSHES);
        TaskHandle<?> task = node.executor().submit("tenant", "task", () -> {});
        await().until(() -> node.group("tenant").wanted() == 1);
        end.countDown();
        assertThat(task.join().isSuccess()).isTrue();
    }

    @Test
    void keepLastGoesOnWithWhatWasHeld() {
        Node node = cutOffNode(UnreachableMode.KEEP_LAST);
        Node other = otherNode();
        AtomicInteger running = new AtomicInteger();
        CountDownLatch once = new CountDownLatch(1);
        List<TaskHandle<?>> two = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            two.add(node.executor().submit("tenant", "task", () -> {
                running.incrementAndGet();
                once.await();
                return null;
            }));
        }
        await().until(() -> running.get() == 2);
        submit(other, "tenant", 2, new AtomicInteger());
        await().until(() -> other.group("tenant").used() == 2);
        cutOff(node, Fault.FAILS);
        once.countDown();
        two.forEach(TaskHandle::join);
        running.set(0);
        submit(node, "tenant", LIMIT, running);
        await().until(() -> running.get() == 2);
        assertThat(node.executor().groupStats("tenant").orElseThrow().queuedCount())
                .isEqualTo(2);
        assertThat(running).hasValue(2);
    }

    @Test
    void shareStartsTasksUpToAnEqualPart() {
        Node node = cutOffNode(UnreachableMode.SHARE);
        Node other = otherNode();
        await().until(() -> isMember(node)
                && isMember(other)
                && node.fleet().stats().sessions().getFirst().nodes() == 2);
        cutOff(node, Fault.FAILS);
        AtomicInteger running = new AtomicInteger();
        submit(node, "tenant", LIMIT, running);
        await().until(() -> running.get() == LIMIT / 2);
        assertThat(node.executor().groupStats("tenant").orElseThrow().queuedCount())
                .isEqualTo(LIMIT / 2);
    }

    @Test
    void openStartsTasksUpToTheLimit() {
        Node node = cutOffNode(UnreachableMode.OPEN);
        otherNode();
        cutOff(node, Fault.SILENT);
        AtomicInteger running = new AtomicInteger();
        submit(node, "tenant", LIMIT + 1, running);
        await().until(() -> running.get() == LIMIT);
        assertThat(node.executor().groupStats("tenant").orElseThrow().queuedCount())
                .isEqualTo(1);
    }

    @Test
    void tasksThatWereStartedWithoutPermitsAreDebtAndAreSettledFirst() {
        Node node = cutOffNode(UnreachableMode.OPEN);
        Node other = otherNode();
        CountDownLatch endOfOther = new CountDownLatch(1);
        AtomicInteger ofOther = new AtomicInteger();
        for (int i = 0; i < LIMIT; i++) {
            other.executor().submit("tenant", "task", () -> {
                ofOther.incrementAndGet();
                endOfOther.await();
                return null;
            });
        }
        await().until(() -> ofOther.get() == LIMIT);
        cutOff(node, Fault.FAILS);
        AtomicInteger running = new AtomicInteger();
        submit(node, "tenant", LIMIT, running);
        await().until(() -> running.get() == LIMIT);
        way.set(Fault.NONE);
        await().until(() -> node.group("tenant").debt() == LIMIT && isMember(node));
        assertThat(node.fleet().stats().debt()).isEqualTo(LIMIT);

        endOfOther.countDown();
        await().until(() ->
                node.group("tenant").debt() == 0 && node.group("tenant").held() == LIMIT);
        TaskHandle<?> next = other.executor().submit("tenant", "next", () -> {});
        assertThat(next.isDone()).isFalse(); // all permits are in use by the other node
        end.countDown();
        assertThat(next.join().isSuccess()).isTrue();
    }

    @Test
    void runningTasksAreInterruptedIfTheLeaseIsLost() {
        Node node = node(way, UnreachableMode.STOP, LeaseLostAction.INTERRUPT);
        AtomicInteger running = new AtomicInteger();
        List<TaskHandle<?>> tasks = submit(node, "tenant", 2, running);
        await().until(() -> running.get() == 2);
        cutOff(node, Fault.FAILS);
        for (TaskHandle<?> task : tasks) {
            assertThat(task.join().status()).isEqualTo(TaskStatus.CANCELLED);
        }
    }

    @Test
    void runningTasksGoOnIfTheLeaseIsLost() {
        Node node = cutOffNode(UnreachableMode.STOP);
        AtomicInteger running = new AtomicInteger();
        List<TaskHandle<?>> tasks = submit(node, "tenant", 2, running);
        await().until(() -> running.get() == 2);
        cutOff(node, Fault.FAILS);
        way.set(Fault.NONE);
        await().until(() -> isMember(node));
        assertThat(tasks).noneMatch(TaskHandle::isDone);
        end.countDown();
        assertThat(tasks).allMatch(task -> task.join().isSuccess());
    }
}
