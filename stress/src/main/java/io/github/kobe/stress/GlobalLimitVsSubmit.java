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
 * A global limit is set for the first time while a task is submitted.
 *
 * <ul>
 * <li>A: sets a global limit, which counts all permits in use and all queued tasks.
 * <li>B: submits a task.
 * <li>Forbidden: two tasks that run under a global limit of one after the first has completed, or a task that is never started.
 * </ul>
 */
@Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "one at a time, both completed, the limit holds")
public final class GlobalLimitVsSubmit {

    private final SchedulerUnderTest scheduler;
    private final String group;
    private final RecordingTask second = new RecordingTask();
    private final RecordingTask third = new RecordingTask();
    private final Runnable running;

    private GlobalLimitVsSubmit(SchedulerUnderTest scheduler, String group) {
        this.scheduler = scheduler;
        this.group = group;
        scheduler.submit("g", new RecordingTask());
        running = scheduler.runner().take();
    }

    private void setGlobalLimit() {
        scheduler.resize(1);
    }

    private void submit() {
        scheduler.submit(group, second);
    }

    private void settle(III_Result r) {
        running.run();
        scheduler.submit("g", third);
        r.r1 = scheduler.runner().startedCount();
        scheduler.runner().runAll();
        r.r2 = second.outcomeCount() + third.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** The group has a free permit for the task. */
    @JCStressTest
    @JCStressMeta(GlobalLimitVsSubmit.class)
    @State
    public static class KernelStart {
        private final GlobalLimitVsSubmit race = new GlobalLimitVsSubmit(KernelUnderTest.lateGlobalLimit(2), "g");

        @Actor
        public void setGlobalLimit() {
            race.setGlobalLimit();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The task is queued in its group. */
    @JCStressTest
    @JCStressMeta(GlobalLimitVsSubmit.class)
    @State
    public static class KernelEnqueue {
        private final GlobalLimitVsSubmit race = new GlobalLimitVsSubmit(KernelUnderTest.lateGlobalLimit(1), "g");

        @Actor
        public void setGlobalLimit() {
            race.setGlobalLimit();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The task creates its group. */
    @JCStressTest
    @JCStressMeta(GlobalLimitVsSubmit.class)
    @State
    public static class KernelNewGroup {
        private final GlobalLimitVsSubmit race = new GlobalLimitVsSubmit(KernelUnderTest.lateGlobalLimit(1), "h");

        @Actor
        public void setGlobalLimit() {
            race.setGlobalLimit();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The limiter can miss a task that is starting. */
    @JCStressTest
    @JCStressMeta(GlobalLimitVsSubmit.class)
    @State
    public static class TwinMissesStartingTask {
        private final GlobalLimitVsSubmit race = new GlobalLimitVsSubmit(new CountsBeforeGlobalLimitApplies(2), "g");

        @Actor
        public void setGlobalLimit() {
            race.setGlobalLimit();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
