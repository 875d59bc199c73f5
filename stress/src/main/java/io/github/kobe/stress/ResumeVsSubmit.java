package io.github.kobe.stress;

import io.github.kobe.stress.broken.ResizesWithoutCas;
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

/** A paused group goes on while a ticket comes: it runs. */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "ended, one at a time, nothing left behind")
public final class ResumeVsSubmit {

    private final SchedulerUnderTest subject;
    private final RecordingTask job = new RecordingTask();

    private ResumeVsSubmit(SchedulerUnderTest subject) {
        this.subject = subject;
        subject.submit("g", new RecordingTask());
        subject.crank().turn();
        subject.pause();
    }

    private void resume() {
        subject.resume();
    }

    private void submit() {
        subject.submit("g", job);
    }

    private void settle(III_Result r) {
        r.r2 = subject.crank().waiting();
        subject.crank().turn();
        r.r1 = job.ends();
        r.r3 = subject.damage();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(ResumeVsSubmit.class)
    @State
    public static class KernelNoGlobalLimit {
        private final ResumeVsSubmit race = new ResumeVsSubmit(KernelUnderTest.ungated(1));

        @Actor
        public void resume() {
            race.resume();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group below a global cap. */
    @JCStressTest
    @JCStressMeta(ResumeVsSubmit.class)
    @State
    public static class KernelGlobalLimit {
        private final ResumeVsSubmit race = new ResumeVsSubmit(KernelUnderTest.gated(1, 1));

        @Actor
        public void resume() {
            race.resume();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One that is just joining the line can be left there. */
    @JCStressTest
    @JCStressMeta(ResumeVsSubmit.class)
    @State
    public static class TwinLosesWakeUp {
        private final ResumeVsSubmit race = new ResumeVsSubmit(new ResizesWithoutCas(1));

        @Actor
        public void resume() {
            race.resume();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
