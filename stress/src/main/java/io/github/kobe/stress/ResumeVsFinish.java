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

/** A paused group goes on while its ticket leaves: the next one runs, after it. */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "ended, in order, nothing left behind")
public final class ResumeVsFinish {

    private final Subject subject;
    private final Job first = new Job();
    private final Job second = new Job(first);
    private final Runnable running;

    private ResumeVsFinish(Subject subject) {
        this.subject = subject;
        subject.submit("g", first);
        running = subject.crank().take();
        subject.submit("g", second);
        subject.pause();
    }

    private void resume() {
        subject.resume();
        subject.crank().turn();
    }

    private void finish() {
        running.run();
    }

    private void settle(III_Result r) {
        subject.crank().turn();
        r.r1 = second.ends();
        r.r2 = second.ranInOrder() ? 1 : 0;
        r.r3 = subject.damage();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(ResumeVsFinish.class)
    @State
    public static class KernelUngated {
        private final ResumeVsFinish race = new ResumeVsFinish(KernelSubject.ungated(1));

        @Actor
        public void resume() {
            race.resume();
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

    /** One group below a global cap. */
    @JCStressTest
    @JCStressMeta(ResumeVsFinish.class)
    @State
    public static class KernelGated {
        private final ResumeVsFinish race = new ResumeVsFinish(KernelSubject.gated(1, 1));

        @Actor
        public void resume() {
            race.resume();
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
    @JCStressMeta(ResumeVsFinish.class)
    @State
    public static class TwinLosesPlace {
        private final ResumeVsFinish race = new ResumeVsFinish(new CapBesideCount(1));

        @Actor
        public void resume() {
            race.resume();
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
