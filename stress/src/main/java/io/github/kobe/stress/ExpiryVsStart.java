package io.github.kobe.stress;

import io.github.kobe.stress.broken.PlaceGoesWithCancelled;
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

/** A ticket in line has waited too long when the place that it waits for comes free: it runs or expires, and the next gets its turn. */
@Outcome(
        id = "1, 1, 1, 0",
        expect = Expect.ACCEPTABLE,
        desc = "one end that is true, the next one ran, nothing left behind")
public final class ExpiryVsStart {

    private final Subject subject;
    private final Job second = Job.expiring(0);
    private final Job third = new Job();
    private final Runnable running;
    private final Runnable expiry;

    private ExpiryVsStart(Subject subject) {
        this.subject = subject;
        subject.submit("g", new Job());
        running = subject.crank().take();
        subject.submit("g", second);
        subject.submit("g", third);
        expiry = subject.due(Due.EXPIRY);
    }

    private void finish() {
        running.run();
    }

    private void expire() {
        expiry.run();
    }

    private void settle(IIII_Result r) {
        subject.crank().turn();
        r.r1 = second.ends();
        r.r2 = second.runs() + (second.wasCancelled() ? 1 : 0);
        r.r3 = third.ends();
        r.r4 = subject.damage();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(ExpiryVsStart.class)
    @State
    public static class KernelUngated {
        private final ExpiryVsStart race = new ExpiryVsStart(KernelSubject.ungated(1));

        @Actor
        public void finish() {
            race.finish();
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

    /** One group, with a watch. */
    @JCStressTest
    @JCStressMeta(ExpiryVsStart.class)
    @State
    public static class KernelWatched {
        private final ExpiryVsStart race = new ExpiryVsStart(KernelSubject.watched(1));

        @Actor
        public void finish() {
            race.finish();
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

    /** A group that leaves with its last ticket, with a watch. */
    @JCStressTest
    @JCStressMeta(ExpiryVsStart.class)
    @State
    public static class KernelWatchedRetiring {
        private final ExpiryVsStart race = new ExpiryVsStart(KernelSubject.watchedRetiringAtOnce(1));

        @Actor
        public void finish() {
            race.finish();
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
    @JCStressMeta(ExpiryVsStart.class)
    @State
    public static class KernelGated {
        private final ExpiryVsStart race = new ExpiryVsStart(KernelSubject.gated(1, 1));

        @Actor
        public void finish() {
            race.finish();
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

    /** A group that leaves with its last ticket. */
    @JCStressTest
    @JCStressMeta(ExpiryVsStart.class)
    @State
    public static class KernelRetiring {
        private final ExpiryVsStart race = new ExpiryVsStart(KernelSubject.gatedRetiringAtOnce(1, 1));

        @Actor
        public void finish() {
            race.finish();
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

    /** The place can go to the one that has expired. */
    @JCStressTest
    @JCStressMeta(ExpiryVsStart.class)
    @State
    public static class TwinLosesPlace {
        private final ExpiryVsStart race = new ExpiryVsStart(new PlaceGoesWithCancelled());

        @Actor
        public void finish() {
            race.finish();
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
