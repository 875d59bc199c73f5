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

/** A ticket starts as its time to wait runs out, and fails: it has expired and never runs, or is tried again. */
@Outcome(id = "1, 0, 1, 0", expect = Expect.ACCEPTABLE, desc = "expired")
@Outcome(id = "1, 2, 0, 0", expect = Expect.ACCEPTABLE, desc = "ran twice")
public final class ExpiryVsRetry {

    private final Subject subject;
    private final Job job = Job.expiring(1);
    private final Runnable running;
    private final Runnable expiry;

    private ExpiryVsRetry(Subject subject) {
        this.subject = subject;
        subject.submit("g", new Job());
        running = subject.crank().take();
        subject.submit("g", job);
        expiry = subject.due(Due.EXPIRY);
    }

    private void run() {
        running.run();
        subject.crank().turn();
    }

    private void expire() {
        expiry.run();
    }

    private void settle(IIII_Result r) {
        subject.fire(Due.RETRY);
        subject.crank().turn();
        r.r1 = job.ends();
        r.r2 = job.runs();
        r.r3 = job.wasCancelled() ? 1 : 0;
        r.r4 = subject.damage();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(ExpiryVsRetry.class)
    @State
    public static class KernelUngated {
        private final ExpiryVsRetry race = new ExpiryVsRetry(KernelSubject.ungated(1));

        @Actor
        public void run() {
            race.run();
        }

        @Actor
        public void expire() {
            race.expire();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** One group below a global cap. */
    @JCStressTest
    @JCStressMeta(ExpiryVsRetry.class)
    @State
    public static class KernelGated {
        private final ExpiryVsRetry race = new ExpiryVsRetry(KernelSubject.gated(1, 1));

        @Actor
        public void run() {
            race.run();
        }

        @Actor
        public void expire() {
            race.expire();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** It can expire although it has run. */
    @JCStressTest
    @JCStressMeta(ExpiryVsRetry.class)
    @State
    public static class TwinExpiresLate {
        private final ExpiryVsRetry race = new ExpiryVsRetry(new DelayUnguarded());

        @Actor
        public void run() {
            race.run();
        }

        @Actor
        public void expire() {
            race.expire();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }
}
