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
 * A displacing task is submitted to a full queue while the oldest queued task is about to start.
 *
 * <ul>
 * <li>A: completes the running task, which starts the oldest queued task.
 * <li>B: submits a task that displaces the oldest queued task.
 * <li>Forbidden: a displaced task that also runs, a task without an outcome, or a displacing task that is rejected.
 * </ul>
 */
@Outcome(
        id = "1, 1, 1, 0",
        expect = Expect.ACCEPTABLE,
        desc = "admitted, completed, all outcomes match what happened, nothing leaked")
public final class DisplaceVsCompletion {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask[] queued;
    private final RecordingTask late = new RecordingTask();
    private final Runnable running;
    private boolean lateAdmitted;

    private DisplaceVsCompletion(SchedulerUnderTest scheduler, RecordingTask... queued) {
        this.scheduler = scheduler;
        this.queued = queued;
        scheduler.submit("g", new RecordingTask());
        running = scheduler.runner().take();
        for (RecordingTask task : queued) {
            scheduler.submit("g", task);
        }
    }

    private void complete() {
        running.run();
    }

    private void submit() {
        lateAdmitted = scheduler.submitDisplacing("g", late);
    }

    private void settle(IIII_Result r) {
        scheduler.runner().runAll();
        r.r1 = lateAdmitted ? 1 : 0;
        r.r2 = late.runCount() == 1 ? late.outcomeCount() : 0;
        r.r3 = 1;
        for (RecordingTask task : queued) {
            if (task.outcomeCount() != 1 || task.runCount() != (task.wasCancelled() ? 0 : 1)) {
                r.r3 = 0;
            }
        }
        r.r4 = scheduler.leaks();
    }

    /** Two tasks are queued. */
    @JCStressTest
    @JCStressMeta(DisplaceVsCompletion.class)
    @State
    public static class KernelNoGlobalLimit {
        private final DisplaceVsCompletion race =
                new DisplaceVsCompletion(KernelUnderTest.noGlobalLimit(1), new RecordingTask(), new RecordingTask());

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

    /** One task is queued. */
    @JCStressTest
    @JCStressMeta(DisplaceVsCompletion.class)
    @State
    public static class KernelOnlyQueuedTask {
        private final DisplaceVsCompletion race =
                new DisplaceVsCompletion(KernelUnderTest.oneQueueSlot(1), new RecordingTask());

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

    /** The queued tasks have a max queue time. */
    @JCStressTest
    @JCStressMeta(DisplaceVsCompletion.class)
    @State
    public static class KernelMaxQueueTime {
        private final DisplaceVsCompletion race = new DisplaceVsCompletion(
                KernelUnderTest.noGlobalLimit(1), RecordingTask.withMaxQueueTime(0), RecordingTask.withMaxQueueTime(0));

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

    /** Two tasks are queued under a global limit. */
    @JCStressTest
    @JCStressMeta(DisplaceVsCompletion.class)
    @State
    public static class KernelGlobalLimit {
        private final DisplaceVsCompletion race =
                new DisplaceVsCompletion(KernelUnderTest.globalLimit(1, 1), new RecordingTask(), new RecordingTask());

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

    /** A started task can be displaced. */
    @JCStressTest
    @JCStressMeta(DisplaceVsCompletion.class)
    @State
    public static class TwinDisplacesStartedTask {
        private final DisplaceVsCompletion race = new DisplaceVsCompletion(
                new RemovesStartedTask(KernelUnderTest.QUEUE_THRESHOLD), new RecordingTask(), new RecordingTask());

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
