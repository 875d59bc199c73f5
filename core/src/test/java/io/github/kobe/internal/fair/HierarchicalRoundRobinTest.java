package io.github.kobe.internal.fair;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** {@link HierarchicalRoundRobin} without a dispatcher; the test polls and starts. */
class HierarchicalRoundRobinTest {

    private final HierarchicalRoundRobin queue = new HierarchicalRoundRobin();

    private final class TestGroup implements Competitor {
        private final String key;
        private final FairnessState state;

        TestGroup(String key, Level... levels) {
            this.key = key;
            this.state = queue.newState(List.of(levels));
            queue.add(this);
        }

        @Override
        public String key() {
            return key;
        }

        @Override
        public int queued() {
            return 1;
        }

        @Override
        public FairnessState fairnessState() {
            return state;
        }
    }

    private static Level level(String value, int weight) {
        return new Level(value, weight);
    }

    private Competitor poll() {
        return Objects.requireNonNull(queue.poll(), "no group is ready");
    }

    private void start(Competitor group, int cost) {
        queue.started(group, cost, 0);
        queue.add(group);
        queue.endPoll();
    }

    private void leave(Competitor group, boolean idle) {
        queue.left(group, idle);
        queue.endPoll();
    }

    private String order(int starts) {
        List<String> order = new ArrayList<>();
        for (int i = 0; i < starts; i++) {
            Competitor group = poll();
            order.add(group.key());
            start(group, 1);
        }
        return String.join(" ", order);
    }

    @Test
    void groupsWithoutAValueAlternate() {
        new TestGroup("a");
        new TestGroup("b");
        new TestGroup("c");
        assertThat(order(7)).isEqualTo("a b c a b c a");
    }

    @Test
    void valuesTakeTurnsWhateverTheNumberOfTheirGroups() {
        new TestGroup("a1", level("a", 1));
        new TestGroup("b1", level("b", 1));
        new TestGroup("b2", level("b", 1));
        new TestGroup("b3", level("b", 1));
        assertThat(order(8)).isEqualTo("a1 b1 a1 b2 a1 b3 a1 b1");
    }

    @Test
    void aGroupWithoutAValueCountsAsOneValue() {
        new TestGroup("x");
        new TestGroup("a1", level("a", 1));
        new TestGroup("a2", level("a", 1));
        assertThat(order(5)).isEqualTo("x a1 x a2 x");
    }

    @Test
    void aTurnHasAsManyStartsAsTheWeight() {
        new TestGroup("a1", level("a", 3));
        new TestGroup("a2", level("a", 3));
        new TestGroup("b1", level("b", 1));
        assertThat(order(8)).isEqualTo("a1 a2 a1 b1 a2 a1 a2 b1");
    }

    @Test
    void valuesWithinAValueTakeTurnsByTheirWeights() {
        new TestGroup("au", level("a", 2), level("u", 2));
        new TestGroup("av1", level("a", 2), level("v", 1));
        new TestGroup("av2", level("a", 2), level("v", 1));
        new TestGroup("bu", level("b", 1), level("u", 2));
        assertThat(order(9)).isEqualTo("au au bu av1 au bu au av2 bu");
    }

    @Test
    void groupsOfAValueTakeTurnsByTheirOwnWeights() {
        TestGroup heavy = new TestGroup("a1", level("a", 1));
        heavy.state.setWeight(2);
        new TestGroup("a2", level("a", 1));
        new TestGroup("b1", level("b", 1));
        assertThat(order(8)).isEqualTo("a1 b1 a1 b1 a2 b1 a1 b1");
    }

    @Test
    void aValueWhoseGroupIsAtItsOwnLimitKeepsTheRestOfItsTurn() {
        TestGroup a = new TestGroup("a", level("a", 3));
        new TestGroup("b", level("b", 1));
        queue.started(poll(), 1, 0);
        leave(a, false);
        assertThat(order(2)).isEqualTo("b b");
        queue.add(a);
        assertThat(order(4)).isEqualTo("a a b a");
    }

    @Test
    void anIdleValueSavesNothing() {
        TestGroup a = new TestGroup("a", level("a", 3));
        new TestGroup("b", level("b", 1));
        queue.started(poll(), 1, 0);
        leave(a, true);
        assertThat(order(2)).isEqualTo("b b");
        queue.add(a);
        assertThat(order(5)).isEqualTo("a a a b a");
    }

    @Test
    void aCostlyStartIsPaidForByTheValue() {
        new TestGroup("a1", level("a", 1));
        new TestGroup("a2", level("a", 1));
        new TestGroup("b", level("b", 1));
        start(poll(), 3);
        assertThat(order(7)).isEqualTo("b b b a2 b a2 b");
    }

    @Test
    void aStartAtAnotherLimitUsesTheTurnThatWasKept() {
        TestGroup a1 = new TestGroup("a1", level("a", 1));
        new TestGroup("a2", level("a", 1));
        new TestGroup("b", level("b", 1));
        assertThat(poll()).isSameAs(a1);
        leave(a1, false); // it waits for another limit
        queue.startedElsewhere(a1, 1);
        assertThat(order(3)).isEqualTo("b a2 b");
    }

    @Test
    void aGroupThatKeepsPermitsComesFirst() {
        TestGroup a = new TestGroup("a", level("a", 1));
        new TestGroup("b", level("b", 1));
        assertThat(poll()).isSameAs(a);
        leave(a, false);
        queue.addFirst(a, 0);
        assertThat(order(3)).isEqualTo("a b a");
    }

    @Test
    void noOtherThreadPollsUntilThePolledGroupIsBack() {
        TestGroup a = new TestGroup("a", level("a", 1));
        new TestGroup("b", level("b", 1));
        assertThat(poll()).isSameAs(a);
        assertThat(pollOnAnotherThread()).isNull();
        start(a, 1);
        assertThat(pollOnAnotherThread()).isEqualTo("b");
    }

    @Test
    void noGroupIsPolledWhileOneIsBeingAdded() {
        new TestGroup("b", level("b", 1));
        queue.beginAdd();
        assertThat(queue.poll()).isNull();
        assertThat(queue.isEmpty()).isTrue();
        new TestGroup("a", level("a", 1));
        queue.endAdd();
        assertThat(order(2)).isEqualTo("b a");
    }

    private @Nullable String pollOnAnotherThread() {
        return CompletableFuture.supplyAsync(() -> {
                    Competitor polled = queue.poll();
                    queue.endPoll();
                    return polled == null ? null : polled.key();
                })
                .join();
    }

    @Test
    void groupsThatLeaveAreRemovedOnEveryLevel() {
        new TestGroup("x1");
        new TestGroup("a1", level("a", 1));
        new TestGroup("a2", level("a", 1), level("u", 1));
        new TestGroup("x2", level("b", 1));
        queue.removeIf(group -> group.key().startsWith("x"));
        assertThat(order(4)).isEqualTo("a1 a2 a1 a2");
        queue.removeIf(group -> true);
        assertThat(queue.poll()).isNull();
        assertThat(queue.isUnused()).isTrue();
    }

    @Test
    void nothingIsLeftOfAValueWithoutGroups() {
        TestGroup a1 = new TestGroup("a1", level("a", 1), level("u", 1));
        TestGroup a2 = new TestGroup("a2", level("a", 1));
        assertThat(queue.values()).isEqualTo(2);
        queue.forget(a1.state);
        assertThat(queue.values()).isEqualTo(1);
        queue.forget(a2.state);
        assertThat(queue.values()).isZero();
    }
}
