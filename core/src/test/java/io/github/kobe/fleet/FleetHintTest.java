package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.fleet.TestNodes.Node;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does a task that starts on a permit in hand cost the fleet anything? */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FleetHintTest {

    private final TestNodes nodes = new TestNodes();
    private final CountDownLatch stuck = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);
    private volatile boolean sticks;

    @AfterEach
    void close() {
        end.countDown();
        nodes.close();
    }

    /** A node whose thread of the fleet does not return from a heartbeat when {@link #sticks} is set, so that what is told to it stays in its inbox. */
    private Node node() {
        FleetStore way = (fleet, listener) -> {
            return new ForwardingConnection(nodes.store.connect(fleet, listener)) {
                @Override
                public CompletionStage<FleetReply> call(int shard, FleetRequest request) {
                    if (sticks
                            && request instanceof FleetRequest.Exchange exchange
                            && exchange.claims().isEmpty()) {
                        stuck.countDown();
                        awaitEnd();
                    }
                    return super.call(shard, request);
                }
            };
        };
        return nodes.add(
                way,
                fleet -> fleet.heartbeat(Duration.ofMillis(20)),
                policy -> policy.defaultMaxConcurrencyPerGroup(2));
    }

    private void awaitEnd() {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void permitsThatAreNotInUseAnyMoreAreNoEventWhileNobodyElseWaits() throws InterruptedException {
        Node node = node();
        node.executor().submit("g", "task", () -> {}).join(); // the node holds a permit when this has run
        sticks = true;
        stuck.await();
        for (int i = 0; i < 100; i++) {
            node.executor().submit("g", "task", () -> {}).join();
        }
        assertThat(((FleetRuntime) node.fleet()).signalled).isFalse();
        node.executor().submit("other", "task", () -> {});
        assertThat(((FleetRuntime) node.fleet()).signalled)
                .as("no permit in hand")
                .isTrue();
    }
}
