package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.time.FakeTimer;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import io.github.kobe.internal.util.Faults;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does exactly one thread continue after a callback, and does a callback that returns in time leave nothing behind? */
class CallbackMonitorTest {

    private static final long SECOND = CallbackMonitor.MAX_CALLBACK_NANOS;
    private static final long PERIOD = CallbackMonitor.SWEEP_PERIOD;

    private final FakeTimer timer = new FakeTimer();
    private final Faults faults = new Faults(timer::nanoTime);
    private final List<String> takenOver = new ArrayList<>();
    private final CallbackMonitor monitor = new CallbackMonitor(timer, Runnable::run, faults);

    private boolean call(String name, Runnable callback) {
        return monitor.call(name, "subject", callback, () -> takenOver.add(name));
    }

    /** A call that has begun and not returned. */
    private class OpenCall extends CallbackMonitor.Call {
        private final String name;
        private final int slot;

        OpenCall(String name) {
            super("subject");
            this.name = name;
            slot = monitor.begin(this);
        }

        @Override
        protected String name() {
            return name;
        }

        @Override
        protected void invoke() {}

        @Override
        protected void takeOver() {
            takenOver.add(name);
        }

        boolean end() {
            return monitor.end(slot, this);
        }
    }

    @Test
    void callerContinuesAfterACallbackThatReturns() {
        assertThat(call("a", () -> {})).isTrue();
        timer.advance(10 * SECOND);
        assertThat(takenOver).isEmpty();
        assertThat(faults.count()).isZero();
    }

    @Test
    void sweepLeavesTheTimerWhenNoCallIsLeft() {
        for (int i = 0; i < 1_000; i++) {
            call("a", () -> {});
        }
        assertThat(timer.pending()).as("one sweep for all calls").isEqualTo(1);
        timer.advance(PERIOD);
        assertThat(timer.pending()).isZero();
        call("b", () -> {});
        assertThat(timer.pending()).isEqualTo(1);
    }

    @Test
    void callIsTakenOverAfterASecondAndNotBefore() {
        OpenCall open = new OpenCall("a");
        timer.advance(SECOND);
        assertThat(takenOver).isEmpty();
        timer.advance(PERIOD);
        assertThat(takenOver).containsExactly("a");
        assertThat(open.end()).as("the caller must not continue").isFalse();
        assertThat(faults.count()).isEqualTo(1);
        timer.advance(10 * SECOND);
        assertThat(takenOver).containsExactly("a");
        assertThat(timer.pending()).isZero();
    }

    @Test
    void callThatBeginsBetweenTwoSweepsHasASecondToo() {
        new OpenCall("a");
        timer.advance(PERIOD - 1);
        OpenCall late = new OpenCall("b");
        timer.advance(1); // the sweep sees both for the first time
        timer.advance(SECOND - 1);
        assertThat(takenOver).isEmpty();
        timer.advance(1);
        assertThat(takenOver).containsExactlyInAnyOrder("a", "b");
        assertThat(late.end()).isFalse();
    }

    @Test
    void nextCallInTheSameSlotIsNotMistakenForTheLast() {
        for (int i = 0; i < 10; i++) {
            OpenCall open = new OpenCall("a");
            timer.advance(SECOND - 1);
            assertThat(open.end()).isTrue();
        }
        assertThat(takenOver).isEmpty();
    }

    @Test
    @Timeout(60)
    void sweepsDoNotKeepACallThatHasReturned() {
        WeakReference<OpenCall> returned = callThatASweepHasFound();
        timer.advance(PERIOD);
        assertThat(timer.pending()).as("no sweep follows").isZero();
        while (returned.get() != null) {
            System.gc();
        }
    }

    private WeakReference<OpenCall> callThatASweepHasFound() {
        OpenCall open = new OpenCall("a");
        timer.advance(PERIOD);
        assertThat(open.end()).isTrue();
        return new WeakReference<>(open);
    }

    @Test
    void callbackThatReturnsAfterItWasTakenOverChangesNothing() {
        boolean continues = call("a", () -> timer.advance(2 * SECOND));
        assertThat(continues).isFalse();
        assertThat(takenOver).containsExactly("a");
        assertThat(call("b", () -> {})).as("the slot is free").isTrue();
    }

    @Test
    void callThatBeginsInTheLastSweepIsSwept() {
        new OpenCall("first") {
            @Override
            protected void takeOver() {
                super.takeOver();
                new OpenCall(
                        "late"); // after this sweep has read some of the slots, and before it decides whether it is the
                // last
            }
        };
        timer.advance(SECOND + PERIOD);
        assertThat(takenOver).containsExactly("first");
        assertThat(timer.pending()).isEqualTo(1);
        timer.advance(SECOND + PERIOD);
        assertThat(takenOver).containsExactly("first", "late");
    }

    @Test
    void exceptionIsReportedAndTheCallerContinues() {
        assertThat(call("a", () -> {
                    throw new StackOverflowError("on purpose");
                }))
                .isTrue();
        assertThat(faults.count()).isEqualTo(1);
    }

    @Test
    void callsBeyondTheSlotsHaveATimerEntryEach() {
        int depth = nest(0);
        assertThat(takenOver).isEmpty();
        assertThat(depth).isEqualTo(DEPTH);
        timer.advance(PERIOD);
        assertThat(timer.pending()).isZero();
    }

    private static final int DEPTH = 100;

    /** Each call is made in the callback of the one before. */
    private int nest(int depth) {
        if (depth == DEPTH) {
            assertThat(timer.pending())
                    .as("the sweep, and calls without a slot")
                    .isGreaterThan(1);
            return depth;
        }
        int[] reached = new int[1];
        assertThat(call("nested", () -> reached[0] = nest(depth + 1))).isTrue();
        return reached[0];
    }

    @Test
    void callWithoutASlotIsTakenOverAfterASecond() {
        OpenCall last;
        do {
            last = new OpenCall("slot");
        } while (last.slot >= 0);
        boolean continues = call("timed", () -> timer.advance(SECOND));
        assertThat(continues).isFalse();
        assertThat(takenOver).contains("timed");
    }

    @Test
    void callIsMadeIfTheTimerHasNoThread() {
        CallbackMonitor withoutTimer = new CallbackMonitor(
                new Timer() {
                    @Override
                    public long nanoTime() {
                        return 0;
                    }

                    @Override
                    public void start(TimerEntry entry, long delayNanos) {
                        throw new OutOfMemoryError("on purpose");
                    }

                    @Override
                    public boolean cancel(TimerEntry entry) {
                        return false;
                    }
                },
                Runnable::run,
                faults);
        List<String> called = new ArrayList<>();
        assertThat(withoutTimer.call("a", "subject", () -> called.add("a"), () -> called.add("taken over")))
                .isTrue();
        assertThat(called).containsExactly("a");
        assertThat(faults.count()).isEqualTo(1);
    }
}
