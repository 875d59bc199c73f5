package io.github.kobe.internal.fair;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.function.Supplier;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Groups that pay for costly tasks, in the queues that count by starts. Costs may be bytes, so they may be as large as an {@code int}. */
@Timeout(value = 20, threadMode = ThreadMode.SEPARATE_THREAD)
class CostlyTurnsTest {

    enum Queues {
        WEIGHTED(WeightedRoundRobin::new),
        HIERARCHICAL(HierarchicalRoundRobin::new);

        private final Supplier<ReadyQueue> constructor;

        Queues(Supplier<ReadyQueue> constructor) {
            this.constructor = constructor;
        }
    }

    private record TestGroup(String key, FairnessState fairnessState) implements Competitor {
        @Override
        public int queued() {
            return 1;
        }
    }

    private static void add(ReadyQueue queue, String key, int weight) {
        FairnessState state = queue.newState();
        state.setWeight(weight);
        queue.add(new TestGroup(key, state));
    }

    private static String start(ReadyQueue queue, int cost) {
        Competitor group = Objects.requireNonNull(queue.poll());
        queue.started(group, cost, 0);
        queue.add(group);
        queue.endPoll();
        return group.key();
    }

    @ParameterizedTest
    @EnumSource
    void roundsInWhichAllGroupsPayAreNotCountedOneByOne(Queues queues) {
        ReadyQueue queue = queues.constructor.get();
        int groups = 100;
        for (int i = 0; i < groups; i++) {
            add(queue, "g" + i, 1);
        }
        for (int i = 0; i < groups; i++) {
            start(queue, Integer.MAX_VALUE - i % 2);
        }

        assertThat(start(queue, 1)).as("the first that has paid").isEqualTo("g1");
        assertThat(start(queue, 1)).isEqualTo("g3");
    }

    /** As if the rounds were counted. */
    @ParameterizedTest
    @EnumSource
    void groupsThatOweDifferentAmountsPayByWeight(Queues queues) {
        ReadyQueue queue = queues.constructor.get();
        add(queue, "a", 2);
        add(queue, "b", 1);
        add(queue, "c", 3);
        int[] costs = {90, 60, 60};
        for (int cost : costs) {
            start(queue, cost);
        }

        String expected =
                "ccc".repeat(25) + "aaccc".repeat(15) + "aabccc"; // c has paid after 20 rounds, a after 45, b after 60
        StringBuilder order = new StringBuilder();
        for (int i = 0; i < expected.length(); i++) {
            order.append(start(queue, 1));
        }
        assertThat(order).hasToString(expected);
    }

    /** A group that keeps permits goes first, also while it pays. */
    @ParameterizedTest
    @EnumSource
    void aGroupThatOwesMoreThanAnIntHasNoTurn(Queues queues) {
        ReadyQueue queue = queues.constructor.get();
        FairnessState state = queue.newState();
        Competitor costly = new TestGroup("costly", state);
        for (int i = 0; i < 2; i++) {
            queue.addFirst(costly, 0);
            assertThat(queue.poll()).isSameAs(costly);
            queue.started(costly, 2_000_000_000, 0);
            queue.endPoll();
        }
        queue.add(costly);
        add(queue, "other", 1);

        for (int i = 0; i < 100; i++) {
            assertThat(start(queue, 1)).isEqualTo("other");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aGroupOfAnyWeightThatIsLateHasATurn(Queues queues) {
        ReadyQueue queue = queues.constructor.get();
        FairnessState state = queue.newState();
        state.setWeight(Integer.MAX_VALUE);
        Competitor heavy = new TestGroup("heavy", state);
        queue.add(heavy);
        assertThat(queue.poll()).isSameAs(heavy);
        queue.started(heavy, Integer.MAX_VALUE, 0);
        queue.left(heavy, false);
        queue.endPoll();
        add(queue, "light", 1);
        for (int i = 0; i < 5; i++) {
            start(queue, 1);
        }

        queue.add(heavy);
        assertThat(start(queue, 1)).isEqualTo("light");
        assertThat(start(queue, 1)).isEqualTo("heavy");
    }
}
