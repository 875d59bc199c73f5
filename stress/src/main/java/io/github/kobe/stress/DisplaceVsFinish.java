package io.github.kobe.stress;

import io.github.kobe.stress.broken.RefusesTheTaken;
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

/** A ticket comes that may take the place in line of the oldest while that is about to start: it is let in, and each of those in line runs or makes room. */
@Outcome(id = "1, 1, 1, 0", expect = Expect.ACCEPTABLE, desc = "let in, ran, all ends are true, nothing left behind")
public final class DisplaceVsFinish {

    private final Subject subject;
    private final Job[] inLine;
    private final Job late = new Job();
    private final Runnable running;
    private boolean lateIn;

    private DisplaceVsFinish(Subject subject, Job... inLine) {
        this.subject = subject;
        this.inLine = inLine;
        subject.submit("g", new Job());
        running = subject.crank().take();
        for (Job job : inLine) {
            subject.submit("g", job);
        }
    }

    private void finish() {
        running.run();
    }

    private void submit() {
        lateIn = subject.submitDisplacing("g", late);
    }

    private void settle(IIII_Result r) {
        subject.crank().turn();
        r.r1 = lateIn ? 1 : 0;
        r.r2 = late.runs() == 1 ? late.ends() : 0;
        r.r3 = 1;
        for (Job job : inLine) {
            if (job.ends() != 1 || job.runs() != (job.wasCancelled() ? 0 : 1)) {
                r.r3 = 0;
            }
        }
        r.r4 = subject.damage();
    }

    /** Two are in line. */
    @JCStressTest
    @JCStressMeta(DisplaceVsFinish.class)
    @State
    public static class KernelUngated {
        private final DisplaceVsFinish race = new DisplaceVsFinish(KernelSubject.ungated(1), new Job(), new Job());

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** One is in line. */
    @JCStressTest
    @JCStressMeta(DisplaceVsFinish.class)
    @State
    public static class KernelLastInLine {
        private final DisplaceVsFinish race = new DisplaceVsFinish(KernelSubject.narrow(1), new Job());

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** Those in line have wishes. */
    @JCStressTest
    @JCStressMeta(DisplaceVsFinish.class)
    @State
    public static class KernelPlanned {
        private final DisplaceVsFinish race =
                new DisplaceVsFinish(KernelSubject.ungated(1), Job.expiring(0), Job.expiring(0));

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** Two are in line below a global cap. */
    @JCStressTest
    @JCStressMeta(DisplaceVsFinish.class)
    @State
    public static class KernelGated {
        private final DisplaceVsFinish race = new DisplaceVsFinish(KernelSubject.gated(1, 1), new Job(), new Job());

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** One that has started can be turned away. */
    @JCStressTest
    @JCStressMeta(DisplaceVsFinish.class)
    @State
    public static class TwinDisplacesTheStarted {
        private final DisplaceVsFinish race =
                new DisplaceVsFinish(new RefusesTheTaken(KernelSubject.THRESHOLD), new Job(), new Job());

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }
}
