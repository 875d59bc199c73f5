package io.github.kobe.stress;

import io.github.kobe.stress.broken.ChecksRetryStateThenActs;
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
 * A task fails and begins to await its retry while it is cancelled.
 *
 * <ul>
 * <li>A: the attempt fails, and the task awaits its retry with or without its permit.
 * <li>B: cancels the task, or stops its group.
 * <li>Forbidden: a permit that stays with the cancelled task or is released twice, or a retry that is still scheduled.
 * </ul>
 */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "cancelled, the next task completed, nothing leaked")
public final class RetryVsCancel {

    private final SchedulerUnderTest scheduler;
    private final boolean stops;
    private final RecordingTask task;
    private final RecordingTask next = new RecordingTask();
    private final Runnable running;

    private RetryVsCancel(SchedulerUnderTest scheduler, RecordingTask task, boolean stops) {
        this.scheduler = scheduler;
        this.task = task;
        this.stops = stops;
        scheduler.submit("g", task);
        running = scheduler.runner().take();
    }

    private void fail() {
        running.run();
    }

    private void cancel() {
        if (stops) {
            scheduler.stopGroup("g");
        } else {
            scheduler.cancel(task);
        }
    }

    private void settle(III_Result r) {
        scheduler.submit("g", next);
        scheduler.runner().runAll();
        r.r1 = task.wasCancelled() ? task.outcomeCount() : 0;
        r.r2 = next.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(RetryVsCancel.class)
    @State
    public static class KernelNoGlobalLimit {
        private final RetryVsCancel race =
                new RetryVsCancel(KernelUnderTest.noGlobalLimit(1), RecordingTask.failingOnce(), false);

        @Actor
        public void fail() {
            race.fail();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The task keeps its permit. */
    @JCStressTest
    @JCStressMeta(RetryVsCancel.class)
    @State
    public static class KernelKeepsPermit {
        private final RetryVsCancel race =
                new RetryVsCancel(KernelUnderTest.noGlobalLimit(1), RecordingTask.failingOnceKeepingPermit(), false);

        @Actor
        public void fail() {
            race.fail();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group under a global limit. */
    @JCStressTest
    @JCStressMeta(RetryVsCancel.class)
    @State
    public static class KernelGlobalLimit {
        private final RetryVsCancel race =
                new RetryVsCancel(KernelUnderTest.globalLimit(1, 1), RecordingTask.failingOnce(), false);

        @Actor
        public void fail() {
            race.fail();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The task keeps its permit under a global limit. */
    @JCStressTest
    @JCStressMeta(RetryVsCancel.class)
    @State
    public static class KernelGlobalLimitKeepsPermit {
        private final RetryVsCancel race =
                new RetryVsCancel(KernelUnderTest.globalLimit(1, 1), RecordingTask.failingOnceKeepingPermit(), false);

        @Actor
        public void fail() {
            race.fail();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** A group that retires with its last task. */
    @JCStressTest
    @JCStressMeta(RetryVsCancel.class)
    @State
    public static class KernelRetiringGroup {
        private final RetryVsCancel race =
                new RetryVsCancel(KernelUnderTest.retiringAtOnce(1), RecordingTask.failingOnce(), false);

        @Actor
        public void fail() {
            race.fail();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** A group that retires with its last task, which keeps its permit. */
    @JCStressTest
    @JCStressMeta(RetryVsCancel.class)
    @State
    public static class KernelRetiringGroupKeepsPermit {
        private final RetryVsCancel race =
                new RetryVsCancel(KernelUnderTest.retiringAtOnce(1), RecordingTask.failingOnceKeepingPermit(), false);

        @Actor
        public void fail() {
            race.fail();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The group is stopped. */
    @JCStressTest
    @JCStressMeta(RetryVsCancel.class)
    @State
    public static class KernelStopGroup {
        private final RetryVsCancel race =
                new RetryVsCancel(KernelUnderTest.noGlobalLimit(1), RecordingTask.failingOnce(), true);

        @Actor
        public void fail() {
            race.fail();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The group is stopped, and the task keeps its permit. */
    @JCStressTest
    @JCStressMeta(RetryVsCancel.class)
    @State
    public static class KernelStopGroupKeepsPermit {
        private final RetryVsCancel race =
                new RetryVsCancel(KernelUnderTest.noGlobalLimit(1), RecordingTask.failingOnceKeepingPermit(), true);

        @Actor
        public void fail() {
            race.fail();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** A standalone group without a limit. */
    @JCStressTest
    @JCStressMeta(RetryVsCancel.class)
    @State
    public static class KernelUncappedGroup {
        private final RetryVsCancel race =
                new RetryVsCancel(new UncappedGroupUnderTest(), RecordingTask.failingOnce(), false);

        @Actor
        public void fail() {
            race.fail();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The permit can stay with a cancelled task. */
    @JCStressTest
    @JCStressMeta(RetryVsCancel.class)
    @State
    public static class TwinKeepsPermit {
        private final RetryVsCancel race =
                new RetryVsCancel(new ChecksRetryStateThenActs(), RecordingTask.failingOnceKeepingPermit(), false);

        @Actor
        public void fail() {
            race.fail();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
