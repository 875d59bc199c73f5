package io.github.kobe.stress;

import io.github.kobe.stress.broken.SavesWithoutLookingAgain;
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
 * A task of cost 2 waits for a shared limit of two permits, which two tasks have.
 *
 * <ul>
 * <li>A: completes one of these tasks. One permit is too few, so the limit saves it for the costly task.
 * <li>B: completes the other one, likewise.
 * <li>Forbidden: the costly task is never started, or a permit is lost.
 * </ul>
 */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "started, completed, nothing is left")
public final class SavedPermitsVsCompletion {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask costly = RecordingTask.costing(2);
    private final Runnable first;
    private final Runnable second;

    private SavedPermitsVsCompletion(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("a-first", new RecordingTask());
        first = scheduler.runner().take();
        scheduler.submit("a-second", new RecordingTask());
        second = scheduler.runner().take();
        scheduler.submit("a-costly", costly);
    }

    private void settle(III_Result r) {
        r.r1 = scheduler.runner().startedCount();
        scheduler.runner().runAll();
        r.r2 = costly.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** Two groups release, and the limit saves for a third one. */
    @JCStressTest
    @JCStressMeta(SavedPermitsVsCompletion.class)
    @State
    public static class KernelSaves {
        private final SavedPermitsVsCompletion race = new SavedPermitsVsCompletion(KernelUnderTest.sharedLimits(2));

        @Actor
        public void completeFirst() {
            race.first.run();
        }

        @Actor
        public void completeSecond() {
            race.second.run();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The second permit can be released before the limit saves for the task: a lost wake-up. */
    @JCStressTest
    @JCStressMeta(SavedPermitsVsCompletion.class)
    @State
    public static class TwinLosesWakeUp {
        private final SavedPermitsVsCompletion race = new SavedPermitsVsCompletion(new SavesWithoutLookingAgain());

        @Actor
        public void completeFirst() {
            race.first.run();
        }

        @Actor
        public void completeSecond() {
            race.second.run();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
