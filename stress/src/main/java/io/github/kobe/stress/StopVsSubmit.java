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

/** A ticket comes while its group is stopped: it is cancelled, or it runs; it is not forgotten. */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "one end that is true, nothing left behind")
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

    /** One group. */
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

    /** The one that comes does not wait for ever, and a watch is to look after it: it is where the stop finds it before it is in line. */
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

    /** One group below a global cap. */
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

    /** Where nothing limits how many run. */
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

    /** The ticket can be swept out without an end. */
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
