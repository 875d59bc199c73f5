package io.github.kobe.redis.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.kobe.redis.proof.Fault.Outcome;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Do limits hold over JVMs and a real server, whatever happens to them, and does the work go on afterwards? Three JVMs are under load all the time; one fault follows the
 * other.
 */
@Timeout(value = 240, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProcessFaultTest {

    private static final Duration TTL = Duration.ofMillis(1200);

    private static final Random RANDOM = new Random(20);
    private static ProofFleet fleet;

    @BeforeAll
    static void start() {
        fleet = ProofFleet.start(ProofSettings.ofTtl(TTL), 3);
        fleet.load();
    }

    @AfterAll
    static void nothingIsLeftBehind() {
        try {
            assertThat(fleet.leave()).isEmpty();
        } finally {
            fleet.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void limitsHoldAndWorkGoesOn(Fault fault) {
        assumeTrue(fault.isPossible(fleet), "libfaketime is not installed, so the time of the server cannot be set");
        Outcome outcome = fault.inject(fleet, RANDOM);
        assertThat(outcome.violations()).isEmpty();
    }

    /** The soak draws other pairs. */
    @ParameterizedTest
    @CsvSource("STOP_NODE_LONG, RESTART_WITHOUT_DATA")
    void limitsHoldWhileTwoFaultsHappenAtOnce(Fault lasting, Fault fault) {
        Outcome outcome = fault.injectDuring(lasting, fleet, RANDOM);
        assertThat(outcome.violations()).isEmpty();
    }
}
