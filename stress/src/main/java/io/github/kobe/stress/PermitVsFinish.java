package io.github.kobe.stress;

import io.github.kobe.stress.broken.TwoCounters;
import io.github.kobe.stress.rig.Guest;
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
import org.openjdk.jcstress.infra.results.IIII_Result;

/** One comes that wants a place for itself, and a ticket behind it, while another gives its place back: they get it in this order. */
@Outcome(
        id = "1, 0, 1, 0",
        expect = Expect.ACCEPTABLE,
        desc = "has its place, alone; the next one ran then, nothing left behind")
public final class PermitVsFinish {

    private final Subject subject;
    private final Guest first = new Guest();
    private final Guest second = new Guest();
    private final Job third = new Job();

    private PermitVsFinish(Subject subject) {
        this.subject = subject;
        subject.ask("g", first);
    }

    private void giveBack() {
        subject.giveBack(first);
    }

    private void ask() {
        subject.ask("g", second);
        subject.submit("g", third);
    }

    private void settle(IIII_Result r) {
        r.r2 = subject.crank().waiting();
        r.r1 = subject.hasPlaceNow(second) ? 1 : 0;
        if (r.r1 == 1) {
            subject.giveBack(second);
        }
        subject.crank().turn();
        r.r3 = third.ends();
        r.r4 = subject.damage();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(PermitVsFinish.class)
    @State
    public static class KernelUngated {
        private final PermitVsFinish race = new PermitVsFinish(KernelSubject.ungated(1));

        @Actor
        public void giveBack() {
            race.giveBack();
        }

        @Actor
        public void ask() {
            race.ask();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** One group below a global cap. */
    @JCStressTest
    @JCStressMeta(PermitVsFinish.class)
    @State
    public static class KernelGated {
        private final PermitVsFinish race = new PermitVsFinish(KernelSubject.gated(1, 1));

        @Actor
        public void giveBack() {
            race.giveBack();
        }

        @Actor
        public void ask() {
            race.ask();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** It can be left in line with nobody to give it the place. */
    @JCStressTest
    @JCStressMeta(PermitVsFinish.class)
    @State
    public static class TwinLosesWakeUp {
        private final PermitVsFinish race = new PermitVsFinish(new TwoCounters(1));

        @Actor
        public void giveBack() {
            race.giveBack();
        }

        @Actor
        public void ask() {
            race.ask();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }
}
