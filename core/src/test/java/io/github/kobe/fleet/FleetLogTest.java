package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TestKit.Log;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What does a fleet log about its store? */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FleetLogTest {

    private static final String FAILED = "a call of the store failed";

    /** Answers nothing. When it is closed, all calls fail. */
    private static final class SilentStore implements FleetStore {

        private final Queue<CompletableFuture<FleetReply>> calls = new ConcurrentLinkedQueue<>();
        private final CountDownLatch called = new CountDownLatch(1);
        private final CountDownLatch closed = new CountDownLatch(1);

        @Override
        public Connection connect(String fleet, Listener listener) {
            return new Connection() {
                @Override
                public int shards() {
                    return 1;
                }

                @Override
                public CompletionStage<FleetReply> call(int shard, FleetRequest request) {
                    CompletableFuture<FleetReply> call = new CompletableFuture<>();
                    calls.add(call);
                    called.countDown();
                    return call;
                }

                @Override
                public void close() {
                    failAll(new java.io.IOException("connection closed"));
                    closed.countDown();
                }
            };
        }

        void failAll(Throwable fault) {
            calls.forEach(call -> call.completeExceptionally(fault));
        }
    }

    private static Fleet join(FleetStore store, Duration ttl) {
        return Fleet.builder("orders", store).ttl(ttl).join();
    }

    private static GroupExecutor executorOf(Fleet fleet) {
        return GroupExecutor.newVirtualThreadExecutor(
                GroupPolicy.builder().name("api").fleet(fleet).build());
    }

    @Test
    void storeThatGrantsNothingYetIsAnnounced() {
        try (Log log = new Log();
                Fleet fleet = join(new InMemoryStore(), Duration.ofHours(1));
                GroupExecutor executor = executorOf(fleet)) {
            await().until(() -> !log.lines("it grants nothing").isEmpty());
            assertThat(log.lines("it grants nothing").getFirst())
                    .contains("fleet 'orders'", "executor 'api' waits for 60 min")
                    .endsWith("/ null");
        }
    }

    @Test
    void failureOfTheStoreIsOneLineWithItsCauseAndWithoutAStackTrace() throws InterruptedException {
        SilentStore store = new SilentStore();
        try (Log log = new Log();
                Fleet fleet = join(store, Duration.ofHours(1));
                GroupExecutor executor = executorOf(fleet)) {
            store.called.await();
            store.failAll(new java.io.IOException("connection reset"));
            await().until(() -> !log.lines(FAILED).isEmpty());
            assertThat(log.lines(FAILED))
                    .singleElement()
                    .asString()
                    .contains("Hello: java.io.IOException: connection reset")
                    .endsWith("/ null");
        }
    }

    @Test
    void bugOfTheStoreIsLoggedWithItsStackTrace() throws InterruptedException {
        SilentStore store = new SilentStore();
        try (Log log = new Log();
                Fleet fleet = join(store, Duration.ofHours(1));
                GroupExecutor executor = executorOf(fleet)) {
            store.called.await();
            store.failAll(new IndexOutOfBoundsException("in the store"));
            await().until(() -> !log.lines(FAILED).isEmpty());
            assertThat(log.lines(FAILED))
                    .singleElement()
                    .asString()
                    .endsWith("/ java.lang.IndexOutOfBoundsException: in the store");
        }
    }

    @Test
    void callThatIsEndedByTheCloseIsNotAFailure() throws InterruptedException {
        SilentStore store = new SilentStore();
        try (Log log = new Log()) {
            try (Fleet fleet = join(store, Duration.ofMillis(400));
                    GroupExecutor executor = executorOf(fleet)) {
                store.called.await();
            }
            store.closed.await();
            assertThat(log.lines(FAILED)).isEmpty();
        }
    }
}
