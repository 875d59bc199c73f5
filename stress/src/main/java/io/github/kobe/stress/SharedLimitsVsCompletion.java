package io.github.kobe.stress;

import io.github.kobe.stress.broken.MovesOnWithoutLookingAgain;
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
 * A task waits for two shared limits, and the last task of each of them completes.
 *
 * <ul>
 * <li>A: completes the task that has the permit of the first limit. If the second is full, the waiting group moves there, and the first permit is given back.
 * <li>B: completes the task that has the permit of the second limit, likewise.
 * <li>Forbidden: the waiting task is never started, or a permit is lost.
 * </ul>
 */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "started, completed, nothing is left")
public final class SharedLimitsVsCompletion {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask waiting = new RecordingTask();
    private final Runnable first;
    private final Runnable second;

    private SharedLimitsVsCompletion(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("a", new RecordingTask());
        first = scheduler.runner().take();
        scheduler.submit("b", new RecordingTask());
        second = scheduler.runner().take();
        scheduler.submit("ab", waiting);
    }

    private void settle(III_Result r) {
        r.r1 = scheduler.runner().startedCount();
        scheduler.runner().runAll();
        r.r2 = waiting.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** Two groups release, and a third one waits for both. */
    @JCStressTest
    @JCStressMeta(SharedLimitsVsCompletion.class)
    @State
    public static class KernelTwoLimits {
        private final SharedLimitsVsCompletion race = new SharedLimitsVsCompletion(KernelUnderTest.sharedLimits(1));

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

    /** The group can be registered at the second limit after its permit was released: a lost wake-up. */
    @JCStressTest
    @JCStressMeta(SharedLimitsVsCompletion.class)
    @State
    public static class TwinLosesWakeUp {
        private final SharedLimitsVsCompletion race = new SharedLimitsVsCompletion(new MovesOnWithoutLookingAgain());

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
