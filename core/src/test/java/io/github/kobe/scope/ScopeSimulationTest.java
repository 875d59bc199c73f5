package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Scopes keep their promises under thousands of random schedules, and the checks that say so can fail. */
class ScopeSimulationTest {

    private static final int SEEDS_PER_BATCH = Integer.getInteger("scope.sim.seeds", 1_500);
    private static final int SEEDS_PER_TWIN = 60;

    /** To replay one: {@code mvn test -pl core -Dtest=ScopeSimulationTest#oneSeedReplays -Dscope.sim.seed=N}. */
    @Test
    void oneSeedReplays() {
        replay(Long.getLong("scope.sim.seed", 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void promisesHoldUnderRandomSchedules(int batch) {
        try (TestKit.Log log = new TestKit.Log()) { // of hooks that throw
            for (long seed = (long) batch * SEEDS_PER_BATCH; seed < (batch + 1L) * SEEDS_PER_BATCH; seed++) {
                replay(seed);
            }
            assertThat(log).isNotNull();
        }
    }

    @ParameterizedTest
    @MethodSource("sabotages")
    void brokenTwinIsCaught(ScopeSabotage sabotage) {
        try (TestKit.Log log = new TestKit.Log()) {
            assertThat(complaints(sabotage))
                    .as("complaints about %s", sabotage)
                    .anyMatch(c -> c.startsWith(sabotage.complaint));
            assertThat(log).isNotNull();
        }
    }

    static Stream<ScopeSabotage> sabotages() {
        return Arrays.stream(ScopeSabotage.values()).filter(s -> s != ScopeSabotage.NONE);
    }

    private static Set<String> complaints(ScopeSabotage sabotage) {
        Set<String> complaints = new TreeSet<>();
        for (long seed = 0; seed < SEEDS_PER_TWIN; seed++) {
            try {
                new ScopeSimulation(seed, sabotage).run();
            } catch (AssertionError e) {
                complaints.add(e.getMessage());
            }
        }
        return complaints;
    }

    private static void replay(long seed) {
        try {
            new ScopeSimulation(seed, ScopeSabotage.NONE).run();
        } catch (Throwable e) {
            throw new AssertionError(
                    "seed " + seed
                            + " fails; replay with -Dtest=ScopeSimulationTest#oneSeedReplays -Dscope.sim.seed=" + seed
                            + ": " + e.getMessage(),
                    e);
        }
    }
}
