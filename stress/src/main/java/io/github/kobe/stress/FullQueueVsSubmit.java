package io.github.kobe.stress;

import io.github.kobe.stress.broken.ChecksLimitThenActs;
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
 * Two tasks are submitted at the same time, and the queue has room for one.
 *
 * <ul>
 * <li>A: submits a task.
 * <li>B: submits another task.
 * <li>Forbidden: two admitted tasks, or none. The first would exceed the queue threshold.
 * </ul>
 */
@Outcome(
        id = "1, 2, 0",
        expect = Expect.ACCEPTABLE,
        desc = "one admitted, all admitted tasks completed, nothing leaked")
public final class FullQueueVsSubmit {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask first = new RecordingTask();
    private final RecordingTask queued = new RecordingTask();
    private final RecordingTask one = new RecordingTask();
    private final RecordingTask other = new RecordingTask();
    private final Runnable running;
    private boolean oneAdmitted;
    private boolean otherAdmitted;

    private FullQueueVsSubmit(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", first);
        running = scheduler.runner().take();
        scheduler.submit("g", queued);
    }

    private void submit() {
        oneAdmitted = scheduler.submit("g", one);
    }

    private void submitOther() {
        otherAdmitted = scheduler.submit("g", other);
    }

    private void settle(III_Result r) {
        running.run();
        scheduler.runner().runAll();
        r.r1 = (oneAdmitted ? 1 : 0) + (otherAdmitted ? 1 : 0);
        r.r2 = queued.outcomeCount() + one.outcomeCount() + other.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** The queue threshold of the group. */
    @JCStressTest
    @JCStressMeta(FullQueueVsSubmit.class)
    @State
    public static class KernelNoGlobalLimit {
        private final FullQueueVsSubmit race = new FullQueueVsSubmit(KernelUnderTest.noGlobalLimit(1));

        @Actor
        public void submit() {
            race.submit();
        }

        @Actor
        public void submitOther() {
            race.submitOther();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The queue threshold of the group and the global one; both have room for one task. */
    @JCStressTest
    @JCStressMeta(FullQueueVsSubmit.class)
    @State
    public static class KernelGlobalLimit {
        private final FullQueueVsSubmit race = new FullQueueVsSubmit(KernelUnderTest.globalLimit(1, 1));

        @Actor
        public void submit() {
            race.submit();
        }

        @Actor
        public void submitOther() {
            race.submitOther();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** Both submitters can see room for one task. */
    @JCStressTest
    @JCStressMeta(FullQueueVsSubmit.class)
    @State
    public static class TwinExceedsThreshold {
        private final FullQueueVsSubmit race =
                new FullQueueVsSubmit(new ChecksLimitThenActs(1, KernelUnderTest.QUEUE_THRESHOLD));

        @Actor
        public void submit() {
            race.submit();
        }

        @Actor
        public void submitOther() {
            race.submitOther();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
