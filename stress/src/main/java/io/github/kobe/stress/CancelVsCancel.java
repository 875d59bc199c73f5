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

/** A ticket in line is cancelled twice at once: one of the two decides. */
@Outcome(
        id = "1, 1, 0",
        expect = Expect.ACCEPTABLE,
        desc = "one was told that it decided, one end, nothing left behind")
public final class CancelVsCancel {

    private final Subject subject;
    private final Job first = new Job();
    private final Job second;
    private final Runnable running;
    private boolean oneWon;
    private boolean otherWon;

    private CancelVsCancel(Subject subject, Job second) {
        this.subject = subject;
        this.second = second;
        subject.submit("g", first);
        running = subject.crank().take();
        subject.submit("g", second);
    }

    private void cancel() {
        oneWon = subject.cancel(second);
    }

    private void cancelToo() {
        otherWon = subject.cancel(second);
    }

    private void settle(III_Result r) {
        running.run();
        subject.crank().turn();
        r.r1 = (oneWon ? 1 : 0) + (otherWon ? 1 : 0);
        r.r2 = second.ends();
        r.r3 = subject.damage();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(CancelVsCancel.class)
    @State
    public static class KernelUngated {
        private final CancelVsCancel race = new CancelVsCancel(KernelSubject.ungated(1), new Job());

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Actor
        public void cancelToo() {
            race.cancelToo();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group below a global cap. */
    @JCStressTest
    @JCStressMeta(CancelVsCancel.class)
    @State
    public static class KernelGated {
        private final CancelVsCancel race = new CancelVsCancel(KernelSubject.gated(1, 1), new Job());

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Actor
        public void cancelToo() {
            race.cancelToo();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group, and an observer. */
    @JCStressTest
    @JCStressMeta(CancelVsCancel.class)
    @State
    public static class KernelObserved {
        private final CancelVsCancel race = new CancelVsCancel(KernelSubject.ungated(1), Job.observed());

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Actor
        public void cancelToo() {
            race.cancelToo();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** Both can find it undecided. */
    @JCStressTest
    @JCStressMeta(CancelVsCancel.class)
    @State
    public static class TwinEndsTwice {
        private final CancelVsCancel race = new CancelVsCancel(new CancelWithoutSwap(), new Job());

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Actor
        public void cancelToo() {
            race.cancelToo();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
