package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.fleet.TestNodes.Node;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which thread asks the store for permits? */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FleetThreadTest {

    private final TestNodes nodes = new TestNodes();
    private final ExecutorService sender = Executors.newSingleThreadExecutor(
            work -> Thread.ofPlatform().name("sender").unstarted(work));
    private final Queue<String> claimers = new ConcurrentLinkedQueue<>(); // threads that made claims
    private final AtomicInteger executed = new AtomicInteger();

    @AfterEach
    void close() {
        nodes.close();
        sender.shutdownNow();
    }

    /** A store whose connections do work on a thread of their own as {@code execute} says. */
    private Node node(Predicate<Runnable> execute, Duration ttl) {
        FleetStore way = (fleet, listener) -> {
            FleetStore.Connection connection = nodes.store.connect(fleet, listener);
            return new FleetStore.Connection() {
                @Override
                public int shards() {
                    return connection.shards();
                }

                @Override
                public CompletionStage<FleetReply> call(int shard, FleetRequest request) {
                    if (request instanceof FleetRequest.Exchange exchange
                            && !exchange.claims().isEmpty()) {
                        claimers.add(Thread.currentThread().getName());
                    }
                    return connection.call(shard, request);
                }

                @Override
                public boolean runOnSender(int shard, Runnable work) {
                    executed.incrementAndGet();
                    return execute.test(work);
                }

                @Override
                public void close() {
                    connection.close();
                }
            };
        };
        Node node = nodes.add(way, fleet -> fleet.ttl(ttl), policy -> policy.defaultMaxConcurrencyPerGroup(2));
        node.executor().submit("first", "task", () -> {}).join(); // the node has joined when this has run
        claimers.clear();
        return node;
    }

    /** The first task of each of several groups runs. While the thread of the fleet is awake, no other thread is asked to handle its hint. */
    private static void submitUntil(Node node, BooleanSupplier condition) {
        int groups = 0;
        do {
            node.executor().submit("g" + groups++, "task", () -> {}).join();
        } while (!condition.getAsBoolean());
    }

    @Test
    void threadThatSendsTheCallsAsksForPermits() {
        Node node = node(
                work -> {
                    sender.execute(work);
                    return true;
                },
                TestNodes.LONG_TTL);
        submitUntil(node, () -> claimers.contains("sender"));
    }

    @Test
    void threadOfTheFleetDoesIfThereIsNoOther() {
        Node node = node(work -> false, TestNodes.LONG_TTL);
        assertThat(node.executor().submit("g", "task", () -> {}).join().isSuccess())
                .isTrue();
        assertThat(claimers).containsOnly("fleet-test");
    }

    @Test
    void threadOfTheFleetDoesIfTheStoreThrows() {
        Node node = node(
                work -> {
                    throw new IllegalStateException("thrown by the store");
                },
                TestNodes.LONG_TTL);
        submitUntil(node, () -> node.fleet().stats().faults() > 0);
        assertThat(claimers).containsOnly("fleet-test");
    }

    @Test
    void threadOfTheFleetDoesWithItsNextHeartbeatIfTheOtherIsStuck() {
        Node node = node(work -> true, Duration.ofSeconds(2)); // never does the work
        assertThat(node.executor().submit("g", "task", () -> {}).join().isSuccess())
                .isTrue();
        assertThat(claimers).containsOnly("fleet-test");
    }

    @Test
    void permitsThatAreNotInUseAnyMoreAreNoEventWhileNobodyElseWaits() {
        Node node = node(work -> false, TestNodes.LONG_TTL);
        node.executor().submit("g", "task", () -> {}).join();
        int before = executed.get();
        for (int i = 0; i < 100; i++) {
            node.executor().submit("g", "task", () -> {}).join();
        }
        assertThat(executed).as("hints of 100 tasks with permits in hand").hasValue(before);
    }
}
