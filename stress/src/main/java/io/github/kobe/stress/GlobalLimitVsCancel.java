package io.github.kobe.stress;

import io.github.kobe.stress.broken.CountsBeforeGlobalLimitApplies;
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
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * A global limit is set for the first time while a queued task is cancelled.
 *
 * <ul>
 * <li>A: sets a global limit, which counts all queued tasks.
 * <li>B: cancels a queued task.
 * <li>Forbidden: a task that is counted although it is gone, or subtracted twice. The global limiter would be wrong for good.
 * </ul>
 */
@Outcome(
        id = "1, 1, 1, 0",
        expect = Expect.ACCEPTABLE,
        desc = "one outcome, one at a time, the next task completed, the limit holds")
public final class GlobalLimitVsCancel {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask second = new RecordingTask();
    private final RecordingTask third = new RecordingTask();
    private final Runnable running;

    private GlobalLimitVsCancel(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", new RecordingTask());
        running = scheduler.runner().take();
        scheduler.submit("g", second);
        scheduler.submit("g", third);
    }

    private void setGlobalLimit() {
        scheduler.resize(1);
    }

    private void cancel() {
        scheduler.cancel(second);
    }

    private void settle(IIII_Result r) {
        running.run();
        r.r2 = scheduler.runner().startedCount();
        scheduler.runner().runAll();
        r.r1 = second.runCount() == 0 ? second.outcomeCount() : 0;
        r.r3 = third.outcomeCount();
        r.r4 = scheduler.leaks();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(GlobalLimitVsCancel.class)
    @State
    public static class KernelNoGlobalLimit {
        private final GlobalLimitVsCancel race = new GlobalLimitVsCancel(KernelUnderTest.lateGlobalLimit(1));

        @Actor
        public void setGlobalLimit() {
            race.setGlobalLimit();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** The limiter can count a cancelled task. */
    @JCStressTest
    @JCStressMeta(GlobalLimitVsCancel.class)
    @State
    public static class TwinCountsCancelledTask {
        private final GlobalLimitVsCancel race = new GlobalLimitVsCancel(new CountsBeforeGlobalLimitApplies(1));

        @Actor
        public void setGlobalLimit() {
            race.setGlobalLimit();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }
}
