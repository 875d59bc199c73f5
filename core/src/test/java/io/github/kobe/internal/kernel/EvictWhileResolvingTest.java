package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** An eviction that comes while limits are being resolved is not lost: what was read before it is not kept. */
class EvictWhileResolvingTest {

    private static final int NO_CAP = Integer.MAX_VALUE;
    private static final Runnable NOTHING = () -> {};

    private final AtomicReference<Runnable> meanwhile = new AtomicReference<>(NOTHING);
    private int setting = 5;
    private final StepRunner crank = new StepRunner(this::resolve, NO_CAP, Long.MAX_VALUE);

    private GroupLimits resolve(String key) {
        int read = setting;
        meanwhile.getAndSet(NOTHING).run();
        return new GroupLimits(read, NO_CAP, NO_CAP);
    }

    private void changeAndEvict() {
        setting = 7;
        crank.dispatcher.evict("g");
    }

    @Test
    void onFirstUse() {
        meanwhile.set(this::changeAndEvict);
        crank.submit("g");
        crank.submit("g");
        assertThat(crank.dispatcher.group("g").limits().effectiveLimit()).isEqualTo(7);
    }

    @Test
    void onTheUseAfterAnotherEviction() {
        crank.submit("g");
        crank.dispatcher.evict("g");
        meanwhile.set(this::changeAndEvict);
        crank.submit("g");
        crank.submit("g");
        assertThat(crank.dispatcher.group("g").limits().effectiveLimit()).isEqualTo(7);
    }

    @Test
    void ticketsWithoutAPlaceAreRefusedAfterAClose() {
        crank.dispatcher.close();
        SimulatedTask ticket = new SimulatedTask("g", 1, SimulatedTask.CompletionListening.NOT_AT_ALL);
        assertThat(crank.dispatcher.submitDetached(ticket)).isEqualTo(Admission.CLOSED);
    }
}
