package io.github.kobe.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.pool.PoolSimulation.Sabotage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Does a pool keep its promises under random schedules? */
class PoolSimulationTest {

    private static final int SCHEDULES = 500;

    @Test
    void elasticityTimeoutsZombiesAndRestartsUnderRandomSchedules() {
        for (long seed = 1; seed <= SCHEDULES; seed++) {
            play(seed);
        }
    }

    private static void play(long seed) {
        try {
            PoolSimulation.play(seed, Sabotage.NONE);
        } catch (Throwable broken) {
            throw new AssertionError("with seed " + seed + ": " + broken.getMessage(), broken);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void everySabotageIsNoticed(Sabotage sabotage) {
        boolean noticed = false;
        for (long seed = 1; seed <= 200 && !noticed; seed++) {
            try {
                PoolSimulation.play(seed, sabotage);
            } catch (AssertionError broken) {
                noticed = true;
            }
        }
        assertThat(noticed).as("%s was noticed", sabotage).isTrue();
    }
}
