package io.github.kobe.redis.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Does nothing outlive the JVM of the tests? */
class ProcessGuardTest {

    private static Process sleeper(ProcessGuard guard) throws IOException {
        return guard.startGuarded(new ProcessBuilder("sleep", "600"));
    }

    @Test
    void killsWhatIsLeftAndNothingElse() throws Exception {
        ProcessGuard guard = new ProcessGuard();
        Process first = sleeper(guard);
        Process ended = sleeper(guard);
        Process last = sleeper(guard);
        Process other = new ProcessBuilder("sleep", "600").start();
        try {
            ProcessGuard.kill(ended);
            guard.end();

            assertThat(first.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(last.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(other.isAlive()).isTrue();
        } finally {
            ProcessGuard.kill(first);
            ProcessGuard.kill(last);
            ProcessGuard.kill(other);
        }
    }

    @Test
    void killsProcessesThatAreStopped() throws Exception {
        ProcessGuard guard = new ProcessGuard();
        Process frozen = sleeper(guard);
        try {
            ProcessGuard.freeze(frozen);
            guard.end();
            assertThat(frozen.waitFor(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            ProcessGuard.kill(frozen);
        }
    }
}
