package io.github.kobe.stress;

import io.github.kobe.stress.broken.ChecksRetryStateThenActs;
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
 * A task exceeds its max queue time while it starts and fails its first attempt.
 *
 * <ul>
 * <li>A: completes the running task, starts the queued one and lets it fail.
 * <li>B: fires the max queue time of the queued task.
 * <li>Forbidden: a task that expires after it has run, or that has two outcomes. The max queue time covers only the first start.
 * </ul>
 */
@Outcome(id = "1, 0, 1, 0", expect = Expect.ACCEPTABLE, desc = "expired")
@Outcome(id = "1, 2, 0, 0", expect = Expect.ACCEPTABLE, desc = "both attempts ran")
public final class QueueTimeoutVsRetry {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask task = RecordingTask.withMaxQueueTime(1);
    private final Runnable running;
    private final Runnable queueTimeout;

    private QueueTimeoutVsRetry(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", new RecordingTask());
        running = scheduler.runner().take();
        scheduler.submit("g", task);
        queueTimeout = scheduler.takeTimerEvent(TimerEvent.TIME_LIMIT);
    }

    private void run() {
        running.run();
        scheduler.runner().runAll();
    }

    private void expire() {
        queueTimeout.run();
    }

    private void settle(IIII_Result r) {
        scheduler.fireTimerEvent(TimerEvent.RETRY);
        scheduler.runner().runAll();
        r.r1 = task.outcomeCount();
        r.r2 = task.runCount();
        r.r3 = task.wasCancelled() ? 1 : 0;
        r.r4 = scheduler.leaks();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(QueueTimeoutVsRetry.class)
    @State
    public static class KernelNoGlobalLimit {
        private final QueueTimeoutVsRetry race = new QueueTimeoutVsRetry(KernelUnderTest.noGlobalLimit(1));

        @Actor
        public void run() {
            race.run();
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
    @JCStressMeta(QueueTimeoutVsRetry.class)
    @State
    public static class KernelGlobalLimit {
        private final QueueTimeoutVsRetry race = new QueueTimeoutVsRetry(KernelUnderTest.globalLimit(1, 1));

        @Actor
        public void run() {
            race.run();
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

    /** The task can expire although it has run. */
    @JCStressTest
    @JCStressMeta(QueueTimeoutVsRetry.class)
    @State
    public static class TwinExpiresStartedTask {
        private final QueueTimeoutVsRetry race = new QueueTimeoutVsRetry(new ChecksRetryStateThenActs());

        @Actor
        public void run() {
            race.run();
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
