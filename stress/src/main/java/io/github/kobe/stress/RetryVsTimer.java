package io.github.kobe.stress;

import io.github.kobe.stress.broken.DelayUnguarded;
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
import org.openjdk.jcstress.infra.results.IIII_Result;

/** The timer has a ticket tried again while somebody puts an end to it: it does not run again, and is in nobody's way. */
@Outcome(id = "1, 1, 0, 0", expect = Expect.ACCEPTABLE, desc = "cancelled, ran once, not in line, nothing left behind")
public final class RetryVsTimer {

    private final Subject subject;
    private final boolean stops;
    private final Job job;
    private final Runnable retry;
    private Runnable running = () -> {};

    private RetryVsTimer(Subject subject, Job job, boolean stops) {
        this.subject = subject;
        this.job = job;
        this.stops = stops;
        subject.submit("g", job);
        subject.crank().turn();
        retry = subject.due(Due.RETRY);
    }

    /** Another one has the place. */
    private RetryVsTimer busy() {
        subject.submit("g", new Job());
        running = subject.crank().take();
        return this;
    }

    private void comeBack() {
        retry.run();
    }

    private void cancel() {
        if (stops) {
            subject.stop("g");
        } else {
            subject.cancel(job);
        }
    }

    private void settle(IIII_Result r) {
        r.r3 = subject.queued();
        running.run();
        subject.crank().turn();
        r.r1 = job.wasCancelled() ? job.ends() : 0;
        r.r2 = job.runs();
        r.r4 = subject.damage();
    }

    /** It gets a place at once. */
    @JCStressTest
    @JCStressMeta(RetryVsTimer.class)
    @State
    public static class KernelUngated {
        private final RetryVsTimer race = new RetryVsTimer(KernelSubject.ungated(1), Job.failing(), false);

        @Actor
        public void comeBack() {
            race.comeBack();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** It has to wait for a place. */
    @JCStressTest
    @JCStressMeta(RetryVsTimer.class)
    @State
    public static class KernelBusy {
        private final RetryVsTimer race = new RetryVsTimer(KernelSubject.ungated(1), Job.failing(), false).busy();

        @Actor
        public void comeBack() {
            race.comeBack();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** It has kept its place. */
    @JCStressTest
    @JCStressMeta(RetryVsTimer.class)
    @State
    public static class KernelInPlace {
        private final RetryVsTimer race = new RetryVsTimer(KernelSubject.ungated(1), Job.failingInPlace(), false);

        @Actor
        public void comeBack() {
            race.comeBack();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** It gets a place at once, below a global cap. */
    @JCStressTest
    @JCStressMeta(RetryVsTimer.class)
    @State
    public static class KernelGated {
        private final RetryVsTimer race = new RetryVsTimer(KernelSubject.gated(1, 1), Job.failing(), false);

        @Actor
        public void comeBack() {
            race.comeBack();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** It has to wait for a place below a global cap. */
    @JCStressTest
    @JCStressMeta(RetryVsTimer.class)
    @State
    public static class KernelGatedBusy {
        private final RetryVsTimer race = new RetryVsTimer(KernelSubject.gated(1, 1), Job.failing(), false).busy();

        @Actor
        public void comeBack() {
            race.comeBack();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** A group that leaves with its last ticket. */
    @JCStressTest
    @JCStressMeta(RetryVsTimer.class)
    @State
    public static class KernelRetiring {
        private final RetryVsTimer race = new RetryVsTimer(KernelSubject.retiringAtOnce(1), Job.failing(), false);

        @Actor
        public void comeBack() {
            race.comeBack();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** The group is stopped. */
    @JCStressTest
    @JCStressMeta(RetryVsTimer.class)
    @State
    public static class KernelStop {
        private final RetryVsTimer race = new RetryVsTimer(KernelSubject.ungated(1), Job.failing(), true);

        @Actor
        public void comeBack() {
            race.comeBack();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** The group is stopped, and it has kept its place. */
    @JCStressTest
    @JCStressMeta(RetryVsTimer.class)
    @State
    public static class KernelStopInPlace {
        private final RetryVsTimer race = new RetryVsTimer(KernelSubject.ungated(1), Job.failingInPlace(), true);

        @Actor
        public void comeBack() {
            race.comeBack();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** It can be started although it has ended. */
    @JCStressTest
    @JCStressMeta(RetryVsTimer.class)
    @State
    public static class TwinRunsAgain {
        private final RetryVsTimer race = new RetryVsTimer(new DelayUnguarded(), Job.failingInPlace(), false);

        @Actor
        public void comeBack() {
            race.comeBack();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }
}
