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

/** The cap goes from one to two while a second ticket comes: it starts without a third to push it. */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "started, ended, the new cap holds")
public final class ResizeUpVsSubmit {

    private final Subject subject;
    private final Job second = new Job();
    private final Runnable running;

    private ResizeUpVsSubmit(Subject subject) {
        this.subject = subject;
        subject.submit("g", new Job());
        running = subject.crank().take();
    }

    private void resize() {
        subject.resize(2);
    }

    private void submit() {
        subject.submit("g", second);
    }

    private void settle(III_Result r) {
        r.r1 = subject.crank().waiting();
        running.run();
        subject.crank().turn();
        r.r2 = second.ends();
        r.r3 = subject.damage();
    }

    /** The cap of a group. */
    @JCStressTest
    @JCStressMeta(ResizeUpVsSubmit.class)
    @State
    public static class KernelUngated {
        private final ResizeUpVsSubmit race = new ResizeUpVsSubmit(KernelSubject.ungated(1));

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
    @JCStressMeta(ResizeUpVsSubmit.class)
    @State
    public static class KernelGated {
        private final ResizeUpVsSubmit race = new ResizeUpVsSubmit(KernelSubject.gated(1, 2));

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
    @JCStressMeta(ResizeUpVsSubmit.class)
    @State
    public static class KernelGate {
        private final ResizeUpVsSubmit race = new ResizeUpVsSubmit(KernelSubject.gateResized(2, 1));

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

    /** The look at the line can come too early for it. */
    @JCStressTest
    @JCStressMeta(ResizeUpVsSubmit.class)
    @State
    public static class TwinLosesWakeUp {
        private final ResizeUpVsSubmit race = new ResizeUpVsSubmit(new CapBesideCount(1));

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
