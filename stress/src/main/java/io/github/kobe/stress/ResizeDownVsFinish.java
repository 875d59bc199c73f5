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

/**
 * The cap goes from two to one while one of two leaves and another waits: when the second has left too, the one that waits
 * runs, alone.
 */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "one at a time, ended, the new cap holds")
public final class ResizeDownVsFinish {

    private final Subject subject;
    private final Job waiting = new Job();
    private final Runnable running;
    private final Runnable alsoRunning;

    private ResizeDownVsFinish(Subject subject) {
        this.subject = subject;
        subject.submit("g", new Job());
        subject.submit("g", new Job());
        running = subject.crank().take();
        alsoRunning = subject.crank().take();
        subject.submit("g", waiting);
    }

    private void resize() {
        subject.resize(1);
    }

    private void finish() {
        running.run();
    }

    private void settle(III_Result r) {
        alsoRunning.run();
        r.r1 = subject.crank().waiting();
        subject.crank().turn();
        r.r2 = waiting.ends();
        r.r3 = subject.damage();
    }

    /** The cap of a group. */
    @JCStressTest
    @JCStressMeta(ResizeDownVsFinish.class)
    @State
    public static class KernelUngated {
        private final ResizeDownVsFinish race = new ResizeDownVsFinish(KernelSubject.ungated(2));

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
    @JCStressMeta(ResizeDownVsFinish.class)
    @State
    public static class KernelGated {
        private final ResizeDownVsFinish race = new ResizeDownVsFinish(KernelSubject.gated(2, 2));

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
    @JCStressMeta(ResizeDownVsFinish.class)
    @State
    public static class KernelGate {
        private final ResizeDownVsFinish race = new ResizeDownVsFinish(KernelSubject.gateResized(2, 2));

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
    @JCStressMeta(ResizeDownVsFinish.class)
    @State
    public static class TwinLosesPlace {
        private final ResizeDownVsFinish race = new ResizeDownVsFinish(new CapBesideCount(2));

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
