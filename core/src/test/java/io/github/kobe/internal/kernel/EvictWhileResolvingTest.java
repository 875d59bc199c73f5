package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** An eviction while limits are being resolved is not lost: limits that were read before it are not kept. */
class EvictWhileResolvingTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final Runnable NOTHING = () -> {};

    private final AtomicReference<Runnable> meanwhile = new AtomicReference<>(NOTHING);
    private int setting = 5;
    private final StepDispatcher runner = new StepDispatcher(this::resolve, UNLIMITED, Long.MAX_VALUE);

    private GroupLimits resolve(String key) {
        int read = setting;
        meanwhile.getAndSet(NOTHING).run();
        return new GroupLimits(read, UNLIMITED, UNLIMITED);
    }

    private void changeAndEvict() {
        setting = 7;
        runner.dispatcher.evict("g");
    }

    @Test
    void evictDuringTheFirstUse() {
        meanwhile.set(this::changeAndEvict);
        runner.submit("g");
        runner.submit("g");
        assertThat(runner.dispatcher.group("g").limits().effectiveLimit()).isEqualTo(7);
    }

    @Test
    void evictDuringTheUseAfterAnotherEviction() {
        runner.submit("g");
        runner.dispatcher.evict("g");
        meanwhile.set(this::changeAndEvict);
        runner.submit("g");
        runner.submit("g");
        assertThat(runner.dispatcher.group("g").limits().effectiveLimit()).isEqualTo(7);
    }

    @Test
    void detachedTaskIsRejectedAfterClose() {
        runner.dispatcher.close();
        SimulatedTask task = new SimulatedTask("g", 1, SimulatedTask.CompletionListening.NONE);
        assertThat(runner.dispatcher.submitDetached(task)).isEqualTo(Admission.CLOSED);
    }
}
