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
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A global limit is set for the first time while a task completes.
 *
 * <ul>
 * <li>A: sets a global limit, which counts all permits in use.
 * <li>B: completes the running task.
 * <li>Forbidden: a lost permit, or two tasks that run under a global limit of one.
 * </ul>
 */
@Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "one at a time, both completed, the limit holds")
public final class GlobalLimitVsCompletion {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask second = new RecordingTask();
    private final RecordingTask third = new RecordingTask();
    private final Runnable running;
    private final boolean queued;

    private GlobalLimitVsCompletion(SchedulerUnderTest scheduler, boolean queued) {
        this.scheduler = scheduler;
        this.queued = queued;
        scheduler.submit("g", new RecordingTask());
        running = scheduler.runner().take();
        if (queued) {
            scheduler.submit("g", second);
        }
    }

    private void setGlobalLimit() {
        scheduler.resize(1);
    }

    private void complete() {
        running.run();
    }

    private void settle(III_Result r) {
        if (!queued) {
            scheduler.submit("g", second);
        }
        scheduler.submit("h", third);
        r.r1 = scheduler.runner().startedCount();
        scheduler.runner().runAll();
        r.r2 = second.outcomeCount() + third.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** The last task of its group. */
    @JCStressTest
    @JCStressMeta(GlobalLimitVsCompletion.class)
    @State
    public static class KernelLastTask {
        private final GlobalLimitVsCompletion race =
                new GlobalLimitVsCompletion(KernelUnderTest.lateGlobalLimit(2), false);

        @Actor
        public void setGlobalLimit() {
            race.setGlobalLimit();
        }

        @Actor
        public void complete() {
            race.complete();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** Another task is queued. */
    @JCStressTest
    @JCStressMeta(GlobalLimitVsCompletion.class)
    @State
    public static class KernelQueuedTask {
        private final GlobalLimitVsCompletion race =
                new GlobalLimitVsCompletion(KernelUnderTest.lateGlobalLimit(1), true);

        @Actor
        public void setGlobalLimit() {
            race.setGlobalLimit();
        }

        @Actor
        public void complete() {
            race.complete();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The released permit can be lost. */
    @JCStressTest
    @JCStressMeta(GlobalLimitVsCompletion.class)
    @State
    public static class TwinLosesPermit {
        private final GlobalLimitVsCompletion race =
                new GlobalLimitVsCompletion(new CountsBeforeGlobalLimitApplies(2), false);

        @Actor
        public void setGlobalLimit() {
            race.setGlobalLimit();
        }

        @Actor
        public void complete() {
            race.complete();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
