package io.github.kobe.stress;

import io.github.kobe.stress.broken.CompletesWithoutCas;
import io.github.kobe.stress.rig.KernelUnderTest;
import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A queued task is cancelled twice at the same time.
 *
 * <ul>
 * <li>A: cancels the task.
 * <li>B: cancels the same task.
 * <li>Forbidden: two cancellers that both decided the outcome, or none. A task has exactly one outcome.
 * </ul>
 */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "one canceller decided, one outcome, nothing leaked")
public final class CancelVsCancel {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask first = new RecordingTask();
    private final RecordingTask second;
    private final Runnable running;
    private boolean oneWon;
    private boolean otherWon;

    private CancelVsCancel(SchedulerUnderTest scheduler, RecordingTask second) {
        this.scheduler = scheduler;
        this.second = second;
        scheduler.submit("g", first);
        running = scheduler.runner().take();
        scheduler.submit("g", second);
    }

    private void cancel() {
        oneWon = scheduler.cancel(second);
    }

    private void cancelAgain() {
        otherWon = scheduler.cancel(second);
    }

    private void settle(III_Result r) {
        running.run();
        scheduler.runner().runAll();
        r.r1 = (oneWon ? 1 : 0) + (otherWon ? 1 : 0);
        r.r2 = second.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(CancelVsCancel.class)
    @State
    public static class KernelNoGlobalLimit {
        private final CancelVsCancel race = new CancelVsCancel(KernelUnderTest.noGlobalLimit(1), new RecordingTask());

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Actor
        public void cancelAgain() {
            race.cancelAgain();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group under a global limit. */
    @JCStressTest
    @JCStressMeta(CancelVsCancel.class)
    @State
    public static class KernelGlobalLimit {
        private final CancelVsCancel race = new CancelVsCancel(KernelUnderTest.globalLimit(1, 1), new RecordingTask());

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Actor
        public void cancelAgain() {
            race.cancelAgain();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group, and a task with a listener. */
    @JCStressTest
    @JCStressMeta(CancelVsCancel.class)
    @State
    public static class KernelListener {
        private final CancelVsCancel race =
                new CancelVsCancel(KernelUnderTest.noGlobalLimit(1), RecordingTask.withListener());

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Actor
        public void cancelAgain() {
            race.cancelAgain();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** Both sides can see the task as undecided. */
    @JCStressTest
    @JCStressMeta(CancelVsCancel.class)
    @State
    public static class TwinCompletesTwice {
        private final CancelVsCancel race = new CancelVsCancel(new CompletesWithoutCas(), new RecordingTask());

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Actor
        public void cancelAgain() {
            race.cancelAgain();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
