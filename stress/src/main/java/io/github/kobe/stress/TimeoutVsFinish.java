package io.github.kobe.stress;

import io.github.kobe.stress.broken.CancelWithoutSwap;
import io.github.kobe.stress.rig.Due;
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

/** A ticket runs out of time while its work comes to an end: one end, and its place comes back once, to the next in line. */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "one end, the next one ran, nothing left behind")
public final class TimeoutVsFinish {

    private static final int LOOKS = 20;

    private final Subject subject;
    private final Job job;
    private final Job next = new Job();
    private Runnable running;

    private TimeoutVsFinish(Subject subject, int failures) {
        this.subject = subject;
        job = Job.timed(failures);
        subject.submit("g", job);
        running = subject.crank().take();
    }

    /** It is at its second attempt, for which its time runs already. */
    private TimeoutVsFinish again() {
        running.run();
        subject.fire(Due.RETRY);
        running = subject.crank().take();
        return this;
    }

    private TimeoutVsFinish beforeNext() {
        subject.submit("g", next);
        return this;
    }

    private void finish() {
        running.run();
    }

    private void timeOut() {
        for (int i = 0; i < LOOKS && !subject.fire(Due.DEADLINE); i++) {
            Thread.onSpinWait(); // its time runs when its work has begun
        }
    }

    private void settle(III_Result r) {
        subject.crank().turn();
        r.r1 = job.ends();
        r.r2 = next.ends();
        r.r3 = subject.damage();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(TimeoutVsFinish.class)
    @State
    public static class KernelUngated {
        private final TimeoutVsFinish race = new TimeoutVsFinish(KernelSubject.ungated(1), 0).beforeNext();

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void timeOut() {
            race.timeOut();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group, with a watch. */
    @JCStressTest
    @JCStressMeta(TimeoutVsFinish.class)
    @State
    public static class KernelWatched {
        private final TimeoutVsFinish race = new TimeoutVsFinish(KernelSubject.watched(1), 0).beforeNext();

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void timeOut() {
            race.timeOut();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group below a global cap. */
    @JCStressTest
    @JCStressMeta(TimeoutVsFinish.class)
    @State
    public static class KernelGated {
        private final TimeoutVsFinish race = new TimeoutVsFinish(KernelSubject.gated(1, 1), 0).beforeNext();

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void timeOut() {
            race.timeOut();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The second attempt. */
    @JCStressTest
    @JCStressMeta(TimeoutVsFinish.class)
    @State
    public static class KernelAgain {
        private final TimeoutVsFinish race =
                new TimeoutVsFinish(KernelSubject.ungated(1), 1).again().beforeNext();

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void timeOut() {
            race.timeOut();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The second attempt, below a global cap. */
    @JCStressTest
    @JCStressMeta(TimeoutVsFinish.class)
    @State
    public static class KernelGatedAgain {
        private final TimeoutVsFinish race =
                new TimeoutVsFinish(KernelSubject.gated(1, 1), 1).again().beforeNext();

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void timeOut() {
            race.timeOut();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The second attempt, which is to be followed by a third. */
    @JCStressTest
    @JCStressMeta(TimeoutVsFinish.class)
    @State
    public static class KernelFailsAgain {
        private final TimeoutVsFinish race =
                new TimeoutVsFinish(KernelSubject.ungated(1), 2).again().beforeNext();

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void timeOut() {
            race.timeOut();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** Both can find it undecided. */
    @JCStressTest
    @JCStressMeta(TimeoutVsFinish.class)
    @State
    public static class TwinEndsTwice {
        private final TimeoutVsFinish race = new TimeoutVsFinish(new CancelWithoutSwap(), 0).beforeNext();

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void timeOut() {
            race.timeOut();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
