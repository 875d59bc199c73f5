package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.fleet.FaultyStore.Fault;
import io.github.kobe.fleet.TestNodes.Node;
import io.github.kobe.internal.kernel.LeaseControl;
import io.github.kobe.internal.kernel.LeaseOwner;
import io.github.kobe.internal.kernel.PermitLeases;
import io.github.kobe.internal.util.Faults;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens when a fleet is closed, or an executor of it is shut down, in either order? */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FleetLifecycleTest {

    private final TestNodes nodes = new TestNodes();
    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);

    @BeforeEach
    void waitLongEnough() {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
    }

    @AfterEach
    void close() {
        end.countDown();
        nodes.close();
        Awaitility.reset();
    }

    private Node node() {
        return nodes.add(policy -> policy.defaultMaxConcurrencyPerGroup(1));
    }

    private TaskHandle<?> submitBlocking(Node node) throws InterruptedException {
        TaskHandle<?> task = node.executor().submit("tenant", "task", () -> {
            started.countDown();
            end.await();
            return null;
        });
        started.await();
        return task;
    }

    private static boolean isThreadAlive(String fleet) {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("fleet-" + fleet));
    }

    /** Otherwise the first task would wait for the hello as well, and a new fleet would begin to learn only then. */
    @Test
    void executorJoinsBeforeItHasTasks() {
        nodes.add(fleet -> fleet.ttl(Duration.ofHours(1)), policy -> policy.defaultMaxConcurrencyPerGroup(1));
        await().until(() -> nodes.look().sessions().size() == 1);
    }

    @Test
    void executorThatJoinsAtTheMomentOfTheCloseWaitsForNoAnswer() {
        Fleet fleet = Fleet.join("closed-early", nodes.store);
        PermitLeases leases = ((LeaseOwner) fleet).join("executor");
        fleet.close();
        await().until(() -> !isThreadAlive("closed-early"));
        leases.attached(new LeaseControl(leases, new Faults(System::nanoTime, () -> "test")));
        assertThat(leases.leased("group")).isZero();
        assertThat(fleet.stats().sessions()).isEmpty();
    }

    @Test
    void statisticsOfAClosedFleetCanBeReadOnAVirtualThread() throws InterruptedException {
        Fleet fleet = Fleet.join("closed-early", nodes.store);
        fleet.close();
        await().until(() -> !isThreadAlive("closed-early"));
        AtomicReference<FleetStats> stats = new AtomicReference<>();
        Thread.startVirtualThread(() -> stats.set(fleet.stats())).join();
        assertThat(stats.get().sessions()).isEmpty();
    }

    @Test
    void closeReturnsAllPermits() {
        Node node = node();
        node.executor().submit("tenant", "task", () -> {}).join();
        assertThat(nodes.look("tenant").holdings()).hasSize(1);
        node.fleet().close();
        assertThat(nodes.look().sessions()).isEmpty();
        assertThat(nodes.look().groups()).isEmpty();
    }

    @Test
    void closeIsIdempotentAndWorksWithoutExecutors() {
        Fleet fleet = Fleet.join("unused", nodes.store);
        fleet.close();
        fleet.close();
        await().until(() -> !isThreadAlive("unused"));
        assertThat(fleet.stats().sessions()).isEmpty();
    }

    @Test
    void runningTaskKeepsItsPermitAfterCloseUntilItReturns() throws Exception {
        Node node = node();
        TaskHandle<?> task = submitBlocking(node);
        node.fleet().close();
        Node other = node();
        TaskHandle<?> next = other.executor().submit("tenant", "next", () -> {});
        assertThat(nodes.look("tenant").holdings()).anyMatch(share -> share.granted() == 1);
        assertThat(next.isDone()).isFalse();
        end.countDown();
        assertThat(task.join().isSuccess()).isTrue();
        assertThat(next.join().isSuccess()).isTrue();
    }

    @Test
    void queuedTasksOfAClosedFleetStayQueuedUntilTheirExecutorIsShutDown() throws Exception {
        Node node = node();
        submitBlocking(node);
        TaskHandle<?> queued = node.executor().submit("tenant", "queued", () -> {});
        node.fleet().close();
        TaskHandle<?> later = node.executor().submit("another", "later", () -> {});
        end.countDown();
        await().until(() -> nodes.look().sessions().isEmpty());
        assertThat(queued.isDone()).isFalse();
        assertThat(later.isDone()).isFalse();
        node.executor().shutdown();
        assertThat(queued.join().status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(later.join().status()).isEqualTo(TaskStatus.CANCELLED);
    }

    @Test
    void executorThatIsShutDownLeavesTheFleetOpenForOthers() {
        Node node = node();
        node.executor().submit("tenant", "task", () -> {}).join();
        node.executor().shutdown();
        await().until(() -> nodes.look().sessions().isEmpty()
                && node.fleet().stats().sessions().isEmpty());
        assertThat(node.fleet().stats().exchanges()).isPositive();
        try (GroupExecutor second = GroupExecutor.newVirtualThreadExecutor(
                GroupPolicy.builder().fleet(node.fleet()).build())) {
            assertThat(second.submit("tenant", "task", () -> {}).join().isSuccess())
                    .isTrue();
        }
    }

    @Test
    void executorThatIsStoppedKeepsThePermitsOfTasksThatDoNotReturn() throws Exception {
        Node node = node();
        CountDownLatch stubborn = new CountDownLatch(1);
        node.executor().submit("tenant", "task", () -> {
            started.countDown();
            while (stubborn.getCount() > 0) {
                try {
                    stubborn.await();
                } catch (InterruptedException e) {
                    // it goes on
                }
            }
        });
        started.await();
        node.executor().shutdown();
        Node other = node();
        TaskHandle<?> next = other.executor().submit("tenant", "next", () -> {});
        await().until(() -> nodes.look("tenant").holdings().size() == 2);
        assertThat(next.isDone()).isFalse();
        stubborn.countDown();
        assertThat(next.join().isSuccess()).isTrue();
    }

    @Test
    void noExecutorCanBeCreatedWithAClosedFleet() {
        Node node = node();
        node.fleet().close();
        GroupPolicy policy =
                GroupPolicy.builder().name("late").fleet(node.fleet()).build();
        assertThatThrownBy(() -> GroupExecutor.newVirtualThreadExecutor(policy))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("fleet 'test' is closed, and executor 'late' cannot join");
    }

    @Test
    void closeEndsAlthoughTheStoreCannotBeReached() {
        FaultyStore way = new FaultyStore(nodes.store);
        Fleet fleet = Fleet.builder("cut-off", way)
                .ttl(Duration.ofMillis(400))
                .founding(true)
                .join();
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                GroupPolicy.builder().fleet(fleet).build())) {
            executor.submit("tenant", "task", () -> {}).join();
            way.set(Fault.SILENT);
            fleet.close();
        }
        await().until(() -> !isThreadAlive("cut-off"));
    }

    @Test
    void emptyStoreLearnsForOneTtlUnlessTheFleetIsNew() {
        Node node = nodes.add(fleet -> fleet.founding(false), policy -> policy);
        TaskHandle<?> task = node.executor().submit("tenant", "task", () -> {});
        await().until(() ->
                node.fleet().stats().sessions().getFirst().learning().isPositive());
        assertThat(task.isDone()).isFalse();
    }
}
