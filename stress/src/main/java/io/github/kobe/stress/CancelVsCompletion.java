package io.github.kobe.stress;

import io.github.kobe.stress.broken.GrantsPermitToCancelledTask;
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

/**
 * A queued task is cancelled while the permit that it waits for is released.
 *
 * <ul>
 * <li>A: completes the running task and passes its permit to the next queued task.
 * <li>B: cancels the first queued task.
 * <li>Forbidden: a task that both ran and was cancelled, or a permit that is lost with the cancelled task. Then the next queued
 * task would never start.
 * </ul>
 */
@Outcome(
        id = "1, 1, 1, 0",
        expect = Expect.ACCEPTABLE,
        desc = "one outcome that matches what happened, the next task completed, nothing leaked")
public final class CancelVsCompletion {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask first = new RecordingTask();
    private final RecordingTask second = new RecordingTask();
    private final RecordingTask third = new RecordingTask();
    private final Runnable running;

    private CancelVsCompletion(SchedulerUnderTest scheduler, String secondGroup, String thirdGroup) {
        this.scheduler = scheduler;
        scheduler.submit("g", first);
        running = scheduler.runner().take();
        scheduler.submit(secondGroup, second);
        scheduler.submit(thirdGroup, third);
    }

    private void complete() {
        running.run();
    }

    private void cancel() {
        scheduler.cancel(second);
    }

    private void settle(IIII_Result r) {
        scheduler.runner().runAll();
        r.r1 = second.outcomeCount();
        r.r2 = second.runCount() + (second.wasCancelled() ? 1 : 0);
        r.r3 = third.outcomeCount();
        r.r4 = scheduler.leaks();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(CancelVsCompletion.class)
    @State
    public static class KernelNoGlobalLimit {
        private final CancelVsCompletion race = new CancelVsCompletion(KernelUnderTest.noGlobalLimit(1), "g", "g");

        @Actor
        public void complete() {
            race.complete();
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

    /** One group under a global limit. */
    @JCStressTest
    @JCStressMeta(CancelVsCompletion.class)
    @State
    public static class KernelGlobalLimit {
        private final CancelVsCompletion race = new CancelVsCompletion(KernelUnderTest.globalLimit(1, 1), "g", "g");

        @Actor
        public void complete() {
            race.complete();
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

    /** Three groups share one global permit. */
    @JCStressTest
    @JCStressMeta(CancelVsCompletion.class)
    @State
    public static class KernelThreeGroups {
        private final CancelVsCompletion race = new CancelVsCompletion(KernelUnderTest.globalLimit(1, 1), "h", "i");

        @Actor
        public void complete() {
            race.complete();
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

    /** The permit can go to the cancelled task and stay there. */
    @JCStressTest
    @JCStressMeta(CancelVsCompletion.class)
    @State
    public static class TwinLosesPermit {
        private final CancelVsCompletion race = new CancelVsCompletion(new GrantsPermitToCancelledTask(), "g", "g");

        @Actor
        public void complete() {
            race.complete();
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
