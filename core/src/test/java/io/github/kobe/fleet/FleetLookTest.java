package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.kobe.fleet.FaultyStore.Fault;
import io.github.kobe.fleet.FleetView.Group;
import io.github.kobe.fleet.FleetView.Holder;
import io.github.kobe.fleet.TestNodes.Node;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Does one node see what all nodes of its fleet hold and want? */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FleetLookTest {

    private final TestNodes nodes = new TestNodes();
    private final Semaphore end = new Semaphore(0);

    @AfterEach
    void close() {
        end.release(1_000);
        nodes.close();
    }

    private Node node(int limit) {
        return nodes.add(
                fleet -> fleet.heartbeat(Duration.ofMillis(50)), policy -> policy.defaultMaxConcurrencyPerGroup(limit));
    }

    private void submit(Node node, String group, int number) {
        for (int i = 0; i < number; i++) {
            node.executor().submit(group, "task", () -> {
                end.acquire();
                return null;
            });
        }
    }

    private static Group look(Node node, String group) {
        List<Group> groups = node.fleet().look(List.of(group)).join().groups();
        return groups.isEmpty() ? new Group(group, 0, false, List.of()) : groups.getFirst();
    }

    @Test
    void everyNodeIsSeenWithWhatItHoldsUsesAndWants() {
        Node first = node(3);
        Node second = node(3);
        submit(first, "tenant", 3);
        await().until(() -> look(first, "tenant").held() == 3);
        submit(second, "tenant", 2);
        await().until(() -> look(first, "tenant").wanted() == 5);

        FleetView view = first.fleet().look(List.of("tenant")).join();
        assertThat(view.fleet()).isEqualTo(first.fleet().name());
        assertThat(view.nodes())
                .extracting(FleetView.Node::node)
                .containsExactlyInAnyOrder(first.fleet().node(), second.fleet().node());
        assertThat(view.nodes()).allSatisfy(node -> {
            assertThat(node.sessions()).isEqualTo(1);
            assertThat(node.expiresIn()).isPositive();
        });
        Group group = view.groups().getFirst();
        assertThat(group.groupKey()).isEqualTo("tenant");
        assertThat(group.limit()).isEqualTo(3);
        assertThat(group.held()).isEqualTo(3);
        assertThat(group.debt()).isZero();
        assertThat(group.holders())
                .containsExactlyInAnyOrder(
                        new Holder(first.fleet().node(), 3, 3, 0),
                        new Holder(second.fleet().node(), 0, 2, 0));
    }

    @Test
    void permitsBeyondALoweredLimitAreDebt() {
        Node node = node(3);
        submit(node, "tenant", 3);
        await().until(() -> look(node, "tenant").held() == 3);
        node.fleet().control().setLimit("tenant", 1).join();
        assertThat(look(node, "tenant").limit()).isEqualTo(1);
        assertThat(look(node, "tenant").debt()).isEqualTo(2);
        end.release(3);
        await().until(() -> look(node, "tenant").debt() == 0);
    }

    @Test
    void groupsThatAreNotInUseAreLeftOutAndTheOthersKeepTheirOrder() {
        Node node = node(1);
        String longKey = "k".repeat(300); // a hash in the store
        List.of("b", longKey, "a").forEach(group -> submit(node, group, 1));
        List<String> asked = List.of("b", "unknown", longKey, "a");
        await().until(() -> node.fleet().look(asked).join().groups().size() == 3);
        assertThat(node.fleet().look(asked).join().groups())
                .extracting(Group::groupKey)
                .containsExactly("b", longKey, "a");
    }

    @Test
    void aPauseIsSeen() {
        Node node = node(1);
        submit(node, "tenant", 2);
        await().until(() -> look(node, "tenant").held() == 1);
        node.fleet().control().pause("tenant").join();
        assertThat(look(node, "tenant").paused()).isTrue();
    }

    @Test
    void tooManyKeysAreRefused() {
        Node node = node(1);
        List<String> keys = IntStream.range(0, 65).mapToObj(i -> "key-" + i).toList();
        assertThatThrownBy(() -> node.fleet().look(keys))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("65");
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"FAILS", "SILENT", "THROWS", "RETURNS_NULL", "WRONG_ANSWER"})
    void aStoreThatDoesNotAnswerIsAFailureAndNotAWait(Fault fault) {
        FaultyStore store = new FaultyStore(new InMemoryStore());
        try (Fleet fleet = Fleet.builder("faulty", store)
                .ttl(Duration.ofMillis(200))
                .founding(true)
                .join()) {
            store.set(fault);
            CompletableFuture<FleetView> view = fleet.look(List.of("tenant"));
            assertThatThrownBy(view::get).isInstanceOf(ExecutionException.class);
        }
    }
}
