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
import org.openjdk.jcstress.infra.results.IIII_Result;

/** A cap over all groups is set where there was none while a ticket in line is cancelled: both count it once. */
@Outcome(
        id = "1, 1, 1, 0",
        expect = Expect.ACCEPTABLE,
        desc = "one end, one at a time, the next one ended, the cap holds")
public final class GateVsCancel {

    private final Subject subject;
    private final Job second = new Job();
    private final Job third = new Job();
    private final Runnable running;

    private GateVsCancel(Subject subject) {
        this.subject = subject;
        subject.submit("g", new Job());
        running = subject.crank().take();
        subject.submit("g", second);
        subject.submit("g", third);
    }

    private void setCap() {
        subject.resize(1);
    }

    private void cancel() {
        subject.cancel(second);
    }

    private void settle(IIII_Result r) {
        running.run();
        r.r2 = subject.crank().waiting();
        subject.crank().turn();
        r.r1 = second.runs() == 0 ? second.ends() : 0;
        r.r3 = third.ends();
        r.r4 = subject.damage();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(GateVsCancel.class)
    @State
    public static class KernelUngated {
        private final GateVsCancel race = new GateVsCancel(KernelSubject.gatedLate(1));

        @Actor
        public void setCap() {
            race.setCap();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** The cap can count one that is gone. */
    @JCStressTest
    @JCStressMeta(GateVsCancel.class)
    @State
    public static class TwinCountsTheGone {
        private final GateVsCancel race = new GateVsCancel(new GateCountsFirst(1));

        @Actor
        public void setCap() {
            race.setCap();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }
}
