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
import org.openjdk.jcstress.infra.results.IIII_Result;

/** A cap over all groups is set where there was none while a ticket in line is cancelled: both count it once. */
@Outcome(
        id = "1, 1, 1, 0",
        expect = Expect.ACCEPTABLE,
        desc = "one end, one at a time, the next one ended, the cap holds")
public final class GlobalLimitVsCancel {

    private final SchedulerUnderTest subject;
    private final RecordingTask second = new RecordingTask();
    private final RecordingTask third = new RecordingTask();
    private final Runnable running;

    private GlobalLimitVsCancel(SchedulerUnderTest subject) {
        this.subject = subject;
        subject.submit("g", new RecordingTask());
        running = subject.crank().take();
        subject.submit("g", second);
        subject.submit("g", third);
    }

    private void setCap() {
        subject.resize(1);
    }

    private void cancel() {
        subject.cancel(second);
    }

    private void settle(IIII_Result r) {
        running.run();
        r.r2 = subject.crank().waiting();
        subject.crank().turn();
        r.r1 = second.runs() == 0 ? second.ends() : 0;
        r.r3 = third.ends();
        r.r4 = subject.damage();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(GlobalLimitVsCancel.class)
    @State
    public static class KernelNoGlobalLimit {
        private final GlobalLimitVsCancel race = new GlobalLimitVsCancel(KernelUnderTest.gatedLate(1));

        @Actor
        public void setCap() {
            race.setCap();
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

    /** The cap can count one that is gone. */
    @JCStressTest
    @JCStressMeta(GlobalLimitVsCancel.class)
    @State
    public static class TwinCountsCancelledTask {
        private final GlobalLimitVsCancel race = new GlobalLimitVsCancel(new CountsBeforeGlobalLimitApplies(1));

        @Actor
        public void setCap() {
            race.setCap();
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
