package io.github.kobe.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.fleet.FleetSimulation.Faults;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The fleet keeps its promises under thousands of random schedules. Broken twins prove that each check can fail. */
class FleetSimulationTest {

    private static final int SEEDS = Integer.getInteger("fleet.sim.seeds", 5_000);
    private static final int SEEDS_PER_TWIN = 4_000;

    /** To replay a seed: {@code mvn test -pl core -Dtest=FleetSimulationTest#oneSeedReplays -Dfleet.sim.seed=N -Dfleet.sim.faults=ANY}. */
    @Test
    void oneSeedReplays() {
        replay(Long.getLong("fleet.sim.seed", 1), Faults.valueOf(System.getProperty("fleet.sim.faults", "ANY")));
    }

    /** Schedules know nothing of each other, so all cores take part. */
    @ParameterizedTest
    @EnumSource
    void promisesHoldUnderRandomSchedules(Faults faults) {
        LongStream.range(0, SEEDS).parallel().forEach(seed -> replay(seed, faults));
    }

    @ParameterizedTest
    @MethodSource("twins")
    void brokenTwinIsCaught(BrokenTwin twin) {
        Set<String> violations = new TreeSet<>();
        for (long seed = 0; seed < SEEDS_PER_TWIN && !isCaught(twin, violations); seed++) {
            try {
                new FleetSimulation(seed, Faults.ANY, twin, false).run();
            } catch (AssertionError e) {
                violations.add(e.getMessage());
            }
        }
        assertThat(violations)
                .as("violations reported for %s", twin)
                .anyMatch(violation -> violation.startsWith(twin.violation));
    }

    private static boolean isCaught(BrokenTwin twin, Set<String> violations) {
        return violations.stream().anyMatch(violation -> violation.startsWith(twin.violation));
    }

    static Stream<BrokenTwin> twins() {
        return Arrays.stream(BrokenTwin.values()).filter(twin -> twin != BrokenTwin.NONE);
    }

    private static void replay(long seed, Faults faults) {
        try {
            new FleetSimulation(seed, faults, BrokenTwin.NONE, false).run();
        } catch (Throwable e) {
            throw new AssertionError(
                    "seed " + seed + " fails; replay with -Dtest=FleetSimulationTest#oneSeedReplays -Dfleet.sim.seed="
                            + seed + " -Dfleet.sim.faults=" + faults + ": " + scheduleOf(seed, faults),
                    e);
        }
    }

    private static String scheduleOf(long seed, Faults faults) {
        try {
            new FleetSimulation(seed, faults, BrokenTwin.NONE, true).run();
            return "it does not fail when it is traced";
        } catch (Throwable e) {
            return e.getMessage();
        }
    }
}
