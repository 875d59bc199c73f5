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
 * Somebody looks whether a ticket has ended, then at the places: once it has ended its place is back, so that submit, wait,
 * submit again never meets its own last ticket.
 */
@Outcome(
        id = {"0, 0", "0, 1"},
        expect = Expect.ACCEPTABLE,
        desc = "not ended yet, so nothing is promised")
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "ended, and the place is back")
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

    private void look(II_Result r) {
        r.r1 = scheduler.isCompleted(task) ? 1 : 0;
        r.r2 = scheduler.occupancy() > 0 ? 1 : 0;
    }

    /** One group. */
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
        public void look(II_Result r) {
            race.look(r);
        }
    }

    /** One group below a global cap. */
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
        public void look(II_Result r) {
            race.look(r);
        }
    }

    /** The end can be known before the place is back. */
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
        public void look(II_Result r) {
            race.look(r);
        }
    }
}
