package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The kernel keeps its promises under thousands of random schedules. Injected faults prove that each check can fail. */
class SimulationTest {

    private static final int SEEDS = 10_000;
    private static final int SEEDS_PER_TWIN = 300;

    /** To replay a seed: {@code mvn test -pl core -Dtest=SimulationTest#oneSeedReplays -Dsim.seed=N}. */
    @Test
    void oneSeedReplays() {
        replay(Long.getLong("sim.seed", 1));
    }

    /** Schedules know nothing of each other, so all cores take part. */
    @Test
    void promisesHoldUnderRandomSchedules() {
        LongStream.range(0, SEEDS).parallel().forEach(SimulationTest::replay);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void injectedFaultIsDetected(InjectedFault fault) {
        Set<String> violations = new TreeSet<>();
        for (long seed = 0; seed < SEEDS_PER_TWIN && !isDetected(fault, violations); seed++) {
            try {
                new Simulation(seed, fault).run();
            } catch (AssertionError e) {
                violations.add(e.getMessage());
            }
        }
        assertThat(isDetected(fault, violations))
                .as("violations reported for %s: %s", fault, violations)
                .isTrue();
    }

    static Stream<InjectedFault> faults() {
        return Arrays.stream(InjectedFault.values()).filter(s -> s != InjectedFault.NONE);
    }

    private static boolean isDetected(InjectedFault fault, Set<String> violations) {
        return violations.stream().anyMatch(violation -> violation.startsWith(fault.violation));
    }

    private static void replay(long seed) {
        try {
            new Simulation(seed, InjectedFault.NONE).run();
        } catch (Throwable e) {
            throw new AssertionError(
                    "seed " + seed + " fails; replay with -Dtest=SimulationTest#oneSeedReplays -Dsim.seed=" + seed
                            + ": " + e.getMessage(),
                    e);
        }
    }
}
