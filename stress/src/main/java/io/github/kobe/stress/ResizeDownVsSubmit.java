package io.github.kobe.stress;

import io.github.kobe.stress.broken.CapBesideCount;
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

/** The cap goes from two to one while a second ticket comes: once the first has left there is one at a time. */
@Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "one at a time, both ended, the new cap holds")
public final class ResizeDownVsSubmit {

    private final Subject subject;
    private final Job second = new Job();
    private final Job third = new Job();
    private final Runnable running;

    private ResizeDownVsSubmit(Subject subject) {
        this.subject = subject;
        subject.submit("g", new Job());
        running = subject.crank().take();
    }

    private void resize() {
        subject.resize(1);
    }

    private void submit() {
        subject.submit("g", second);
    }

    private void settle(III_Result r) {
        running.run();
        subject.submit("g", third);
        r.r1 = subject.crank().waiting();
        subject.crank().turn();
        r.r2 = second.ends() + third.ends();
        r.r3 = subject.damage();
    }

    /** The cap of a group. */
    @JCStressTest
    @JCStressMeta(ResizeDownVsSubmit.class)
    @State
    public static class KernelUngated {
        private final ResizeDownVsSubmit race = new ResizeDownVsSubmit(KernelSubject.ungated(2));

        @Actor
        public void resize() {
            race.resize();
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

    /** The cap of a group below a global cap. */
    @JCStressTest
    @JCStressMeta(ResizeDownVsSubmit.class)
    @State
    public static class KernelGated {
        private final ResizeDownVsSubmit race = new ResizeDownVsSubmit(KernelSubject.gated(2, 2));

        @Actor
        public void resize() {
            race.resize();
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

    /** The global cap. */
    @JCStressTest
    @JCStressMeta(ResizeDownVsSubmit.class)
    @State
    public static class KernelGate {
        private final ResizeDownVsSubmit race = new ResizeDownVsSubmit(KernelSubject.gateResized(2, 2));

        @Actor
        public void resize() {
            race.resize();
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

    /** The place that is taken can be given away again. */
    @JCStressTest
    @JCStressMeta(ResizeDownVsSubmit.class)
    @State
    public static class TwinExceedsCap {
        private final ResizeDownVsSubmit race = new ResizeDownVsSubmit(new CapBesideCount(2));

        @Actor
        public void resize() {
            race.resize();
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
