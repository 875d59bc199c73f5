package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.github.kobe.internal.fair.HierarchicalRoundRobin;
import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.fair.ServiceTimeQueue;
import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.Timer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What every strategy promises if all tasks take equally long. Then the shares of starts and of time are the same. */
class FairnessTest {

    private static final int MANY = 1 << 20;
    private static final int STARTS = 10_000;
    private static final long TASK = 1_000_000;

    enum Strategy {
        TURNS(timer -> new WeightedRoundRobin()),
        HIERARCHICAL_TURNS(timer -> new HierarchicalRoundRobin()),
        SERVICE_TIME(timer -> new ServiceTimeQueue(timer::nanoTime));

        final Function<Timer, ReadyQueue> queue;

        Strategy(Function<Timer, ReadyQueue> queue) {
            this.queue = queue;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "TURNS, 1, 1, 1",
        "TURNS, 1, 1048576, 1",
        "TURNS, 1, 1048576, 4",
        "TURNS, 8, 1, 4",
        "TURNS, 8, 1048576, 4",
        "SERVICE_TIME, 1, 1, 1",
        "SERVICE_TIME, 1, 1048576, 1",
        "SERVICE_TIME, 1, 1048576, 4",
        "SERVICE_TIME, 8, 1, 4",
        "SERVICE_TIME, 8, 1048576, 4"
    })
    void startsFollowTheWeights(Strategy strategy, int pairs, int limit, int globalLimit) {
        VirtualTimeRunner load = new VirtualTimeRunner(strategy.queue, limit, globalLimit);
        for (int i = 0; i < pairs; i++) {
            load.submit("light" + i, STARTS, TASK);
            load.submit("heavy" + i, STARTS, TASK);
            load.weigh("heavy" + i, 3);
        }
        load.run(STARTS);
        double heavy =
                load.starts.stream().filter(key -> key.startsWith("heavy")).count();
        assertThat(heavy / (load.starts.size() - heavy)).isCloseTo(3, withinPercentage(2));
    }

    @ParameterizedTest
    @EnumSource
    void startsFollowTenDifferentWeights(Strategy strategy) {
        VirtualTimeRunner load = new VirtualTimeRunner(strategy.queue, MANY, 4);
        for (int weight = 1; weight <= 10; weight++) {
            load.submit("w" + weight, STARTS, TASK);
            load.weigh("w" + weight, weight);
        }
        load.run(STARTS);
        for (int weight = 1; weight <= 10; weight++) {
            assertThat((double) load.startsOf("w" + weight, 0))
                    .as("starts of the group of weight %d", weight)
                    .isCloseTo(STARTS * weight / 55.0, withinPercentage(5));
        }
    }

    @ParameterizedTest
    @EnumSource
    void changedWeightAppliesFromThenOn(Strategy strategy) {
        VirtualTimeRunner load = new VirtualTimeRunner(strategy.queue, MANY, 2);
        load.submit("a", 4 * STARTS, TASK);
        load.submit("b", 4 * STARTS, TASK);
        int[][] weights = {{1, 1}, {3, 1}, {1, 5}, {2, 2}};
        for (int[] w : weights) {
            load.weigh("a", w[0]);
            load.weigh("b", w[1]);
            int from = load.starts.size();
            load.run(STARTS);
            assertThat((double) load.startsOf("a", from))
                    .as("of %d starts at %d:%d", STARTS, w[0], w[1])
                    .isCloseTo((double) STARTS * w[0] / (w[0] + w[1]), withinPercentage(2));
        }
    }

    @ParameterizedTest
    @EnumSource
    void hundredEqualGroupsGetEqualShares(Strategy strategy) {
        VirtualTimeRunner load = new VirtualTimeRunner(strategy.queue, MANY, 4);
        for (int i = 0; i < 100; i++) {
            load.submit("g" + i, STARTS / 10, TASK);
        }
        load.run(STARTS);
        double[] starts = IntStream.range(0, 100)
                .mapToDouble(i -> load.startsOf("g" + i, 0))
                .toArray();
        assertThat(jain(starts)).isGreaterThanOrEqualTo(0.99);
    }

    /** Jain's fairness index: 1 if all values are equal, 1/n if one has everything. */
    private static double jain(double... x) {
        double sum = 0;
        double squares = 0;
        for (double v : x) {
            sum += v;
            squares += v * v;
        }
        return sum * sum / (x.length * squares);
    }

    @ParameterizedTest
    @EnumSource
    void idleTimeIsNotSavedUp(Strategy strategy) {
        VirtualTimeRunner load = new VirtualTimeRunner(strategy.queue, MANY, 2);
        load.submit("idle", 3, TASK);
        load.weigh("idle", 4);
        load.submit("busy", 3 * STARTS, TASK);
        load.run(STARTS);
        load.submit("idle", STARTS, TASK);
        int from = load.starts.size();
        load.run(50);
        assertThat(load.startsOf("busy", from)).as("of the first 50 at 4:1").isBetween(8, 13);
        load.run(5_000);
        assertThat(load.startsOf("busy", from)).as("of 5,050 at 4:1").isBetween(990, 1_030);
    }

    @ParameterizedTest
    @EnumSource
    void permitsUsedWithoutCompetitionAreNotCharged(Strategy strategy) {
        VirtualTimeRunner load = new VirtualTimeRunner(strategy.queue, MANY, 4);
        load.submit("idle", 1, TASK);
        for (int i = 0; i < 1_000; i++) {
            load.submit("busy", 3, TASK); // is never queued
            load.drain();
        }
        load.submit("busy", STARTS, TASK);
        load.submit("idle", STARTS, TASK);
        int from = load.starts.size();
        load.run(100);
        assertThat(load.startsOf("busy", from)).isBetween(45, 55);
    }

    @ParameterizedTest
    @EnumSource
    void newlyReadyGroupStartsWithinOneRound(Strategy strategy) {
        VirtualTimeRunner load = new VirtualTimeRunner(strategy.queue, MANY, 2);
        for (int i = 0; i < 50; i++) {
            load.submit("g" + i, STARTS, TASK);
            load.weigh("g" + i, 1 + i % 3);
        }
        int round = IntStream.range(0, 50).map(i -> 1 + i % 3).sum();
        for (int i = 0; i < 100; i++) {
            load.run(7 * i);
            load.submit("new" + i, 1, TASK);
            load.run(round + 1);
            assertThat(load.startsOf("new" + i, 0)).isOne();
        }
    }

    @ParameterizedTest
    @EnumSource
    void taskThatNeverCompletesDelaysNoOtherGroup(Strategy strategy) {
        VirtualTimeRunner load = new VirtualTimeRunner(strategy.queue, 1, 2);
        load.submit("stuck", STARTS, VirtualTimeRunner.FOR_EVER);
        load.submit("a", STARTS, TASK);
        load.submit("b", STARTS, TASK);
        load.run(1_000);
        assertThat(load.startsOf("stuck", 0)).isOne();
        assertThat(load.startsOf("a", 0)).isBetween(499, 502);
    }
}
