package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.FakeTimer;
import org.junit.jupiter.api.Test;

/** {@link WeightedRoundRobin} by itself, with servers played by the test; what it has in common with others is in {@link FairnessTest}. */
class WeightedRoundRobinTest {

    private static final int MANY = 1 << 20;

    private final WeightedRoundRobin turns = new WeightedRoundRobin();
    private final Dispatcher dispatcher =
            new Dispatcher(key -> new GroupLimits(MANY, MANY, MANY), 1, MANY, MANY, turns, work -> {}, new FakeTimer());

    private Group group(String key, int weight) {
        Group group = new Group(key, new GroupLimits(MANY, MANY, MANY), dispatcher, false, true);
        group.fairnessState().setWeight(weight);
        turns.add(group);
        return group;
    }

    private Group poll() {
        Group group = (Group) turns.poll();
        if (group == null) {
            throw new AssertionError("nobody is in line");
        }
        return group;
    }

    private void serve(Group group) {
        turns.started(group, 0);
        turns.add(group);
        turns.endPoll();
    }

    /** The next {@code starts}, by one server. */
    private String order(int starts) {
        StringBuilder order = new StringBuilder();
        for (int i = 0; i < starts; i++) {
            Group group = poll();
            order.append(group.key());
            serve(group);
        }
        return order.toString();
    }

    @Test
    void equalsTakeTurns() {
        group("a", 1);
        group("b", 1);
        group("c", 1);
        assertThat(order(7)).isEqualTo("abcabca");
    }

    @Test
    void turnIsAsLongAsTheWeight() {
        group("a", 3);
        group("b", 1);
        group("c", 2);
        assertThat(order(12)).isEqualTo("aaabccaaabcc");
    }

    @Test
    void groupAtItsLimitGoesOnWithItsTurnWhenItsPlaceIsBack() {
        Group a = group("a", 3);
        group("b", 1);
        turns.started(poll(), 0);
        turns.left(a, false);
        turns.endPoll();
        assertThat(order(1)).isEqualTo("b");
        turns.add(a);
        assertThat(order(8)).isEqualTo("aabaaaba");
    }

    @Test
    void idleGroupLosesWhatWasLeftOfItsTurn() {
        Group a = group("a", 3);
        group("b", 1);
        turns.started(poll(), 0);
        turns.left(a, true);
        turns.endPoll();
        assertThat(order(5)).as("alone meanwhile").isEqualTo("bbbbb");
        turns.add(a);
        assertThat(order(8)).isEqualTo("baaabaaa");
    }

    @Test
    void groupThatWasPolledAndNotServedGoesFirst() {
        Group a = group("a", 1);
        group("b", 1);
        assertThat(poll()).isSameAs(a);
        turns.add(a);
        assertThat(order(4)).isEqualTo("abab");
    }

    @Test
    void equalsAreTakenSideBySide() {
        group("a", 1);
        group("b", 1);
        serve(poll());
        assertThat(poll().key()).isEqualTo("b");
        assertThat(poll().key()).isEqualTo("a");
        assertThat(turns.isEmpty()).isTrue();
        assertThat(turns.poll()).isNull();
    }

    @Test
    void withWeightsNobodyIsInLineWhileAnotherServerHasAGroup() {
        Group a = group("a", 3);
        group("b", 1);
        poll();
        assertThat(turns.isEmpty()).isTrue();
        assertThat(turns.poll()).isNull();
        serve(a);
        assertThat(turns.isEmpty()).isFalse();
        assertThat(order(5)).isEqualTo("aabaa");
    }

    @Test
    void serversDoNotStandBackForAGroupThatWasLetGoOf() {
        Group a = group("a", 3);
        Group b = group("b", 1);
        turns.left(poll(), false);
        turns.endPoll();
        assertThat(turns.isEmpty()).isFalse();
        assertThat(order(2)).isEqualTo("bb");
        turns.add(a);
        turns.left(poll(), true);
        turns.endPoll();
        assertThat(poll()).isSameAs(b);
        turns.left(b, true);
        turns.endPoll();
        assertThat(turns.isEmpty()).isTrue();
        turns.add(b);
        assertThat(order(2)).isEqualTo("bb");
    }

    @Test
    void groupWhoseLimitDrewOutItsTurnMakesUpForItWithoutAMonopoly() {
        Group a = group("a", 2);
        group("b", 1);
        turns.started(poll(), 0);
        turns.left(a, false);
        turns.endPoll();
        assertThat(order(4)).isEqualTo("bbbb");
        turns.add(a);
        assertThat(order(20)).isEqualTo("abaaaabaaaabaabaabaa");
    }

    @Test
    void pruningTakesOutWhatLeavesAndBeginsNoTurn() {
        group("a", 2);
        Group b = group("b", 1);
        group("c", 1);
        serve(poll());
        turns.removeIf(group -> group == b);
        assertThat(order(7)).isEqualTo("acaacaa");
    }
}
