package io.github.kobe.stress;

import io.github.kobe.stress.broken.CountsBeforeGlobalLimitApplies;
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

/** A cap over all groups is set where there was none while a ticket leaves: what waits gets its turn, one at a time. */
@Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "one at a time, both ended, the cap holds")
public final class GlobalLimitVsCompletion {

    private final SchedulerUnderTest subject;
    private final RecordingTask second = new RecordingTask();
    private final RecordingTask third = new RecordingTask();
    private final Runnable running;
    private final boolean inLine;

    private GlobalLimitVsCompletion(SchedulerUnderTest subject, boolean inLine) {
        this.subject = subject;
        this.inLine = inLine;
        subject.submit("g", new RecordingTask());
        running = subject.crank().take();
        if (inLine) {
            subject.submit("g", second);
        }
    }

    private void setCap() {
        subject.resize(1);
    }

    private void finish() {
        running.run();
    }

    private void settle(III_Result r) {
        if (!inLine) {
            subject.submit("g", second);
        }
        subject.submit("h", third);
        r.r1 = subject.crank().waiting();
        subject.crank().turn();
        r.r2 = second.ends() + third.ends();
        r.r3 = subject.damage();
    }

    /** The last ticket of its group. */
    @JCStressTest
    @JCStressMeta(GlobalLimitVsCompletion.class)
    @State
    public static class KernelLastTask {
        private final GlobalLimitVsCompletion race = new GlobalLimitVsCompletion(KernelUnderTest.gatedLate(2), false);

        @Actor
        public void setCap() {
            race.setCap();
        }

        @Actor
        public void finish() {
            race.finish();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** Another one is in line. */
    @JCStressTest
    @JCStressMeta(GlobalLimitVsCompletion.class)
    @State
    public static class KernelQueuedTask {
        private final GlobalLimitVsCompletion race = new GlobalLimitVsCompletion(KernelUnderTest.gatedLate(1), true);

        @Actor
        public void setCap() {
            race.setCap();
        }

        @Actor
        public void finish() {
            race.finish();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The place that comes back can be lost. */
    @JCStressTest
    @JCStressMeta(GlobalLimitVsCompletion.class)
    @State
    public static class TwinLosesPermit {
        private final GlobalLimitVsCompletion race =
                new GlobalLimitVsCompletion(new CountsBeforeGlobalLimitApplies(2), false);

        @Actor
        public void setCap() {
            race.setCap();
        }

        @Actor
        public void finish() {
            race.finish();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
