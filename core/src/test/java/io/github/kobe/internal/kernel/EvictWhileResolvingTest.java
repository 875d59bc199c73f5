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
        Runnable change = meanwhile.getAndSet(NOTHING);
        OtherThread.run(change);
        return new GroupLimits(read, UNLIMITED, UNLIMITED);
    }

    private void changeAndEvict() {
        setting++;
        runner.dispatcher.evict("g");
    }

    private int limitInForce() {
        return runner.dispatcher.group("g").limits().effectiveLimit();
    }

    @Test
    void evictDuringTheFirstUse() {
        meanwhile.set(this::changeAndEvict);
        runner.submit("g");
        assertThat(limitInForce())
                .as("of the submit that was before the eviction")
                .isEqualTo(5);
        runner.submit("g");
        assertThat(limitInForce()).isEqualTo(6);
    }

    @Test
    void evictDuringTheUseAfterAnotherEviction() {
        runner.submit("g");
        changeAndEvict();
        meanwhile.set(this::changeAndEvict);
        runner.submit("g");
        runner.submit("g");
        assertThat(limitInForce()).isEqualTo(7);
    }

    @Test
    void answerFromBeforeAnEvictionDoesNotReplaceALaterOne() {
        runner.submit("g");
        runner.dispatcher.evict("g");
        meanwhile.set(() -> {
            changeAndEvict();
            runner.submit("g"); // resolves 6
        });
        runner.submit("g");
        assertThat(limitInForce()).isEqualTo(6);
    }

    @Test
    void stopOfTheGroupDuringItsFirstUse() {
        meanwhile.set(() -> {
            setting = 7;
            runner.dispatcher.stopGroup("g");
        });
        SimulatedTask first = runner.submit("g");
        assertThat(first.isCompleted())
                .as("submitted to the group after the stop")
                .isFalse();
        runner.submit("g");
        assertThat(limitInForce()).isEqualTo(7);
    }

    @Test
    void submitToAStaleGroupReturnsAlthoughEveryResolutionIsEvicted() {
        Runnable[] again = new Runnable[1];
        int[] resolutions = {0};
        again[0] = () -> {
            if (++resolutions[0] < 20) {
                meanwhile.set(again[0]);
            }
            runner.dispatcher.evict("g");
        };
        runner.submit("g");
        runner.dispatcher.evict("g");
        meanwhile.set(again[0]);
        runner.submit("g");
        assertThat(resolutions[0]).isEqualTo(1);
    }

    @Test
    void detachedTaskIsRejectedAfterClose() {
        runner.dispatcher.close();
        SimulatedTask task = new SimulatedTask("g", 1, SimulatedTask.CompletionListening.NONE);
        assertThat(runner.dispatcher.submitDetached(task)).isEqualTo(Admission.CLOSED);
    }
}
