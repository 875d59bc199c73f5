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

    private final SchedulerUnderTest scheduler;
    private final RecordingTask task = new RecordingTask();

    private ResumeVsSubmit(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", new RecordingTask());
        scheduler.runner().runAll();
        scheduler.pause();
    }

    private void resume() {
        scheduler.resume();
    }

    private void submit() {
        scheduler.submit("g", task);
    }

    private void settle(III_Result r) {
        r.r2 = scheduler.runner().startedCount();
        scheduler.runner().runAll();
        r.r1 = task.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(ResumeVsSubmit.class)
    @State
    public static class KernelNoGlobalLimit {
        private final ResumeVsSubmit race = new ResumeVsSubmit(KernelUnderTest.noGlobalLimit(1));

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
        private final ResumeVsSubmit race = new ResumeVsSubmit(KernelUnderTest.globalLimit(1, 1));

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
