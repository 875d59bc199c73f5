package io.github.kobe.stress;

import io.github.kobe.stress.broken.DelayUncounted;
import io.github.kobe.stress.rig.Due;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.KernelSubject;
import io.github.kobe.stress.rig.Subject;
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

    private final Subject subject;
    private final Job first;
    private final Job second = new Job();
    private final Job third = new Job();
    private final Runnable running;

    private RetryVsSubmit(Subject subject, Job first) {
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
        subject.fire(Due.RETRY);
        r.r1 = subject.crank().waiting();
        subject.crank().turn();
        r.r2 = first.ends() + second.ends() + third.ends();
        r.r3 = subject.damage();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(RetryVsSubmit.class)
    @State
    public static class KernelUngated {
        private final RetryVsSubmit race = new RetryVsSubmit(KernelSubject.retiringAtOnce(1), Job.failing());

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
    public static class KernelInPlace {
        private final RetryVsSubmit race = new RetryVsSubmit(KernelSubject.retiringAtOnce(1), Job.failingInPlace());

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
    public static class KernelGated {
        private final RetryVsSubmit race = new RetryVsSubmit(KernelSubject.gatedRetiringAtOnce(1, 2), Job.failing());

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
        private final RetryVsSubmit race = new RetryVsSubmit(new DelayUncounted(), Job.failing());

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
