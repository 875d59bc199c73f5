package io.github.kobe.stress;

import io.github.kobe.stress.broken.TerminationMissed;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.KernelSubject;
import io.github.kobe.stress.rig.Subject;
import io.github.kobe.stress.rig.UnlimitedSubject;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** All is closed while the last ticket leaves: one of the two declares the end. */
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "ended; all over")
public final class CloseVsFinish {

    private final Subject subject;
    private final Job job = new Job();
    private final Runnable running;

    private CloseVsFinish(Subject subject) {
        this.subject = subject;
        subject.submit("g", job);
        running = subject.crank().take();
    }

    private void close() {
        subject.close();
    }

    private void finish() {
        running.run();
    }

    private void settle(II_Result r) {
        r.r1 = job.ends();
        r.r2 = subject.isTerminated() ? 1 : 0;
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(CloseVsFinish.class)
    @State
    public static class KernelUngated {
        private final CloseVsFinish race = new CloseVsFinish(KernelSubject.ungated(1));

        @Actor
        public void close() {
            race.close();
        }

        @Actor
        public void finish() {
            race.finish();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** One group below a global cap. */
    @JCStressTest
    @JCStressMeta(CloseVsFinish.class)
    @State
    public static class KernelGated {
        private final CloseVsFinish race = new CloseVsFinish(KernelSubject.gated(1, 1));

        @Actor
        public void close() {
            race.close();
        }

        @Actor
        public void finish() {
            race.finish();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** Where nothing limits how many run. */
    @JCStressTest
    @JCStressMeta(CloseVsFinish.class)
    @State
    public static class KernelUnlimited {
        private final CloseVsFinish race = new CloseVsFinish(new UnlimitedSubject());

        @Actor
        public void close() {
            race.close();
        }

        @Actor
        public void finish() {
            race.finish();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** Each can leave it to the other. */
    @JCStressTest
    @JCStressMeta(CloseVsFinish.class)
    @State
    public static class TwinNeverEnds {
        private final CloseVsFinish race = new CloseVsFinish(new TerminationMissed());

        @Actor
        public void close() {
            race.close();
        }

        @Actor
        public void finish() {
            race.finish();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }
}
