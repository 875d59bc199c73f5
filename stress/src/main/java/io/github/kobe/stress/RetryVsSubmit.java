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

/** The last ticket of a group that leaves at once fails, and is to be tried again, while another comes: the group stays, and its cap holds. */
@Outcome(id = "1, 3, 0", expect = Expect.ACCEPTABLE, desc = "one at a time, all ended, nothing left behind")
public final class RetryVsSubmit {

    private final SchedulerUnderTest subject;
    private final RecordingTask first;
    private final RecordingTask second = new RecordingTask();
    private final RecordingTask third = new RecordingTask();
    private final Runnable running;

    private RetryVsSubmit(SchedulerUnderTest subject, RecordingTask first) {
        this.subject = subject;
        this.first = first;
        subject.submit("g", first);
        running = subject.crank().take();
    }

    private void fail() {
        running.run();
    }

    private void submit() {
        subject.submit("g", second);
        subject.crank().turn();
    }

    private void settle(III_Result r) {
        subject.submit("g", third);
        subject.fire(TimerEvent.RETRY);
        r.r1 = subject.crank().waiting();
        subject.crank().turn();
        r.r2 = first.ends() + second.ends() + third.ends();
        r.r3 = subject.damage();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(RetryVsSubmit.class)
    @State
    public static class KernelNoGlobalLimit {
        private final RetryVsSubmit race =
                new RetryVsSubmit(KernelUnderTest.retiringAtOnce(1), RecordingTask.failing());

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

    /** It keeps its place. */
    @JCStressTest
    @JCStressMeta(RetryVsSubmit.class)
    @State
    public static class KernelKeepsPermit {
        private final RetryVsSubmit race =
                new RetryVsSubmit(KernelUnderTest.retiringAtOnce(1), RecordingTask.failingInPlace());

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

    /** One group below a global cap. */
    @JCStressTest
    @JCStressMeta(RetryVsSubmit.class)
    @State
    public static class KernelGlobalLimit {
        private final RetryVsSubmit race =
                new RetryVsSubmit(KernelUnderTest.gatedRetiringAtOnce(1, 2), RecordingTask.failing());

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

    /** It can be left with a group that is no more. */
    @JCStressTest
    @JCStressMeta(RetryVsSubmit.class)
    @State
    public static class TwinKeepsTwoGroups {
        private final RetryVsSubmit race = new RetryVsSubmit(new CountsRetryAfterRelease(), RecordingTask.failing());

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
