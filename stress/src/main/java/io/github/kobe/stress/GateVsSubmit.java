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

/** A cap over all groups is set where there was none while a ticket comes: once the first has left there is one at a time. */
@Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "one at a time, both ended, the cap holds")
public final class GateVsSubmit {

    private final Subject subject;
    private final String group;
    private final Job second = new Job();
    private final Job third = new Job();
    private final Runnable running;

    private GateVsSubmit(Subject subject, String group) {
        this.subject = subject;
        this.group = group;
        subject.submit("g", new Job());
        running = subject.crank().take();
    }

    private void setCap() {
        subject.resize(1);
    }

    private void submit() {
        subject.submit(group, second);
    }

    private void settle(III_Result r) {
        running.run();
        subject.submit("g", third);
        r.r1 = subject.crank().waiting();
        subject.crank().turn();
        r.r2 = second.ends() + third.ends();
        r.r3 = subject.damage();
    }

    /** The ticket finds a place in its group. */
    @JCStressTest
    @JCStressMeta(GateVsSubmit.class)
    @State
    public static class KernelStart {
        private final GateVsSubmit race = new GateVsSubmit(KernelSubject.gatedLate(2), "g");

        @Actor
        public void setCap() {
            race.setCap();
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

    /** The ticket has to wait in its group. */
    @JCStressTest
    @JCStressMeta(GateVsSubmit.class)
    @State
    public static class KernelEnqueue {
        private final GateVsSubmit race = new GateVsSubmit(KernelSubject.gatedLate(1), "g");

        @Actor
        public void setCap() {
            race.setCap();
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

    /** The ticket makes its group. */
    @JCStressTest
    @JCStressMeta(GateVsSubmit.class)
    @State
    public static class KernelNewGroup {
        private final GateVsSubmit race = new GateVsSubmit(KernelSubject.gatedLate(1), "h");

        @Actor
        public void setCap() {
            race.setCap();
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

    /** The cap can miss one that is just starting. */
    @JCStressTest
    @JCStressMeta(GateVsSubmit.class)
    @State
    public static class TwinMissesTheLate {
        private final GateVsSubmit race = new GateVsSubmit(new GateCountsFirst(2), "g");

        @Actor
        public void setCap() {
            race.setCap();
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
