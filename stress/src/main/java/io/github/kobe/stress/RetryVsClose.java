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

/**
 * The scheduler is closed while the last task fails and begins to await its retry.
 *
 * <ul>
 * <li>A: the attempt fails, and the task awaits its retry.
 * <li>B: closes, and terminates if no task is left.
 * <li>Forbidden: termination before the second attempt has completed.
 * </ul>
 */
@Outcome(
        id = "0, 1, 1",
        expect = Expect.ACCEPTABLE,
        desc = "not terminated before the second attempt, terminated after it")
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

    /** One group without a global limit. */
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

    /** The task keeps its permit. */
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

    /** One group under a global limit. */
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

    /** A standalone group without a limit. */
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

    /** The scheduler can terminate while a task awaits its retry. */
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
