package io.github.kobe.stress;

import io.github.kobe.stress.broken.RetireWithoutFlag;
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

/** A ticket comes while the idle sweep drops its group: it runs, and a later one is still held to the same cap. */
@Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "one at a time, both ended, nothing left behind")
public final class SweepVsSubmit {

    private final Subject subject;
    private final Job second = new Job();
    private final Job third = new Job();

    private SweepVsSubmit(Subject subject) {
        this.subject = subject;
        subject.submit("g", new Job());
    }

    private static SweepVsSubmit kernel() {
        SweepVsSubmit race = new SweepVsSubmit(KernelSubject.swept(1));
        race.subject.crank().turn();
        race.subject.sweep(); // marks it; the next one drops it
        return race;
    }

    private static SweepVsSubmit twin() {
        SweepVsSubmit race = new SweepVsSubmit(new RetireWithoutFlag(false));
        race.subject.crank().turn();
        return race;
    }

    private void sweep() {
        subject.sweep();
    }

    private void submit() {
        subject.submit("g", second);
    }

    private void settle(III_Result r) {
        subject.submit("g", third);
        r.r1 = subject.crank().waiting();
        subject.crank().turn();
        r.r2 = second.ends() + third.ends();
        r.r3 = subject.damage();
    }

    /** The second sweep. */
    @JCStressTest
    @JCStressMeta(SweepVsSubmit.class)
    @State
    public static class KernelUngated {
        private final SweepVsSubmit race = kernel();

        @Actor
        public void sweep() {
            race.sweep();
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

    /** The ticket can go into the group that has left. */
    @JCStressTest
    @JCStressMeta(SweepVsSubmit.class)
    @State
    public static class TwinKeepsTwoGroups {
        private final SweepVsSubmit race = twin();

        @Actor
        public void sweep() {
            race.sweep();
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
