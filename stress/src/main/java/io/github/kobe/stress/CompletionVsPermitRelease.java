package io.github.kobe.stress;

import io.github.kobe.stress.broken.CompletesBeforeRelease;
import io.github.kobe.stress.rig.KernelUnderTest;
import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A caller reads that a task is completed, then reads the permits in use.
 *
 * <ul>
 * <li>A: completes the task.
 * <li>B: reads the completion first, and the permits second.
 * <li>Forbidden: a completed task whose permit is still in use. A caller that submits, waits and submits again would be rejected
 * because of its own last task.
 * </ul>
 */
@Outcome(
        id = {"0, 0", "0, 1"},
        expect = Expect.ACCEPTABLE,
        desc = "not completed yet, so nothing is promised")
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "completed, and the permit is released")
public final class CompletionVsPermitRelease {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask task = new RecordingTask();
    private final Runnable running;

    private CompletionVsPermitRelease(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", task);
        running = scheduler.runner().take();
    }

    private void complete() {
        running.run();
    }

    private void read(II_Result r) {
        r.r1 = scheduler.isCompleted(task) ? 1 : 0;
        r.r2 = scheduler.occupancy() > 0 ? 1 : 0;
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(CompletionVsPermitRelease.class)
    @State
    public static class KernelNoGlobalLimit {
        private final CompletionVsPermitRelease race = new CompletionVsPermitRelease(KernelUnderTest.noGlobalLimit(1));

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void read(II_Result r) {
            race.read(r);
        }
    }

    /** One group under a global limit. */
    @JCStressTest
    @JCStressMeta(CompletionVsPermitRelease.class)
    @State
    public static class KernelGlobalLimit {
        private final CompletionVsPermitRelease race = new CompletionVsPermitRelease(KernelUnderTest.globalLimit(1, 1));

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void read(II_Result r) {
            race.read(r);
        }
    }

    /** The outcome can be published before the permit is released. */
    @JCStressTest
    @JCStressMeta(CompletionVsPermitRelease.class)
    @State
    public static class TwinCompletesBeforeRelease {
        private final CompletionVsPermitRelease race = new CompletionVsPermitRelease(new CompletesBeforeRelease());

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void read(II_Result r) {
            race.read(r);
        }
    }
}
