package io.github.kobe.stress;

import io.github.kobe.stress.broken.CountsRetryAfterRelease;
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
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * The last task of a group that retires at once fails while another task is submitted.
 *
 * <ul>
 * <li>A: the attempt fails, and the task awaits its retry.
 * <li>B: submits a task to the group and runs it.
 * <li>Forbidden: a group that retires while a task awaits its retry. One key would have two limits.
 * </ul>
 */
@Outcome(id = "1, 3, 0", expect = Expect.ACCEPTABLE, desc = "one at a time, all completed, nothing leaked")
public final class RetryVsSubmit {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask first;
    private final RecordingTask second = new RecordingTask();
    private final RecordingTask third = new RecordingTask();
    private final Runnable running;

    private RetryVsSubmit(SchedulerUnderTest scheduler, RecordingTask first) {
        this.scheduler = scheduler;
        this.first = first;
        scheduler.submit("g", first);
        running = scheduler.runner().take();
    }

    private void fail() {
        running.run();
    }

    private void submit() {
        scheduler.submit("g", second);
        scheduler.runner().runAll();
    }

    private void settle(III_Result r) {
        scheduler.submit("g", third);
        scheduler.fireTimerEvent(TimerEvent.RETRY);
        r.r1 = scheduler.runner().startedCount();
        scheduler.runner().runAll();
        r.r2 = first.outcomeCount() + second.outcomeCount() + third.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(RetryVsSubmit.class)
    @State
    public static class KernelNoGlobalLimit {
        private final RetryVsSubmit race =
                new RetryVsSubmit(KernelUnderTest.retiringAtOnce(1), RecordingTask.failingOnce());

        @Actor
        public void fail() {
            race.fail();
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

    /** The task keeps its permit. */
    @JCStressTest
    @JCStressMeta(RetryVsSubmit.class)
    @State
    public static class KernelKeepsPermit {
        private final RetryVsSubmit race =
                new RetryVsSubmit(KernelUnderTest.retiringAtOnce(1), RecordingTask.failingOnceKeepingPermit());

        @Actor
        public void fail() {
            race.fail();
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

    /** One group under a global limit. */
    @JCStressTest
    @JCStressMeta(RetryVsSubmit.class)
    @State
    public static class KernelGlobalLimit {
        private final RetryVsSubmit race =
                new RetryVsSubmit(KernelUnderTest.globalLimitRetiringAtOnce(1, 2), RecordingTask.failingOnce());

        @Actor
        public void fail() {
            race.fail();
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

    /** The retry can belong to a retired group. */
    @JCStressTest
    @JCStressMeta(RetryVsSubmit.class)
    @State
    public static class TwinKeepsTwoGroups {
        private final RetryVsSubmit race =
                new RetryVsSubmit(new CountsRetryAfterRelease(), RecordingTask.failingOnce());

        @Actor
        public void fail() {
            race.fail();
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
