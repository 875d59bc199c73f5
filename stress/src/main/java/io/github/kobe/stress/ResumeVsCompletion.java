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
 * A paused group is resumed while its running task completes.
 *
 * <ul>
 * <li>A: resumes the group and runs what it starts.
 * <li>B: completes the running task.
 * <li>Forbidden: a queued task that does not run, or that runs before the first has left its thread.
 * </ul>
 */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "completed, in order, nothing leaked")
public final class ResumeVsCompletion {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask first = new RecordingTask();
    private final RecordingTask second = new RecordingTask(first);
    private final Runnable running;

    private ResumeVsCompletion(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", first);
        running = scheduler.runner().take();
        scheduler.submit("g", second);
        scheduler.pause();
    }

    private void resume() {
        scheduler.resume();
        scheduler.runner().runAll();
    }

    private void complete() {
        running.run();
    }

    private void settle(III_Result r) {
        scheduler.runner().runAll();
        r.r1 = second.outcomeCount();
        r.r2 = second.ranInOrder() ? 1 : 0;
        r.r3 = scheduler.leaks();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(ResumeVsCompletion.class)
    @State
    public static class KernelNoGlobalLimit {
        private final ResumeVsCompletion race = new ResumeVsCompletion(KernelUnderTest.noGlobalLimit(1));

        @Actor
        public void resume() {
            race.resume();
        }

        @Actor
        public void complete() {
            race.complete();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group under a global limit. */
    @JCStressTest
    @JCStressMeta(ResumeVsCompletion.class)
    @State
    public static class KernelGlobalLimit {
        private final ResumeVsCompletion race = new ResumeVsCompletion(KernelUnderTest.globalLimit(1, 1));

        @Actor
        public void resume() {
            race.resume();
        }

        @Actor
        public void complete() {
            race.complete();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The released permit can be lost. */
    @JCStressTest
    @JCStressMeta(ResumeVsCompletion.class)
    @State
    public static class TwinLosesPermit {
        private final ResumeVsCompletion race = new ResumeVsCompletion(new ResizesWithoutCas(1));

        @Actor
        public void resume() {
            race.resume();
        }

        @Actor
        public void complete() {
            race.complete();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
