package io.github.kobe.stress;

import io.github.kobe.stress.broken.RegistersBlockedSubmitterAfterCheck;
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
 * A submitter blocks on a full queue while a completion makes room.
 *
 * <ul>
 * <li>A: completes the running task, which dequeues another and wakes a blocked submitter.
 * <li>B: finds the queue full, registers as blocked and parks.
 * <li>Forbidden: a submitter that keeps waiting although there is room: a lost wake-up.
 * </ul>
 */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "admitted, completed, nothing leaked")
public final class BlockedSubmitterVsCompletion {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask late = new RecordingTask();
    private final Runnable running;
    private boolean admitted;

    private BlockedSubmitterVsCompletion(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", new RecordingTask());
        running = scheduler.runner().take();
        for (int i = 0; i < KernelUnderTest.QUEUE_THRESHOLD; i++) {
            scheduler.submit("g", new RecordingTask());
        }
    }

    private void complete() {
        running.run();
    }

    private void submit() {
        admitted = scheduler.submitBlocking("g", late);
    }

    private void settle(III_Result r) {
        scheduler.runner().runAll();
        r.r1 = admitted ? 1 : 0;
        r.r2 = late.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** The queue of the group is full. */
    @JCStressTest
    @JCStressMeta(BlockedSubmitterVsCompletion.class)
    @State
    public static class KernelGroupQueueFull {
        private final BlockedSubmitterVsCompletion race =
                new BlockedSubmitterVsCompletion(KernelUnderTest.blockingSubmitters(1));

        @Actor
        public void complete() {
            race.complete();
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

    /** The global queue is full. */
    @JCStressTest
    @JCStressMeta(BlockedSubmitterVsCompletion.class)
    @State
    public static class KernelGlobalQueueFull {
        private final BlockedSubmitterVsCompletion race = new BlockedSubmitterVsCompletion(
                KernelUnderTest.globalLimitBlockingSubmitters(3, 1, KernelUnderTest.QUEUE_THRESHOLD));

        @Actor
        public void complete() {
            race.complete();
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

    /** The global limit allows no queued task. */
    @JCStressTest
    @JCStressMeta(BlockedSubmitterVsCompletion.class)
    @State
    public static class KernelNoGlobalQueue {
        private final BlockedSubmitterVsCompletion race =
                new BlockedSubmitterVsCompletion(KernelUnderTest.globalLimitBlockingSubmitters(3, 1, 0));

        @Actor
        public void complete() {
            race.complete();
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

    /** The completion can miss a submitter that has not registered yet. */
    @JCStressTest
    @JCStressMeta(BlockedSubmitterVsCompletion.class)
    @State
    public static class TwinLosesWakeUp {
        private final BlockedSubmitterVsCompletion race = new BlockedSubmitterVsCompletion(
                new RegistersBlockedSubmitterAfterCheck(KernelUnderTest.QUEUE_THRESHOLD));

        @Actor
        public void complete() {
            race.complete();
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
