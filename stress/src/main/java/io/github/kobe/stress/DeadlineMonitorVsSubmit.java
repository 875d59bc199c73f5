package io.github.kobe.stress;

import io.github.kobe.stress.broken.MonitorScansBeforeDisarming;
import io.github.kobe.stress.rig.KernelUnderTest;
import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.TimerEvent;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A ticket that does not wait for ever is put in line as the watch looks around for the last time: it is not forgotten. */
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "it expired when its time was over, and did not run")
public final class DeadlineMonitorVsSubmit {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask task = RecordingTask.withMaxQueueTime(0);
    private final Runnable sweep;

    private DeadlineMonitorVsSubmit(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", new RecordingTask());
        RecordingTask first = RecordingTask.withMaxQueueTime(0);
        scheduler.submit("g", first);
        sweep = scheduler.takeTimerEvent(TimerEvent.MONITOR_SWEEP);
        scheduler.cancel(first); // so that there is nothing to wake up for any more
    }

    private void sweep() {
        sweep.run();
    }

    private void submit() {
        scheduler.submit("g", task);
    }

    private void settle(II_Result r) {
        scheduler.fireTimerEvent(TimerEvent.TIME_LIMIT);
        r.r1 = task.outcomeCount();
        r.r2 = task.wasCancelled() ? 1 : 0;
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(DeadlineMonitorVsSubmit.class)
    @State
    public static class KernelNoGlobalLimit {
        private final DeadlineMonitorVsSubmit race = new DeadlineMonitorVsSubmit(KernelUnderTest.deadlineMonitor(1));

        @Actor
        public void sweep() {
            race.sweep();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** The watch can look before it says that it will not wake again. */
    @JCStressTest
    @JCStressMeta(DeadlineMonitorVsSubmit.class)
    @State
    public static class TwinNeverExpires {
        private final DeadlineMonitorVsSubmit race = new DeadlineMonitorVsSubmit(new MonitorScansBeforeDisarming());

        @Actor
        public void sweep() {
            race.sweep();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }
}
