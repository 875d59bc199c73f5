package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.kobe.fleet.FleetReply.Exchanged;
import io.github.kobe.fleet.FleetReply.Joined;
import io.github.kobe.fleet.FleetRequest.Exchange;
import io.github.kobe.fleet.FleetRequest.Hello;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Can nodes on different threads share the store in memory? */
@Timeout(60)
class InMemoryStoreTest {

    private static final int ALL = Integer.MAX_VALUE; // the node knows all that it was granted

    private static final class Pushes implements FleetStore.Listener {
        final Queue<FleetPush> all = new ConcurrentLinkedQueue<>();

        @Override
        public void pushed(int shard, FleetPush push) {
            all.add(push);
        }

        @Override
        public void available(int shard) {
            throw new AssertionError("the memory is always available");
        }
    }

    private final InMemoryStore store = new InMemoryStore();

    private static FleetReply call(FleetStore.Connection connection, FleetRequest request) {
        return connection.call(0, request).toCompletableFuture().join();
    }

    private static String join(FleetStore.Connection connection, String session) {
        return ((Joined) call(connection, new Hello(session, 1, session, 60_000, 0, connection.shards(), true)))
                .incarnation();
    }

    @Test
    void pushGoesToTheConnectionOfItsSession() {
        Pushes pushes = new Pushes();
        FleetStore.Connection a = store.connect("orders", pushes);
        FleetStore.Connection b = store.connect("orders", new Pushes());
        String incarnation = join(a, "a");
        join(b, "b");
        call(a, new Exchange("a", 2, incarnation, true, List.of(new Claim("g", 1, 0, ALL, 0, 0, 1, 0))));
        call(b, new Exchange("b", 2, incarnation, true, List.of(new Claim("g", 1, 0, ALL, 0, 0, 1, 0))));
        assertThat(pushes.all).extracting(FleetPush::session).containsExactly("a");
        a.close();
        call(b, new Exchange("b", 3, incarnation, true, List.of(new Claim("h", 1, 0, ALL, 0, 0, 1, 0))));
        assertThat(pushes.all).hasSize(1);
    }

    @Test
    void fleetsShareNothing() {
        FleetStore.Connection orders = store.connect("orders", new Pushes());
        FleetStore.Connection mail = store.connect("mail", new Pushes());
        String ofOrders = join(orders, "a");
        String ofMail = join(mail, "b");
        Claim claim = new Claim("g", 1, 0, ALL, 0, 0, 1, 0);
        assertThat(((Exchanged) call(orders, new Exchange("a", 2, ofOrders, true, List.of(claim)))).grants())
                .allMatch(g -> g.granted() == 1);
        assertThat(((Exchanged) call(mail, new Exchange("b", 2, ofMail, true, List.of(claim)))).grants())
                .allMatch(g -> g.granted() == 1);
    }

    @Test
    void closedConnectionAnswersNothing() {
        FleetStore.Connection connection = store.connect("orders", new Pushes());
        connection.close();
        assertThat(connection.call(0, new FleetRequest.Look(List.of(), List.of())))
                .isCompletedExceptionally();
    }

    @Test
    void nameOfAFleetFitsIntoAKey() {
        for (String name : List.of("", "a b", "a{b}", "ä", "x".repeat(101))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> store.connect(name, new Pushes()))
                    .withMessageContaining("'" + name + "'");
        }
    }

    @Test
    void concurrentClaimsNeverExceedTheLimit() throws Exception {
        int nodes = 4;
        CountDownLatch start = new CountDownLatch(1);
        try (var threads = Executors.newFixedThreadPool(nodes)) {
            List<Future<Integer>> highest = IntStream.range(0, nodes)
                    .mapToObj(n -> threads.submit(() -> claimManyTimes(start, "s" + n)))
                    .toList();
            start.countDown();
            for (Future<Integer> held : highest) {
                assertThat(held.get()).isLessThanOrEqualTo(10);
            }
        }
    }

    private int claimManyTimes(CountDownLatch start, String session) throws InterruptedException {
        FleetStore.Connection connection = store.connect("orders", new Pushes());
        start.await();
        String incarnation = join(connection, session);
        FleetStore.Connection look = store.connect("orders", new Pushes());
        int highest = 0;
        for (int i = 0; i < 500; i++) {
            call(
                    connection,
                    new Exchange(
                            session,
                            2 + i,
                            incarnation,
                            true,
                            List.of(new Claim("g", 10, 0, ALL, 0, 0, 1 + i % 10, 0))));
            FleetReply.Snapshot snapshot =
                    (FleetReply.Snapshot) call(look, new FleetRequest.Look(List.of(), List.of("g")));
            for (FleetReply.GroupSnapshot group : snapshot.groups()) {
                highest = Math.max(
                        highest,
                        group.holdings().stream()
                                .mapToInt(FleetReply.Holding::granted)
                                .sum());
            }
        }
        return highest;
    }
}
