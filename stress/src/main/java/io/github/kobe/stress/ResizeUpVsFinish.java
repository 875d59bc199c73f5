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

/** The cap goes from one to two while the only one that runs leaves: both that wait start. */
@Outcome(id = "2, 2, 0", expect = Expect.ACCEPTABLE, desc = "both started, both ended, the new cap holds")
public final class ResizeUpVsFinish {

    private final Subject subject;
    private final Job second = new Job();
    private final Job third = new Job();
    private final Runnable running;

    private ResizeUpVsFinish(Subject subject) {
        this.subject = subject;
        subject.submit("g", new Job());
        running = subject.crank().take();
        subject.submit("g", second);
        subject.submit("g", third);
    }

    private void resize() {
        subject.resize(2);
    }

    private void finish() {
        running.run();
    }

    private void settle(III_Result r) {
        r.r1 = subject.crank().waiting();
        subject.crank().turn();
        r.r2 = second.ends() + third.ends();
        r.r3 = subject.damage();
    }

    /** The cap of a group. */
    @JCStressTest
    @JCStressMeta(ResizeUpVsFinish.class)
    @State
    public static class KernelUngated {
        private final ResizeUpVsFinish race = new ResizeUpVsFinish(KernelSubject.ungated(1));

        @Actor
        public void resize() {
            race.resize();
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

    /** The cap of a group below a global cap. */
    @JCStressTest
    @JCStressMeta(ResizeUpVsFinish.class)
    @State
    public static class KernelGated {
        private final ResizeUpVsFinish race = new ResizeUpVsFinish(KernelSubject.gated(1, 2));

        @Actor
        public void resize() {
            race.resize();
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

    /** The global cap. */
    @JCStressTest
    @JCStressMeta(ResizeUpVsFinish.class)
    @State
    public static class KernelGate {
        private final ResizeUpVsFinish race = new ResizeUpVsFinish(KernelSubject.gateResized(2, 1));

        @Actor
        public void resize() {
            race.resize();
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

    /** The place that comes back can be overwritten. */
    @JCStressTest
    @JCStressMeta(ResizeUpVsFinish.class)
    @State
    public static class TwinLosesPlace {
        private final ResizeUpVsFinish race = new ResizeUpVsFinish(new CapBesideCount(1));

        @Actor
        public void resize() {
            race.resize();
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
