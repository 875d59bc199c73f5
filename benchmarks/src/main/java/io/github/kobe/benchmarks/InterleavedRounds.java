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
 * Runs the same workload on several candidates in rounds. In a round every candidate runs once, on a fresh instance after a garbage
 * collection. The order changes from round to round, so that no candidate always runs first or always follows the same other one. Other
 * load on the machine affects all candidates of a round, so a ratio within one round is less noisy than the two values.
 */
final class InterleavedRounds {

    private final Map<String, Supplier<ExecutorAdapter>> candidates = new LinkedHashMap<>();
    private final Map<String, double[]> costs = new LinkedHashMap<>();
    private boolean dropFailing;

    /** From now on a candidate that does not complete its tasks is dropped without being closed. By default it fails the run. */
    InterleavedRounds dropFailing() {
        dropFailing = true;
        return this;
    }

    InterleavedRounds add(String name, Supplier<ExecutorAdapter> factory) {
        candidates.put(name, factory);
        return this;
    }

    /** Adds a candidate that is measured in full runs only. */
    InterleavedRounds addUnlessQuick(RunLength length, String name, Supplier<ExecutorAdapter> factory) {
        return length.quick() ? this : add(name, factory);
    }

    /** Runs the rounds. The costs of the first {@code warmups} rounds are dropped. */
    InterleavedRounds run(int warmups, int rounds, Workload workload) throws InterruptedException {
        candidates.keySet().forEach(name -> costs.put(name, new double[rounds]));
        for (int round = -warmups; round < rounds; round++) {
            for (String name : order(round + warmups)) {
                runOnce(name, round, workload);
            }
        }
        return this;
    }

    private void runOnce(String name, int round, Workload workload) throws InterruptedException {
        try {
            double cost = measure(name, workload);
            if (round >= 0) {
                costs(name)[round] = cost;
            }
        } catch (IllegalStateException e) {
            if (!dropFailing) {
                throw e;
            }
            System.err.println("dropped: " + e.getMessage());
            candidates.remove(name);
            costs.remove(name);
        }
    }

    private List<String> order(int round) {
        List<String> names = new ArrayList<>(candidates.keySet());
        Collections.rotate(names, round / 2);
        if (round % 2 == 1) {
            Collections.reverse(names);
        }
        return names;
    }

    private double measure(String name, Workload workload) throws InterruptedException {
        System.gc();
        ExecutorAdapter executor = Objects.requireNonNull(candidates.get(name)).get();
        double cost;
        try {
            cost = workload.measure(executor);
        } catch (IllegalStateException e) {
            // The executor is not closed: close() could wait for ever for the task that did not complete.
            throw new IllegalStateException(name + ": " + e.getMessage(), e);
        }
        executor.close();
        return cost;
    }

    /** In a forked JVM: prints the costs of all candidates for the parent. */
    void printCosts() {
        costs.forEach((name, rounds) -> {
            for (double cost : rounds) {
                Fork.print(name, cost);
            }
        });
    }

    /** Returns {@code null} if the candidate was not measured. */
    @Nullable
    Quartiles costIfMeasured(String name) {
        return costs.containsKey(name) ? cost(name) : null;
    }

    /** Returns {@code null} if the candidate was not measured. */
    @Nullable
    Quartiles speedupIfMeasured(String name, String baseline) {
        return costs.containsKey(name) ? speedup(name, baseline) : null;
    }

    Quartiles cost(String name) {
        return Quartiles.of(costs(name));
    }

    Quartiles speedup(String name, String baseline) {
        return Quartiles.of(speedups(name, baseline));
    }

    /** Returns for each round how many times as fast as {@code baseline} the candidate was. */
    double[] speedups(String name, String baseline) {
        double[] own = costs(name);
        double[] other = costs(baseline);
        double[] ratios = new double[own.length];
        Arrays.setAll(ratios, round -> other[round] / own[round]);
        return ratios;
    }

    private double[] costs(String name) {
        return Objects.requireNonNull(costs.get(name), name);
    }
}
