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

/**
 * A task with a max queue time is enqueued while the deadline monitor makes its last sweep.
 *
 * <ul>
 * <li>A: the monitor sweeps, finds no task with a time limit and schedules no further sweep.
 * <li>B: enqueues a task with a max queue time and relies on the monitor.
 * <li>Forbidden: a task that never expires, since no sweep is scheduled for it.
 * </ul>
 */
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "expired, and did not run")
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
        scheduler.cancel(first); // leaves no task with a time limit
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

    /** One group without a global limit. */
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

    /** The monitor can scan the tasks before it disarms itself. */
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
