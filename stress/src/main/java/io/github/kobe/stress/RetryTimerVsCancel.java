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
 * The retry delay of a task elapses while the task is cancelled.
 *
 * <ul>
 * <li>A: the timer starts or enqueues the next attempt.
 * <li>B: cancels the task, or stops its group.
 * <li>Forbidden: another attempt of a cancelled task, or a cancelled task that stays queued.
 * </ul>
 */
@Outcome(id = "1, 1, 0, 0", expect = Expect.ACCEPTABLE, desc = "cancelled, ran once, not queued, nothing leaked")
public final class RetryTimerVsCancel {

    private final SchedulerUnderTest scheduler;
    private final boolean stops;
    private final RecordingTask task;
    private final Runnable retry;
    private Runnable running = () -> {};

    private RetryTimerVsCancel(SchedulerUnderTest scheduler, RecordingTask task, boolean stops) {
        this.scheduler = scheduler;
        this.task = task;
        this.stops = stops;
        scheduler.submit("g", task);
        scheduler.runner().runAll();
        retry = scheduler.takeTimerEvent(TimerEvent.RETRY);
    }

    /** Another task holds the permit. */
    private RetryTimerVsCancel busy() {
        scheduler.submit("g", new RecordingTask());
        running = scheduler.runner().take();
        return this;
    }

    private void retryDue() {
        retry.run();
    }

    private void cancel() {
        if (stops) {
            scheduler.stopGroup("g");
        } else {
            scheduler.cancel(task);
        }
    }

    private void settle(IIII_Result r) {
        r.r3 = scheduler.queued();
        running.run();
        scheduler.runner().runAll();
        r.r1 = task.wasCancelled() ? task.outcomeCount() : 0;
        r.r2 = task.runCount();
        r.r4 = scheduler.leaks();
    }

    /** The retry gets a permit at once. */
    @JCStressTest
    @JCStressMeta(RetryTimerVsCancel.class)
    @State
    public static class KernelNoGlobalLimit {
        private final RetryTimerVsCancel race =
                new RetryTimerVsCancel(KernelUnderTest.noGlobalLimit(1), RecordingTask.failingOnce(), false);

        @Actor
        public void retryDue() {
            race.retryDue();
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

    /** The retry is queued. */
    @JCStressTest
    @JCStressMeta(RetryTimerVsCancel.class)
    @State
    public static class KernelMustQueue {
        private final RetryTimerVsCancel race =
                new RetryTimerVsCancel(KernelUnderTest.noGlobalLimit(1), RecordingTask.failingOnce(), false).busy();

        @Actor
        public void retryDue() {
            race.retryDue();
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

    /** The task has kept its permit. */
    @JCStressTest
    @JCStressMeta(RetryTimerVsCancel.class)
    @State
    public static class KernelKeepsPermit {
        private final RetryTimerVsCancel race = new RetryTimerVsCancel(
                KernelUnderTest.noGlobalLimit(1), RecordingTask.failingOnceKeepingPermit(), false);

        @Actor
        public void retryDue() {
            race.retryDue();
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

    /** The retry gets a permit at once, under a global limit. */
    @JCStressTest
    @JCStressMeta(RetryTimerVsCancel.class)
    @State
    public static class KernelGlobalLimit {
        private final RetryTimerVsCancel race =
                new RetryTimerVsCancel(KernelUnderTest.globalLimit(1, 1), RecordingTask.failingOnce(), false);

        @Actor
        public void retryDue() {
            race.retryDue();
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

    /** The retry is queued, under a global limit. */
    @JCStressTest
    @JCStressMeta(RetryTimerVsCancel.class)
    @State
    public static class KernelGlobalLimitMustQueue {
        private final RetryTimerVsCancel race =
                new RetryTimerVsCancel(KernelUnderTest.globalLimit(1, 1), RecordingTask.failingOnce(), false).busy();

        @Actor
        public void retryDue() {
            race.retryDue();
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

    /** A group that retires with its last task. */
    @JCStressTest
    @JCStressMeta(RetryTimerVsCancel.class)
    @State
    public static class KernelRetiringGroup {
        private final RetryTimerVsCancel race =
                new RetryTimerVsCancel(KernelUnderTest.retiringAtOnce(1), RecordingTask.failingOnce(), false);

        @Actor
        public void retryDue() {
            race.retryDue();
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

    /** The group is stopped. */
    @JCStressTest
    @JCStressMeta(RetryTimerVsCancel.class)
    @State
    public static class KernelStopGroup {
        private final RetryTimerVsCancel race =
                new RetryTimerVsCancel(KernelUnderTest.noGlobalLimit(1), RecordingTask.failingOnce(), true);

        @Actor
        public void retryDue() {
            race.retryDue();
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

    /** The group is stopped, and the task has kept its permit. */
    @JCStressTest
    @JCStressMeta(RetryTimerVsCancel.class)
    @State
    public static class KernelStopGroupKeepsPermit {
        private final RetryTimerVsCancel race = new RetryTimerVsCancel(
                KernelUnderTest.noGlobalLimit(1), RecordingTask.failingOnceKeepingPermit(), true);

        @Actor
        public void retryDue() {
            race.retryDue();
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

    /** The task can be started although it was cancelled. */
    @JCStressTest
    @JCStressMeta(RetryTimerVsCancel.class)
    @State
    public static class TwinRunsAfterCancel {
        private final RetryTimerVsCancel race =
                new RetryTimerVsCancel(new ChecksRetryStateThenActs(), RecordingTask.failingOnceKeepingPermit(), false);

        @Actor
        public void retryDue() {
            race.retryDue();
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
