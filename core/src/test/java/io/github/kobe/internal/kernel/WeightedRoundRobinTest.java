package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.FakeTimer;
import org.junit.jupiter.api.Test;

/**
 * {@link WeightedRoundRobin} without a dispatcher; the test polls and starts. {@link FairnessTest} tests what all strategies have
 * in common.
 */
class WeightedRoundRobinTest {

    private static final int MANY = 1 << 20;

    private final WeightedRoundRobin roundRobin = new WeightedRoundRobin();
    private final Dispatcher dispatcher = new Dispatcher(
            key -> new GroupLimits(MANY, MANY, MANY), 1, MANY, MANY, roundRobin, work -> {}, new FakeTimer());

    private Group group(String key, int weight) {
        Group group = new Group(key, new GroupLimits(MANY, MANY, MANY), dispatcher, false, true);
        group.fairnessState().setWeight(weight);
        roundRobin.add(group);
        return group;
    }

    private Group poll() {
        Group group = (Group) roundRobin.poll();
        if (group == null) {
            throw new AssertionError("no group is ready");
        }
        return group;
    }

    private void startOneOf(Group group) {
        roundRobin.started(group, 0);
        roundRobin.add(group);
        roundRobin.endPoll();
    }

    /** The groups of the next {@code starts}, with one dispatching thread. */
    private String order(int starts) {
        StringBuilder order = new StringBuilder();
        for (int i = 0; i < starts; i++) {
            Group group = poll();
            order.append(group.key());
            startOneOf(group);
        }
        return order.toString();
    }

    @Test
    void equalWeightsAlternate() {
        group("a", 1);
        group("b", 1);
        group("c", 1);
        assertThat(order(7)).isEqualTo("abcabca");
    }

    @Test
    void groupStartsAsManyTasksInARowAsItsWeight() {
        group("a", 3);
        group("b", 1);
        group("c", 2);
        assertThat(order(12)).isEqualTo("aaabccaaabcc");
    }

    @Test
    void groupAtItsLimitContinuesItsRoundAfterARelease() {
        Group a = group("a", 3);
        group("b", 1);
        roundRobin.started(poll(), 0);
        roundRobin.left(a, false);
        roundRobin.endPoll();
        assertThat(order(1)).isEqualTo("b");
        roundRobin.add(a);
        assertThat(order(8)).isEqualTo("aabaaaba");
    }

    @Test
    void idleGroupLosesTheRestOfItsRound() {
        Group a = group("a", 3);
        group("b", 1);
        roundRobin.started(poll(), 0);
        roundRobin.left(a, true);
        roundRobin.endPoll();
        assertThat(order(5)).as("without competition").isEqualTo("bbbbb");
        roundRobin.add(a);
        assertThat(order(8)).isEqualTo("baaabaaa");
    }

    @Test
    void polledGroupThatStartedNothingIsNext() {
        Group a = group("a", 1);
        group("b", 1);
        assertThat(poll()).isSameAs(a);
        roundRobin.add(a);
        assertThat(order(4)).isEqualTo("abab");
    }

    @Test
    void groupsOfEqualWeightArePolledConcurrently() {
        group("a", 1);
        group("b", 1);
        startOneOf(poll());
        assertThat(poll().key()).isEqualTo("b");
        assertThat(poll().key()).isEqualTo("a");
        assertThat(roundRobin.isEmpty()).isTrue();
        assertThat(roundRobin.poll()).isNull();
    }

    @Test
    void withWeightsNoGroupIsPolledWhileAnotherIsBeingDispatched() {
        Group a = group("a", 3);
        group("b", 1);
        poll();
        assertThat(roundRobin.isEmpty()).isTrue();
        assertThat(roundRobin.poll()).isNull();
        startOneOf(a);
        assertThat(roundRobin.isEmpty()).isFalse();
        assertThat(order(5)).isEqualTo("aabaa");
    }

    @Test
    void groupThatLeftDoesNotBlockOthers() {
        Group a = group("a", 3);
        Group b = group("b", 1);
        roundRobin.left(poll(), false);
        roundRobin.endPoll();
        assertThat(roundRobin.isEmpty()).isFalse();
        assertThat(order(2)).isEqualTo("bb");
        roundRobin.add(a);
        roundRobin.left(poll(), true);
        roundRobin.endPoll();
        assertThat(poll()).isSameAs(b);
        roundRobin.left(b, true);
        roundRobin.endPoll();
        assertThat(roundRobin.isEmpty()).isTrue();
        roundRobin.add(b);
        assertThat(order(2)).isEqualTo("bb");
    }

    @Test
    void groupDelayedByItsLimitCatchesUpWithoutAMonopoly() {
        Group a = group("a", 2);
        group("b", 1);
        roundRobin.started(poll(), 0);
        roundRobin.left(a, false);
        roundRobin.endPoll();
        assertThat(order(4)).isEqualTo("bbbb");
        roundRobin.add(a);
        assertThat(order(20)).isEqualTo("abaaaabaaaabaabaabaa");
    }

    @Test
    void removeIfStartsNoNewRound() {
        group("a", 2);
        Group b = group("b", 1);
        group("c", 1);
        startOneOf(poll());
        roundRobin.removeIf(group -> group == b);
        assertThat(order(7)).isEqualTo("acaacaa");
    }
}
