package io.github.kobe.internal.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long does one look out for what may happen any moment? */
@Timeout(60)
class SpinWaitTest {

    private static boolean on(boolean virtual, BooleanSupplier done) throws InterruptedException {
        AtomicBoolean said = new AtomicBoolean();
        Runnable look = () -> said.set(SpinWait.until(done));
        Thread thread =
                virtual ? Thread.ofVirtual().start(look) : Thread.ofPlatform().start(look);
        thread.join();
        return said.get();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatHasHappenedIsLookedAtOnce(boolean virtual) throws Exception {
        AtomicInteger looks = new AtomicInteger();
        assertThat(on(virtual, () -> looks.incrementAndGet() > 0)).isTrue();
        assertThat(looks).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatHappensMeanwhileIsSeen(boolean virtual) throws Exception {
        AtomicInteger looks = new AtomicInteger();
        assertThat(on(virtual, () -> looks.incrementAndGet() == 2)).isTrue();
        assertThat(looks).hasValue(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatDoesNotHappenIsNotWaitedFor(boolean virtual) throws Exception {
        assertThat(on(virtual, () -> false)).isFalse();
    }

    @Test
    void interruptIsLeftToTheSleepThatFollows() {
        Thread.currentThread().interrupt();
        assertThat(SpinWait.until(() -> false)).isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }
}
