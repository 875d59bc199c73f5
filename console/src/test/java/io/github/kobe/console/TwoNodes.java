package io.github.kobe.console;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.SharedLimit;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.fleet.FleetReply;
import io.github.kobe.fleet.FleetRequest;
import io.github.kobe.fleet.FleetStore;
import io.github.kobe.fleet.InMemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;

/** A fleet of two nodes in this JVM, and a store that can be cut off. */
final class TwoNodes implements AutoCloseable {

    private final FleetStore store = new InMemoryStore();
    private volatile boolean cutOff;
    private final CountDownLatch released = new CountDownLatch(1);
    private final List<AutoCloseable> open = new ArrayList<>();

    final Fleet first;
    final Fleet second;
    final GroupExecutor firstExecutor;
    final GroupExecutor secondExecutor;

    /**
     * @param limit of each group in the fleet
     * @param shared further limits of both executors
     */
    TwoNodes(int limit, SharedLimit... shared) {
        first = join("node-1");
        second = join("node-2");
        firstExecutor = executor(first, limit, shared);
        secondExecutor = executor(second, limit, shared);
    }

    private Fleet join(String node) {
        Fleet fleet = Fleet.builder("shop", new Way())
                .node(node)
                .ttl(Duration.ofMinutes(1))
                .heartbeat(Duration.ofMillis(50))
                .totalLimit(100)
                .founding(true)
                .join();
        open.add(fleet);
        return fleet;
    }

    private GroupExecutor executor(Fleet fleet, int limit, SharedLimit... shared) {
        GroupPolicy.Builder policy = GroupPolicy.builder()
                .name("orders")
                .defaultMaxConcurrencyPerGroup(limit)
                .fleet(fleet);
        for (SharedLimit sharedLimit : shared) {
            policy.sharedLimit(sharedLimit);
        }
        GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy.build());
        open.add(executor);
        return executor;
    }

    /** Submits tasks that run until {@link #release}. */
    void submit(GroupExecutor executor, String group, int tasks) {
        for (int i = 0; i < tasks; i++) {
            executor.submit(group, "task-" + i, () -> {
                released.await();
                return true;
            });
        }
    }

    void release() {
        released.countDown();
    }

    /** From now on the store does not answer. */
    void cutOff() {
        cutOff = true;
    }

    private final class Way implements FleetStore {
        @Override
        public Connection connect(String fleet, Listener listener) {
            Connection connection = store.connect(fleet, listener);
            return new Connection() {
                @Override
                public int shards() {
                    return connection.shards();
                }

                @Override
                public CompletionStage<FleetReply> call(int shard, FleetRequest request) {
                    return cutOff
                            ? CompletableFuture.failedFuture(new IllegalStateException("cut off"))
                            : connection.call(shard, request);
                }

                @Override
                public void close() {
                    connection.close();
                }
            };
        }
    }

    @Override
    public void close() {
        release();
        cutOff = false;
        for (AutoCloseable resource : open.reversed()) {
            try {
                resource.close();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }
}
