package io.github.kobe.stress;

import io.github.kobe.stress.broken.CountsPermitsWithoutCas;
import io.github.kobe.stress.rig.KernelUnderTest;
import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two groups that each have one running and one waiting finish at once: both of those that wait start. */
@Outcome(id = "2, 2, 0", expect = Expect.ACCEPTABLE, desc = "both started, both ended, nothing left behind")
public final class CompletionVsCompletion {

    private final SchedulerUnderTest subject;
    private final RecordingTask third = new RecordingTask();
    private final RecordingTask fourth = new RecordingTask();
    private final Runnable running;
    private final Runnable alsoRunning;

    private CompletionVsCompletion(SchedulerUnderTest subject) {
        this.subject = subject;
        subject.submit("g", new RecordingTask());
        subject.submit("h", new RecordingTask());
        running = subject.crank().take();
        alsoRunning = subject.crank().take();
        subject.submit("g", third);
        subject.submit("h", fourth);
    }

    private void finish() {
        running.run();
    }

    private void finishOther() {
        alsoRunning.run();
    }

    private void settle(III_Result r) {
        r.r1 = subject.crank().waiting();
        subject.crank().turn();
        r.r2 = third.ends() + fourth.ends();
        r.r3 = subject.damage();
    }

    /** Each group has a place, and there are two in all. */
    @JCStressTest
    @JCStressMeta(CompletionVsCompletion.class)
    @State
    public static class KernelTwoGroups {
        private final CompletionVsCompletion race = new CompletionVsCompletion(KernelUnderTest.gated(1, 2));

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void finishOther() {
            race.finishOther();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** Of two places that come back one can be lost. */
    @JCStressTest
    @JCStressMeta(CompletionVsCompletion.class)
    @State
    public static class TwinLosesPermit {
        private final CompletionVsCompletion race = new CompletionVsCompletion(new CountsPermitsWithoutCas(2));

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void finishOther() {
            race.finishOther();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
