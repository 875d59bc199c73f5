package io.github.kobe.stress;

import io.github.kobe.stress.broken.GateCountsFirst;
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

/** A cap over all groups is set where there was none while a ticket leaves: what waits gets its turn, one at a time. */
@Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "one at a time, both ended, the cap holds")
public final class GateVsFinish {

    private final Subject subject;
    private final Job second = new Job();
    private final Job third = new Job();
    private final Runnable running;
    private final boolean inLine;

    private GateVsFinish(Subject subject, boolean inLine) {
        this.subject = subject;
        this.inLine = inLine;
        subject.submit("g", new Job());
        running = subject.crank().take();
        if (inLine) {
            subject.submit("g", second);
        }
    }

    private void setCap() {
        subject.resize(1);
    }

    private void finish() {
        running.run();
    }

    private void settle(III_Result r) {
        if (!inLine) {
            subject.submit("g", second);
        }
        subject.submit("h", third);
        r.r1 = subject.crank().waiting();
        subject.crank().turn();
        r.r2 = second.ends() + third.ends();
        r.r3 = subject.damage();
    }

    /** The last ticket of its group. */
    @JCStressTest
    @JCStressMeta(GateVsFinish.class)
    @State
    public static class KernelAlone {
        private final GateVsFinish race = new GateVsFinish(KernelSubject.gatedLate(2), false);

        @Actor
        public void setCap() {
            race.setCap();
        }

        @Actor
        public void finish() {
            race.finish();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** Another one is in line. */
    @JCStressTest
    @JCStressMeta(GateVsFinish.class)
    @State
    public static class KernelNext {
        private final GateVsFinish race = new GateVsFinish(KernelSubject.gatedLate(1), true);

        @Actor
        public void setCap() {
            race.setCap();
        }

        @Actor
        public void finish() {
            race.finish();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The place that comes back can be lost. */
    @JCStressTest
    @JCStressMeta(GateVsFinish.class)
    @State
    public static class TwinLosesPlace {
        private final GateVsFinish race = new GateVsFinish(new GateCountsFirst(2), false);

        @Actor
        public void setCap() {
            race.setCap();
        }

        @Actor
        public void finish() {
            race.finish();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
