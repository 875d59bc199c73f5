package io.github.kobe.stress;

import io.github.kobe.stress.broken.CountsRetryAfterRelease;
import io.github.kobe.stress.rig.KernelUnderTest;
import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.TimerEvent;
import io.github.kobe.stress.rig.UncappedGroupUnderTest;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** All is closed while the last attempt fails that is not to be the last: the end waits for the one that follows. */
@Outcome(id = "0, 1, 1", expect = Expect.ACCEPTABLE, desc = "not over before the second attempt, over then")
public final class RetryVsClose {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask task;
    private final Runnable running;

    private RetryVsClose(SchedulerUnderTest scheduler, RecordingTask task) {
        this.scheduler = scheduler;
        this.task = task;
        scheduler.submit("g", task);
        running = scheduler.runner().take();
    }

    private void fail() {
        running.run();
    }

    private void close() {
        scheduler.close();
    }

    private void settle(III_Result r) {
        r.r1 = scheduler.isTerminated() ? 1 : 0;
        scheduler.fireTimerEvent(TimerEvent.RETRY);
        scheduler.runner().runAll();
        r.r2 = task.outcomeCount();
        r.r3 = scheduler.isTerminated() ? 1 : 0;
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(RetryVsClose.class)
    @State
    public static class KernelNoGlobalLimit {
        private final RetryVsClose race =
                new RetryVsClose(KernelUnderTest.noGlobalLimit(1), RecordingTask.failingOnce());

        @Actor
        public void fail() {
            race.fail();
        }

        @Actor
        public void close() {
            race.close();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** It keeps its place. */
    @JCStressTest
    @JCStressMeta(RetryVsClose.class)
    @State
    public static class KernelKeepsPermit {
        private final RetryVsClose race =
                new RetryVsClose(KernelUnderTest.noGlobalLimit(1), RecordingTask.failingOnceKeepingPermit());

        @Actor
        public void fail() {
            race.fail();
        }

        @Actor
        public void close() {
            race.close();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group below a global cap. */
    @JCStressTest
    @JCStressMeta(RetryVsClose.class)
    @State
    public static class KernelGlobalLimit {
        private final RetryVsClose race =
                new RetryVsClose(KernelUnderTest.globalLimit(1, 1), RecordingTask.failingOnce());

        @Actor
        public void fail() {
            race.fail();
        }

        @Actor
        public void close() {
            race.close();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** Where nothing limits how many run. */
    @JCStressTest
    @JCStressMeta(RetryVsClose.class)
    @State
    public static class KernelUncappedGroup {
        private final RetryVsClose race = new RetryVsClose(new UncappedGroupUnderTest(), RecordingTask.failingOnce());

        @Actor
        public void fail() {
            race.fail();
        }

        @Actor
        public void close() {
            race.close();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The end can be declared with one still to be tried again. */
    @JCStressTest
    @JCStressMeta(RetryVsClose.class)
    @State
    public static class TwinTerminatesEarly {
        private final RetryVsClose race = new RetryVsClose(new CountsRetryAfterRelease(), RecordingTask.failingOnce());

        @Actor
        public void fail() {
            race.fail();
        }

        @Actor
        public void close() {
            race.close();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
