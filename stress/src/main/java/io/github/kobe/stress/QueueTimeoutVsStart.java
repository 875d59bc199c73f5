package io.github.kobe.stress;

import io.github.kobe.stress.broken.GrantsPermitToCancelledTask;
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
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * A queued task exceeds its max queue time while the permit that it waits for is released.
 *
 * <ul>
 * <li>A: completes the running task and passes its permit to the next queued task.
 * <li>B: fires the max queue time of the first queued task.
 * <li>Forbidden: a task that both ran and expired, or a permit that is lost with the expired task.
 * </ul>
 */
@Outcome(
        id = "1, 1, 1, 0",
        expect = Expect.ACCEPTABLE,
        desc = "one outcome that matches what happened, the next task completed, nothing leaked")
public final class QueueTimeoutVsStart {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask second = RecordingTask.withMaxQueueTime(0);
    private final RecordingTask third = new RecordingTask();
    private final Runnable running;
    private final Runnable queueTimeout;

    private QueueTimeoutVsStart(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", new RecordingTask());
        running = scheduler.runner().take();
        scheduler.submit("g", second);
        scheduler.submit("g", third);
        queueTimeout = scheduler.takeTimerEvent(TimerEvent.TIME_LIMIT);
    }

    private void complete() {
        running.run();
    }

    private void expire() {
        queueTimeout.run();
    }

    private void settle(IIII_Result r) {
        scheduler.runner().runAll();
        r.r1 = second.outcomeCount();
        r.r2 = second.runCount() + (second.wasCancelled() ? 1 : 0);
        r.r3 = third.outcomeCount();
        r.r4 = scheduler.leaks();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(QueueTimeoutVsStart.class)
    @State
    public static class KernelNoGlobalLimit {
        private final QueueTimeoutVsStart race = new QueueTimeoutVsStart(KernelUnderTest.noGlobalLimit(1));

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void expire() {
            race.expire();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** One group with a deadline monitor. */
    @JCStressTest
    @JCStressMeta(QueueTimeoutVsStart.class)
    @State
    public static class KernelDeadlineMonitor {
        private final QueueTimeoutVsStart race = new QueueTimeoutVsStart(KernelUnderTest.deadlineMonitor(1));

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void expire() {
            race.expire();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** A group with a deadline monitor that retires with its last task. */
    @JCStressTest
    @JCStressMeta(QueueTimeoutVsStart.class)
    @State
    public static class KernelDeadlineMonitorRetiringGroup {
        private final QueueTimeoutVsStart race =
                new QueueTimeoutVsStart(KernelUnderTest.deadlineMonitorRetiringAtOnce(1));

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void expire() {
            race.expire();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** One group under a global limit. */
    @JCStressTest
    @JCStressMeta(QueueTimeoutVsStart.class)
    @State
    public static class KernelGlobalLimit {
        private final QueueTimeoutVsStart race = new QueueTimeoutVsStart(KernelUnderTest.globalLimit(1, 1));

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void expire() {
            race.expire();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** A group that retires with its last task. */
    @JCStressTest
    @JCStressMeta(QueueTimeoutVsStart.class)
    @State
    public static class KernelRetiringGroup {
        private final QueueTimeoutVsStart race =
                new QueueTimeoutVsStart(KernelUnderTest.globalLimitRetiringAtOnce(1, 1));

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void expire() {
            race.expire();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** The permit can go to the expired task. */
    @JCStressTest
    @JCStressMeta(QueueTimeoutVsStart.class)
    @State
    public static class TwinLosesPermit {
        private final QueueTimeoutVsStart race = new QueueTimeoutVsStart(new GrantsPermitToCancelledTask());

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void expire() {
            race.expire();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }
}
