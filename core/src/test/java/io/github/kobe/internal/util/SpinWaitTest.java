package io.github.kobe.internal.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long a thread spins for a condition before it gives up. */
@Timeout(60)
class SpinWaitTest {

    private static boolean on(boolean virtual, BooleanSupplier done) throws InterruptedException {
        AtomicBoolean result = new AtomicBoolean();
        Runnable spin = () -> result.set(SpinWait.until(done));
        Thread thread =
                virtual ? Thread.ofVirtual().start(spin) : Thread.ofPlatform().start(spin);
        thread.join();
        return result.get();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void trueConditionIsCheckedOnce(boolean virtual) throws Exception {
        AtomicInteger checks = new AtomicInteger();
        assertThat(on(virtual, () -> checks.incrementAndGet() > 0)).isTrue();
        assertThat(checks).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void conditionThatBecomesTrueIsSeen(boolean virtual) throws Exception {
        AtomicInteger checks = new AtomicInteger();
        assertThat(on(virtual, () -> checks.incrementAndGet() == 2)).isTrue();
        assertThat(checks).hasValue(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void falseConditionGivesUp(boolean virtual) throws Exception {
        assertThat(on(virtual, () -> false)).isFalse();
    }

    @Test
    void interruptFlagIsKept() {
        Thread.currentThread().interrupt();
        assertThat(SpinWait.until(() -> false)).isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }
}
