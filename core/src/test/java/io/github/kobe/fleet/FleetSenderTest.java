package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TaskHandle;
import io.github.kobe.fleet.TestNodes.Node;
import io.github.kobe.fleet.TestNodes.Referee;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Does a fleet make its calls on the thread that sends them, and what if that thread does not come? */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FleetSenderTest {

    private final TestNodes nodes = new TestNodes();
    private final List<ExecutorService> threads = new ArrayList<>();
    private final Set<String> callers = ConcurrentHashMap.newKeySet(); // names of the threads that made claims

    @AfterEach
    void close() {
        nodes.close();
        threads.forEach(ExecutorService::close);
    }

    private Executor thread(String name) {
        ExecutorService thread =
                Executors.newSingleThreadExecutor(Thread.ofPlatform().name(name).factory());
        threads.add(thread);
        return thread;
    }

    private Node node(Executor sender, Duration heartbeat, int limit) {
        return node(sender, Runnable::run, heartbeat, limit);
    }

    /** @param answering the thread that brings answers */
    private Node node(Executor sender, Executor answering, Duration heartbeat, int limit) {
        FleetStore way = (fleet, listener) -> {
            return new ForwardingConnection(nodes.store.connect(fleet, listener)) {
                @Override
                public CompletionStage<FleetReply> call(int shard, FleetRequest request) {
                    if (request instanceof FleetRequest.Exchange exchange
                            && !exchange.claims().isEmpty()) {
                        callers.add(Thread.currentThread().getName());
                    }
                    return super.call(shard, request).thenApplyAsync(reply -> reply, answering);
                }

                @Override
                public Executor sender() {
                    return sender;
                }
            };
        };
        return nodes.add(
                way, fleet -> fleet.heartbeat(heartbeat), policy -> policy.defaultMaxConcurrencyPerGroup(limit));
    }

    @Test
    void theThreadThatSendsMakesTheCallForAFirstStart() {
        Node node = node(thread("sender"), Duration.ofSeconds(5), 1);
        for (int i = 0; !callers.contains("sender"); i++) { // the thread of the fleet may be at it, above all at first
            node.executor().submit("group-" + i, "task", () -> {}).join();
        }
    }

    @Test
    void theThreadOfTheFleetSleepsMeanwhile() {
        Executor eventLoop = thread("sender");
        Node node = node(eventLoop, eventLoop, Duration.ofSeconds(5), 1);
        node.executor().submit("first", "task", () -> {}).join(); // it has joined
        long before = sleepsOfTheThreadOfTheFleet();
        int starts = 1_000;
        for (int i = 0; i < starts; i++) {
            node.executor().submit("group-" + i, "task", () -> {}).join();
        }
        assertThat(sleepsOfTheThreadOfTheFleet() - before).isLessThan(starts / 10); // heartbeats
    }

    private static long sleepsOfTheThreadOfTheFleet() {
        long id = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("fleet-test"))
                .findFirst()
                .orElseThrow()
                .threadId();
        return ManagementFactory.getThreadMXBean().getThreadInfo(id).getWaitedCount();
    }

    @ParameterizedTest
    @ValueSource(classes = {RejectedExecutionException.class, IllegalStateException.class})
    void ifItDoesNotTakeTheWorkTheThreadOfTheFleetDoesIt(Class<? extends RuntimeException> type) {
        Executor closed = work -> {
            throw type == RejectedExecutionException.class
                    ? new RejectedExecutionException("closed")
                    : new IllegalStateException("against the contract");
        };
        Node node = node(closed, Duration.ofSeconds(5), 1);
        for (int i = 0; i < 100; i++) { // a heartbeat for each would be too late
            node.executor().submit("group-" + i, "task", () -> {}).join();
        }
        assertThat(callers).containsExactly("fleet-test");
        assertThat(node.fleet().stats().faults() > 0).isEqualTo(type == IllegalStateException.class);
    }

    @Test
    void ifItIsAVirtualThreadTheThreadOfTheFleetDoesIt() {
        Node node = node(Thread::startVirtualThread, Duration.ofSeconds(5), 1);
        for (int i = 0; i < 100; i++) {
            node.executor().submit("group-" + i, "task", () -> {}).join();
        }
        assertThat(callers).containsExactly("fleet-test");
    }

    @Test
    void ifItNeverComesTheThreadOfTheFleetDoesItWithItsNextHeartbeat() {
        Executor stuck = work -> {};
        Node node = node(stuck, Duration.ofMillis(20), 1);
        for (int i = 0; i < 10; i++) {
            node.executor().submit("group-" + i, "task", () -> {}).join();
        }
        assertThat(callers).containsExactly("fleet-test");
    }

    @Test
    void bothTakeTurnsAndNoEventIsLost() {
        List<Node> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            all.add(node(thread("sender-" + i), Duration.ofSeconds(5), 2));
        }
        Referee referee = new Referee();
        List<TaskHandle<?>> tasks = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            tasks.add(all.get(i % 3).executor().submit("shared", "task", () -> {
                referee.begin();
                Thread.yield();
                referee.end();
                return null;
            }));
            tasks.add(all.get(i % 3).executor().submit("group-" + i, "task", () -> {}));
        }
        tasks.forEach(TaskHandle::join);
        assertThat(referee.most()).isBetween(1, 2);
    }
}
