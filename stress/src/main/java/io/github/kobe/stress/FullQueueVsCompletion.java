package io.github.kobe.stress;

import io.github.kobe.stress.broken.RemovesStartedTask;
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
 * A task is submitted to a full queue while a completion makes room.
 *
 * <ul>
 * <li>A: completes the running task and those that it starts.
 * <li>B: submits a task.
 * <li>Forbidden: a rejected task that runs, or an admitted one that does not.
 * </ul>
 */
@Outcome(id = "0, 2, 0, 0", expect = Expect.ACCEPTABLE, desc = "rejected")
@Outcome(id = "1, 2, 1, 0", expect = Expect.ACCEPTABLE, desc = "admitted and completed")
public final class FullQueueVsCompletion {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask first = new RecordingTask();
    private final RecordingTask second = new RecordingTask();
    private final RecordingTask third = new RecordingTask();
    private final RecordingTask late = new RecordingTask();
    private final Runnable running;
    private boolean lateAdmitted;

    private FullQueueVsCompletion(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", first);
        running = scheduler.runner().take();
        scheduler.submit("g", second);
        scheduler.submit("g", third);
    }

    private void complete() {
        running.run();
        scheduler.runner().runAll();
    }

    private void submit() {
        lateAdmitted = scheduler.submit("g", late);
    }

    private void settle(IIII_Result r) {
        scheduler.runner().runAll();
        r.r1 = lateAdmitted ? 1 : 0;
        r.r2 = second.outcomeCount() + third.outcomeCount();
        r.r3 = late.outcomeCount();
        r.r4 = scheduler.leaks();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(FullQueueVsCompletion.class)
    @State
    public static class KernelNoGlobalLimit {
        private final FullQueueVsCompletion race = new FullQueueVsCompletion(KernelUnderTest.noGlobalLimit(1));

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** One group under a global limit. */
    @JCStressTest
    @JCStressMeta(FullQueueVsCompletion.class)
    @State
    public static class KernelGlobalLimit {
        private final FullQueueVsCompletion race = new FullQueueVsCompletion(KernelUnderTest.globalLimit(1, 1));

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** The task can be rejected although it was started. */
    @JCStressTest
    @JCStressMeta(FullQueueVsCompletion.class)
    @State
    public static class TwinRejectsStartedTask {
        private final FullQueueVsCompletion race =
                new FullQueueVsCompletion(new RemovesStartedTask(KernelUnderTest.QUEUE_THRESHOLD));

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }
}
