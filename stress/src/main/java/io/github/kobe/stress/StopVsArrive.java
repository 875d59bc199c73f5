package io.github.kobe.stress;

import io.github.kobe.stress.broken.StopScansFirst;
import io.github.kobe.stress.rig.KernelSubject;
import io.github.kobe.stress.rig.PausingJob;
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

/** A ticket arrives on its thread while its group is stopped: the stop sees it or it sees the stop, and it never runs. */
@Outcome(id = "1, 0, 0", expect = Expect.ACCEPTABLE, desc = "one end, never ran, nothing left behind")
public final class StopVsArrive {

    private final Subject subject;
    private final PausingJob job = new PausingJob();
    private final Runnable thread;

    private StopVsArrive(Subject subject) {
        this.subject = subject;
        subject.submit("g", job);
        thread = subject.crank().take();
    }

    private void arrive() {
        thread.run();
    }

    private void stop() {
        subject.stop("g");
    }

    private void settle(III_Result r) {
        job.goOn();
        r.r1 = job.ends();
        r.r2 = job.runs();
        r.r3 = subject.damage();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(StopVsArrive.class)
    @State
    public static class KernelUngated {
        private final StopVsArrive race = new StopVsArrive(KernelSubject.ungated(1));

        @Actor
        public void arrive() {
            race.arrive();
        }

        @Actor
        public void stop() {
            race.stop();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** Where nothing limits how many run. */
    @JCStressTest
    @JCStressMeta(StopVsArrive.class)
    @State
    public static class KernelUnlimited {
        private final StopVsArrive race = new StopVsArrive(new UnlimitedSubject());

        @Actor
        public void arrive() {
            race.arrive();
        }

        @Actor
        public void stop() {
            race.stop();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** Each can look before the other has shown itself. */
    @JCStressTest
    @JCStressMeta(StopVsArrive.class)
    @State
    public static class TwinMissesArrival {
        private final StopVsArrive race = new StopVsArrive(new StopScansFirst());

        @Actor
        public void arrive() {
            race.arrive();
        }

        @Actor
        public void stop() {
            race.stop();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
