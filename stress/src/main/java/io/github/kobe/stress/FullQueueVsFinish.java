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

/** A ticket comes to a full line that is moving: it is let in and runs, or is refused and never does. */
@Outcome(id = "0, 2, 0, 0", expect = Expect.ACCEPTABLE, desc = "refused")
@Outcome(id = "1, 2, 1, 0", expect = Expect.ACCEPTABLE, desc = "let in, and ran")
public final class FullQueueVsFinish {

    private final Subject subject;
    private final Job first = new Job();
    private final Job second = new Job();
    private final Job third = new Job();
    private final Job late = new Job();
    private final Runnable running;
    private boolean lateIn;

    private FullQueueVsFinish(Subject subject) {
        this.subject = subject;
        subject.submit("g", first);
        running = subject.crank().take();
        subject.submit("g", second);
        subject.submit("g", third);
    }

    private void finish() {
        running.run();
        subject.crank().turn();
    }

    private void submit() {
        lateIn = subject.submit("g", late);
    }

    private void settle(IIII_Result r) {
        subject.crank().turn();
        r.r1 = lateIn ? 1 : 0;
        r.r2 = second.ends() + third.ends();
        r.r3 = late.ends();
        r.r4 = subject.damage();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(FullQueueVsFinish.class)
    @State
    public static class KernelUngated {
        private final FullQueueVsFinish race = new FullQueueVsFinish(KernelSubject.ungated(1));

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

    /** One group below a global cap. */
    @JCStressTest
    @JCStressMeta(FullQueueVsFinish.class)
    @State
    public static class KernelGated {
        private final FullQueueVsFinish race = new FullQueueVsFinish(KernelSubject.gated(1, 1));

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

    /** The ticket can be refused although it has been started. */
    @JCStressTest
    @JCStressMeta(FullQueueVsFinish.class)
    @State
    public static class TwinRefusesTheTaken {
        private final FullQueueVsFinish race = new FullQueueVsFinish(new RefusesTheTaken(KernelSubject.THRESHOLD));

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
