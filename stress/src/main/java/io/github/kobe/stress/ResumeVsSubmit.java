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

/**
 * A paused group is resumed while a task is submitted.
 *
 * <ul>
 * <li>A: resumes the group.
 * <li>B: submits a task.
 * <li>Forbidden: a task that stays queued in a running group.
 * </ul>
 */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "completed, one at a time, nothing leaked")
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

    /** One group without a global limit. */
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

    /** One group under a global limit. */
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

    /** The resume can read the queue before the task is in it: a lost wake-up. */
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
