package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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
    private volatile Consumer<FleetRequest> onCall = request -> {};
    private volatile Thread own = Thread.currentThread(); // the thread of the fleet, once it has said hello

    @BeforeEach
    void waitLongEnough() {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
    }

    @AfterEach
    void close() {
        nodes.close();
        threads.forEach(ExecutorService::close);
        Awaitility.reset();
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
                    onCall.accept(request);
                    if (request instanceof FleetRequest.Hello) {
                        own = Thread.currentThread();
                    }
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

    private long sleepsOfTheThreadOfTheFleet() {
        return ManagementFactory.getThreadMXBean().getThreadInfo(own.threadId()).getWaitedCount();
    }

    /** A virtual thread that is first in the queue of a lock keeps others from taking it until it has a carrier. */
    @Test
    void heartbeatsDoNotWaitForAVirtualThreadThatReadsStatisticsAndHasNoCarrier() throws InterruptedException {
        AtomicBoolean holds = new AtomicBoolean(); // whether the next call on the sender keeps the lock of the fleet
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        AtomicInteger heartbeats = new AtomicInteger();
        onCall = request -> {
            if (request instanceof FleetRequest.Exchange exchange && exchange.renews()) {
                heartbeats.incrementAndGet();
            }
            if (Thread.currentThread().getName().equals("sender") && holds.compareAndSet(true, false)) {
                held.countDown();
                awaitUninterruptibly(goesOn);
            }
        };
        Node node = node(thread("sender"), Duration.ofMillis(50), 1);
        AtomicBoolean stop = new AtomicBoolean();
        try {
            for (int i = 0; !held.await(100, TimeUnit.MILLISECONDS); i++) { // the thread of the fleet may be at it
                holds.set(true);
                node.executor().submit("group-" + i, "task", () -> {});
            }
            Thread reader = Thread.ofVirtual().start(() -> node.fleet().stats());
            await().until(() -> reader.getState() == Thread.State.WAITING);
            await().until(() -> own.getState() == Thread.State.WAITING); // for the lock; asleep it is TIMED_WAITING
            useUpAllCarriers(stop);
            int before = heartbeats.get();
            goesOn.countDown();
            await().until(() -> heartbeats.get() > before + 2);
        } finally {
            goesOn.countDown();
            stop.set(true);
        }
    }

    private static void useUpAllCarriers(AtomicBoolean stop) throws InterruptedException {
        int carriers = Integer.getInteger(
                "jdk.virtualThreadScheduler.parallelism", Runtime.getRuntime().availableProcessors());
        CountDownLatch busy = new CountDownLatch(carriers);
        for (int i = 0; i < carriers; i++) {
            Thread.startVirtualThread(() -> {
                busy.countDown();
                while (!stop.get()) {
                    Thread.onSpinWait();
                }
            });
        }
        busy.await();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
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
