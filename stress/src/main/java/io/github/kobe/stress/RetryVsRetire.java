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

/** A group at rest is to leave while a ticket comes, fails, and is to be tried again: it does so in the group that the next one finds. */
@Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "one at a time, both ended, nothing left behind")
public final class RetryVsRetire {

    private final Subject subject;
    private final Job first = Job.failing();
    private final Job second = new Job();

    private RetryVsRetire(Subject subject) {
        this.subject = subject;
        subject.submit("g", new Job());
        subject.crank().turn();
    }

    private void evict() {
        subject.evict("g");
    }

    private void fail() {
        subject.submit("g", first);
        subject.crank().turn();
    }

    private void settle(III_Result r) {
        subject.submit("g", second);
        subject.fire(Due.RETRY);
        r.r1 = subject.crank().waiting();
        subject.crank().turn();
        r.r2 = first.ends() + second.ends();
        r.r3 = subject.damage();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(RetryVsRetire.class)
    @State
    public static class KernelUngated {
        private final RetryVsRetire race = new RetryVsRetire(KernelSubject.ungated(1));

        @Actor
        public void evict() {
            race.evict();
        }

        @Actor
        public void fail() {
            race.fail();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group below a global cap. */
    @JCStressTest
    @JCStressMeta(RetryVsRetire.class)
    @State
    public static class KernelGated {
        private final RetryVsRetire race = new RetryVsRetire(KernelSubject.gated(1, 2));

        @Actor
        public void evict() {
            race.evict();
        }

        @Actor
        public void fail() {
            race.fail();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** It can be left with a group that is no more. */
    @JCStressTest
    @JCStressMeta(RetryVsRetire.class)
    @State
    public static class TwinKeepsTwoGroups {
        private final RetryVsRetire race = new RetryVsRetire(new DelayUncounted());

        @Actor
        public void evict() {
            race.evict();
        }

        @Actor
        public void fail() {
            race.fail();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
