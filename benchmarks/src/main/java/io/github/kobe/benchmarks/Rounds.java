package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Has several contenders do the same work in turns. A round is one go for each, on a fresh instance and a collected heap; the
 * order changes from round to round, so that no one always goes first or always follows the same other. What a busy
 * neighbour does to a round it does to all in it, and a ratio taken within the round keeps little of it.
 */
final class Rounds {

    private final Map<String, Supplier<Contender>> sides = new LinkedHashMap<>();
    private final Map<String, double[]> costs = new LinkedHashMap<>();

    Rounds side(String name, Supplier<Contender> contender) {
        sides.put(name, contender);
        return this;
    }

    /** One that is only there for comparison, for which there is no time in a hurry. */
    Rounds sideUnlessQuick(Effort effort, String name, Supplier<Contender> contender) {
        return effort.quick() ? this : side(name, contender);
    }

    /** The first {@code warmups} rounds are not kept. */
    Rounds run(int warmups, int rounds, Workload work) throws InterruptedException {
        sides.keySet().forEach(name -> costs.put(name, new double[rounds]));
        for (int round = -warmups; round < rounds; round++) {
            for (String name : order(round + warmups)) {
                double cost = go(name, work);
                if (round >= 0) {
                    costs(name)[round] = cost;
                }
            }
        }
        return this;
    }

    private List<String> order(int round) {
        List<String> names = new ArrayList<>(sides.keySet());
        Collections.rotate(names, round / 2);
        if (round % 2 == 1) {
            Collections.reverse(names);
        }
        return names;
    }

    private double go(String name, Workload work) throws InterruptedException {
        System.gc();
        try (Contender contender = Objects.requireNonNull(sides.get(name)).get()) {
            return work.measure(contender);
        } catch (IllegalStateException e) {
            throw new IllegalStateException(name + ": " + e.getMessage(), e);
        }
    }

    /** For a program in a JVM of its own: hands over what each round cost each side. */
    void report() {
        costs.forEach((name, rounds) -> {
            for (double cost : rounds) {
                Fork.report(name, cost);
            }
        });
    }

    /** Of one that may have been left out: {@code null} then. */
    @Nullable
    Spread costIfMeasured(String name) {
        return costs.containsKey(name) ? cost(name) : null;
    }

    @Nullable
    Spread speedIfMeasured(String name, String base) {
        return costs.containsKey(name) ? speed(name, base) : null;
    }

    /** What each round cost this side. */
    Spread cost(String name) {
        return Spread.of(costs(name));
    }

    /** How many times as fast as {@code base} this side was, round by round. */
    Spread speed(String name, String base) {
        return Spread.of(speeds(name, base));
    }

    double[] speeds(String name, String base) {
        double[] own = costs(name);
        double[] other = costs(base);
        double[] ratios = new double[own.length];
        Arrays.setAll(ratios, round -> other[round] / own[round]);
        return ratios;
    }

    private double[] costs(String name) {
        return Objects.requireNonNull(costs.get(name), name);
    }
}
