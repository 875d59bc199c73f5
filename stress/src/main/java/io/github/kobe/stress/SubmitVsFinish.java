package io.github.kobe.stress;

import io.github.kobe.stress.broken.TwoCounters;
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

/** A ticket comes while the one that holds the only place leaves: it starts, and not before the other is done. */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "ended once, ran after the first, nothing left behind")
public final class SubmitVsFinish {

    private final Subject subject;
    private final String group;
    private final Job first = new Job();
    private final Job second = new Job(first);
    private final Runnable running;

    private SubmitVsFinish(Subject subject, String group) {
        this.subject = subject;
        this.group = group;
        subject.submit("g", first);
        running = subject.crank().take();
    }

    private void finish() {
        running.run();
    }

    private void submit() {
        subject.submit(group, second);
        subject.crank().turn();
    }

    private void settle(III_Result r) {
        subject.crank().turn();
        r.r1 = second.ends();
        r.r2 = second.ranInOrder() ? 1 : 0;
        r.r3 = subject.damage();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(SubmitVsFinish.class)
    @State
    public static class KernelUngated {
        private final SubmitVsFinish race = new SubmitVsFinish(KernelSubject.ungated(1), "g");

        @Actor
        public void finish() {
            race.finish();
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

    /** One group below a global cap. */
    @JCStressTest
    @JCStressMeta(SubmitVsFinish.class)
    @State
    public static class KernelGated {
        private final SubmitVsFinish race = new SubmitVsFinish(KernelSubject.gated(1, 1), "g");

        @Actor
        public void finish() {
            race.finish();
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

    /** Two groups, one place for both. */
    @JCStressTest
    @JCStressMeta(SubmitVsFinish.class)
    @State
    public static class KernelTwoGroups {
        private final SubmitVsFinish race = new SubmitVsFinish(KernelSubject.gated(1, 1), "h");

        @Actor
        public void finish() {
            race.finish();
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

    /** The second can be left in line with nobody to start it. */
    @JCStressTest
    @JCStressMeta(SubmitVsFinish.class)
    @State
    public static class TwinLosesWakeUp {
        private final SubmitVsFinish race = new SubmitVsFinish(new TwoCounters(1), "g");

        @Actor
        public void finish() {
            race.finish();
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
