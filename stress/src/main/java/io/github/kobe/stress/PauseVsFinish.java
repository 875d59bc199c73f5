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
import org.openjdk.jcstress.infra.results.IIII_Result;

/** A group is paused while its ticket leaves: at most the one that had the place by then runs, and all go on later. */
@Outcome(
        id = "1, 1, 1, 0",
        expect = Expect.ACCEPTABLE,
        desc = "never two at once, the last one waited, then ran, nothing left behind")
public final class PauseVsFinish {

    private final Subject subject;
    private final Job last = new Job();
    private final Runnable running;

    private PauseVsFinish(Subject subject) {
        this.subject = subject;
        subject.submit("g", new Job());
        running = subject.crank().take();
    }

    /** Another one is in line. */
    private PauseVsFinish withNext() {
        subject.submit("g", new Job());
        return this;
    }

    private void pause() {
        subject.pause();
    }

    private void finish() {
        running.run();
    }

    private void settle(IIII_Result r) {
        subject.submit("g", last);
        r.r1 = subject.crank().waiting() <= 1 ? 1 : 0;
        subject.crank().turn();
        r.r2 = last.runs() == 0 ? 1 : 0;
        subject.resume();
        subject.crank().turn();
        r.r3 = last.ends();
        r.r4 = subject.damage();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(PauseVsFinish.class)
    @State
    public static class KernelUngated {
        private final PauseVsFinish race = new PauseVsFinish(KernelSubject.ungated(1));

        @Actor
        public void pause() {
            race.pause();
        }

        @Actor
        public void finish() {
            race.finish();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** One group, with another ticket in line. */
    @JCStressTest
    @JCStressMeta(PauseVsFinish.class)
    @State
    public static class KernelNext {
        private final PauseVsFinish race = new PauseVsFinish(KernelSubject.ungated(1)).withNext();

        @Actor
        public void pause() {
            race.pause();
        }

        @Actor
        public void finish() {
            race.finish();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** One group below a global cap. */
    @JCStressTest
    @JCStressMeta(PauseVsFinish.class)
    @State
    public static class KernelGated {
        private final PauseVsFinish race = new PauseVsFinish(KernelSubject.gated(1, 1));

        @Actor
        public void pause() {
            race.pause();
        }

        @Actor
        public void finish() {
            race.finish();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** One group below a global cap, with another ticket in line. */
    @JCStressTest
    @JCStressMeta(PauseVsFinish.class)
    @State
    public static class KernelGatedNext {
        private final PauseVsFinish race = new PauseVsFinish(KernelSubject.gated(1, 1)).withNext();

        @Actor
        public void pause() {
            race.pause();
        }

        @Actor
        public void finish() {
            race.finish();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** The place that comes back can be lost. */
    @JCStressTest
    @JCStressMeta(PauseVsFinish.class)
    @State
    public static class TwinLosesPlace {
        private final PauseVsFinish race = new PauseVsFinish(new CapBesideCount(1));

        @Actor
        public void pause() {
            race.pause();
        }

        @Actor
        public void finish() {
            race.finish();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }
}
