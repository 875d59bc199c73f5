package io.github.kobe.stress;

import io.github.kobe.stress.broken.DelayUnguarded;
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
import org.openjdk.jcstress.infra.results.III_Result;

/** An attempt fails, and its ticket begins to wait for the next one, while somebody puts an end to it: what it has goes back, once. */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "cancelled, the next one ran, nothing left behind")
public final class RetryVsCancel {

    private final Subject subject;
    private final boolean stops;
    private final Job job;
    private final Job next = new Job();
    private final Runnable running;

    private RetryVsCancel(Subject subject, Job job, boolean stops) {
        this.subject = subject;
        this.job = job;
        this.stops = stops;
        subject.submit("g", job);
        running = subject.crank().take();
    }

    private void fail() {
        running.run();
    }

    private void cancel() {
        if (stops) {
            subject.stop("g");
        } else {
            subject.cancel(job);
        }
    }

    private void settle(III_Result r) {
        subject.submit("g", next);
        subject.crank().turn();
        r.r1 = job.wasCancelled() ? job.ends() : 0;
        r.r2 = next.ends();
        r.r3 = subject.damage();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(RetryVsCancel.class)
    @State
    public static class KernelUngated {
        private final RetryVsCancel race = new RetryVsCancel(KernelSubject.ungated(1), Job.failing(), false);

        @Actor
        public void fail() {
            race.fail();
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

    /** It keeps its place. */
    @JCStressTest
    @JCStressMeta(RetryVsCancel.class)
    @State
    public static class KernelInPlace {
        private final RetryVsCancel race = new RetryVsCancel(KernelSubject.ungated(1), Job.failingInPlace(), false);

        @Actor
        public void fail() {
            race.fail();
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
    @JCStressMeta(RetryVsCancel.class)
    @State
    public static class KernelGated {
        private final RetryVsCancel race = new RetryVsCancel(KernelSubject.gated(1, 1), Job.failing(), false);

        @Actor
        public void fail() {
            race.fail();
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

    /** It keeps its place below a global cap. */
    @JCStressTest
    @JCStressMeta(RetryVsCancel.class)
    @State
    public static class KernelGatedInPlace {
        private final RetryVsCancel race = new RetryVsCancel(KernelSubject.gated(1, 1), Job.failingInPlace(), false);

        @Actor
        public void fail() {
            race.fail();
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

    /** A group that leaves with its last ticket. */
    @JCStressTest
    @JCStressMeta(RetryVsCancel.class)
    @State
    public static class KernelRetiring {
        private final RetryVsCancel race = new RetryVsCancel(KernelSubject.retiringAtOnce(1), Job.failing(), false);

        @Actor
        public void fail() {
            race.fail();
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

    /** A group that leaves with its last ticket, which keeps its place. */
    @JCStressTest
    @JCStressMeta(RetryVsCancel.class)
    @State
    public static class KernelRetiringInPlace {
        private final RetryVsCancel race =
                new RetryVsCancel(KernelSubject.retiringAtOnce(1), Job.failingInPlace(), false);

        @Actor
        public void fail() {
            race.fail();
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

    /** The group is stopped. */
    @JCStressTest
    @JCStressMeta(RetryVsCancel.class)
    @State
    public static class KernelStop {
        private final RetryVsCancel race = new RetryVsCancel(KernelSubject.ungated(1), Job.failing(), true);

        @Actor
        public void fail() {
            race.fail();
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

    /** The group is stopped, and it keeps its place. */
    @JCStressTest
    @JCStressMeta(RetryVsCancel.class)
    @State
    public static class KernelStopInPlace {
        private final RetryVsCancel race = new RetryVsCancel(KernelSubject.ungated(1), Job.failingInPlace(), true);

        @Actor
        public void fail() {
            race.fail();
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

    /** Where nothing limits how many run. */
    @JCStressTest
    @JCStressMeta(RetryVsCancel.class)
    @State
    public static class KernelUnlimited {
        private final RetryVsCancel race = new RetryVsCancel(new UnlimitedSubject(), Job.failing(), false);

        @Actor
        public void fail() {
            race.fail();
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

    /** The place can stay with one that is over. */
    @JCStressTest
    @JCStressMeta(RetryVsCancel.class)
    @State
    public static class TwinKeepsPlace {
        private final RetryVsCancel race = new RetryVsCancel(new DelayUnguarded(), Job.failingInPlace(), false);

        @Actor
        public void fail() {
            race.fail();
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
