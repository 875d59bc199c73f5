package io.github.kobe.stress;

import io.github.kobe.stress.broken.StopClearsUncancelledTask;
import io.github.kobe.stress.rig.KernelUnderTest;
import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.UncappedGroupUnderTest;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A task is submitted while its group is stopped.
 *
 * <ul>
 * <li>A: stops the group, which cancels all of its tasks.
 * <li>B: submits a task.
 * <li>Forbidden: a task without an outcome, or with two.
 * </ul>
 */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "one outcome that matches what happened, nothing leaked")
public final class StopVsSubmit {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask first = new RecordingTask();
    private final RecordingTask second;
    private final Runnable running;

    private StopVsSubmit(SchedulerUnderTest scheduler) {
        this(scheduler, new RecordingTask());
    }

    private StopVsSubmit(SchedulerUnderTest scheduler, RecordingTask second) {
        this.scheduler = scheduler;
        this.second = second;
        scheduler.submit("g", first);
        running = scheduler.runner().take();
    }

    private void stop() {
        scheduler.stopGroup("g");
    }

    private void submit() {
        scheduler.submit("g", second);
    }

    private void settle(III_Result r) {
        running.run();
        scheduler.runner().runAll();
        r.r1 = second.outcomeCount();
        r.r2 = second.runCount() + (second.wasCancelled() ? 1 : 0);
        r.r3 = scheduler.leaks();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(StopVsSubmit.class)
    @State
    public static class KernelNoGlobalLimit {
        private final StopVsSubmit race = new StopVsSubmit(KernelUnderTest.noGlobalLimit(1));

        @Actor
        public void stop() {
            race.stop();
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

    /** The task has a max queue time, and the deadline monitor tracks it. The stop can find it registered before it is queued. */
    @JCStressTest
    @JCStressMeta(StopVsSubmit.class)
    @State
    public static class KernelDeadlineMonitor {
        private final StopVsSubmit race =
                new StopVsSubmit(KernelUnderTest.deadlineMonitor(1), RecordingTask.withMaxQueueTime(0));

        @Actor
        public void stop() {
            race.stop();
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

    /** One group under a global limit. */
    @JCStressTest
    @JCStressMeta(StopVsSubmit.class)
    @State
    public static class KernelGlobalLimit {
        private final StopVsSubmit race = new StopVsSubmit(KernelUnderTest.globalLimit(1, 1));

        @Actor
        public void stop() {
            race.stop();
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

    /** A standalone group without a limit. */
    @JCStressTest
    @JCStressMeta(StopVsSubmit.class)
    @State
    public static class KernelUncappedGroup {
        private final StopVsSubmit race = new StopVsSubmit(new UncappedGroupUnderTest());

        @Actor
        public void stop() {
            race.stop();
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

    /** The task can be removed without an outcome. */
    @JCStressTest
    @JCStressMeta(StopVsSubmit.class)
    @State
    public static class TwinDropsTaskWithoutOutcome {
        private final StopVsSubmit race = new StopVsSubmit(new StopClearsUncancelledTask());

        @Actor
        public void stop() {
            race.stop();
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
