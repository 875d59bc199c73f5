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

/** An attempt fails, and its ticket begins to wait for the next one, while somebody puts an end to it: what it has goes back, once. */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "cancelled, the next one ran, nothing left behind")
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

    /** One group. */
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

    /** It keeps its place. */
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

    /** One group below a global cap. */
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

    /** It keeps its place below a global cap. */
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

    /** A group that leaves with its last ticket. */
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

    /** A group that leaves with its last ticket, which keeps its place. */
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

    /** The group is stopped, and it keeps its place. */
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

    /** Where nothing limits how many run. */
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

    /** The place can stay with one that is over. */
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
