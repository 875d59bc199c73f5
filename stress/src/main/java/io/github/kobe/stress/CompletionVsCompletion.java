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

/**
 * The running tasks of two groups complete at the same time. Each group has one queued task.
 *
 * <ul>
 * <li>A: completes the task of the first group.
 * <li>B: completes the task of the second group.
 * <li>Forbidden: a queued task that does not start: one of the two permits would be lost.
 * </ul>
 */
@Outcome(id = "2, 2, 0", expect = Expect.ACCEPTABLE, desc = "both started, both completed, nothing leaked")
public final class CompletionVsCompletion {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask third = new RecordingTask();
    private final RecordingTask fourth = new RecordingTask();
    private final Runnable running;
    private final Runnable alsoRunning;

    private CompletionVsCompletion(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", new RecordingTask());
        scheduler.submit("h", new RecordingTask());
        running = scheduler.runner().take();
        alsoRunning = scheduler.runner().take();
        scheduler.submit("g", third);
        scheduler.submit("h", fourth);
    }

    private void complete() {
        running.run();
    }

    private void completeOther() {
        alsoRunning.run();
    }

    private void settle(III_Result r) {
        r.r1 = scheduler.runner().startedCount();
        scheduler.runner().runAll();
        r.r2 = third.outcomeCount() + fourth.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** Each group has one permit, and there are two global permits. */
    @JCStressTest
    @JCStressMeta(CompletionVsCompletion.class)
    @State
    public static class KernelTwoGroups {
        private final CompletionVsCompletion race = new CompletionVsCompletion(KernelUnderTest.globalLimit(1, 2));

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void completeOther() {
            race.completeOther();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One of two released permits can be lost. */
    @JCStressTest
    @JCStressMeta(CompletionVsCompletion.class)
    @State
    public static class TwinLosesPermit {
        private final CompletionVsCompletion race = new CompletionVsCompletion(new CountsPermitsWithoutCas(2));

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void completeOther() {
            race.completeOther();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
