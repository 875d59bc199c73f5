package io.github.kobe.stress;

import io.github.kobe.stress.broken.CancelWithoutSwap;
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

/** A ticket that has its place is cancelled while its thread begins: one end, and who was told that it decided did. */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "one end, decided by one, nothing left behind")
public final class CancelVsBegin {

    private final Subject subject;
    private final Job job;
    private final Runnable thread;
    private boolean won;

    private CancelVsBegin(Subject subject, Job job) {
        this.subject = subject;
        this.job = job;
        subject.submit("g", job);
        thread = subject.crank().take();
    }

    private void run() {
        thread.run();
    }

    private void cancel() {
        won = subject.cancel(job);
    }

    private void settle(III_Result r) {
        r.r1 = job.ends();
        r.r2 = won == job.wasCancelled() ? 1 : 0;
        r.r3 = subject.damage();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(CancelVsBegin.class)
    @State
    public static class KernelUngated {
        private final CancelVsBegin race = new CancelVsBegin(KernelSubject.ungated(1), new Job());

        @Actor
        public void run() {
            race.run();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group below a global cap. */
    @JCStressTest
    @JCStressMeta(CancelVsBegin.class)
    @State
    public static class KernelGated {
        private final CancelVsBegin race = new CancelVsBegin(KernelSubject.gated(1, 1), new Job());

        @Actor
        public void run() {
            race.run();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group, and an observer. */
    @JCStressTest
    @JCStressMeta(CancelVsBegin.class)
    @State
    public static class KernelObserved {
        private final CancelVsBegin race = new CancelVsBegin(KernelSubject.ungated(1), Job.observed());

        @Actor
        public void run() {
            race.run();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** Both can find it undecided. */
    @JCStressTest
    @JCStressMeta(CancelVsBegin.class)
    @State
    public static class TwinEndsTwice {
        private final CancelVsBegin race = new CancelVsBegin(new CancelWithoutSwap(), new Job());

        @Actor
        public void run() {
            race.run();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
