package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The kernel keeps its promises under thousands of random schedules. Injected faults prove that each check can fail. */
class SimulationTest {

    private static final int SEEDS_PER_BATCH = 2_500;
    private static final int SEEDS_PER_TWIN = 300;

    /** To replay a seed: {@code mvn test -pl core -Dtest=SimulationTest#oneSeedReplays -Dsim.seed=N}. */
    @Test
    void oneSeedReplays() {
        replay(Long.getLong("sim.seed", 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void promisesHoldUnderRandomSchedules(int batch) {
        for (long seed = (long) batch * SEEDS_PER_BATCH; seed < (batch + 1L) * SEEDS_PER_BATCH; seed++) {
            replay(seed);
        }
    }

    @ParameterizedTest
    @MethodSource("faults")
    void injectedFaultIsDetected(InjectedFault fault) {
        Set<String> violations = violations(fault);
        assertThat(violations).as("violations reported for %s", fault).anyMatch(c -> c.startsWith(fault.violation));
    }

    static Stream<InjectedFault> faults() {
        return Arrays.stream(InjectedFault.values()).filter(s -> s != InjectedFault.NONE);
    }

    private static Set<String> violations(InjectedFault fault) {
        Set<String> violations = new TreeSet<>();
        for (long seed = 0; seed < SEEDS_PER_TWIN; seed++) {
            try {
                new Simulation(seed, fault).run();
            } catch (AssertionError e) {
                violations.add(e.getMessage());
            }
        }
        return violations;
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
