package io.github.kobe.stress;

import io.github.kobe.stress.broken.WatchLooksFirst;
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
import org.openjdk.jcstress.infra.results.II_Result;

/** A ticket that does not wait for ever is put in line as the watch looks around for the last time: it is not forgotten. */
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "it expired when its time was over, and did not run")
public final class WatchVsSubmit {

    private final Subject subject;
    private final Job job = Job.expiring(0);
    private final Runnable look;

    private WatchVsSubmit(Subject subject) {
        this.subject = subject;
        subject.submit("g", new Job());
        Job first = Job.expiring(0);
        subject.submit("g", first);
        look = subject.due(Due.LOOK);
        subject.cancel(first); // so that there is nothing to wake up for any more
    }

    private void look() {
        look.run();
    }

    private void submit() {
        subject.submit("g", job);
    }

    private void settle(II_Result r) {
        subject.fire(Due.EXPIRY);
        r.r1 = job.ends();
        r.r2 = job.wasCancelled() ? 1 : 0;
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(WatchVsSubmit.class)
    @State
    public static class KernelUngated {
        private final WatchVsSubmit race = new WatchVsSubmit(KernelSubject.watched(1));

        @Actor
        public void look() {
            race.look();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** The watch can look before it says that it will not wake again. */
    @JCStressTest
    @JCStressMeta(WatchVsSubmit.class)
    @State
    public static class TwinForgets {
        private final WatchVsSubmit race = new WatchVsSubmit(new WatchLooksFirst());

        @Actor
        public void look() {
            race.look();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }
}
