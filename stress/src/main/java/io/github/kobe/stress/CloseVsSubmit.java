package io.github.kobe.stress;

import io.github.kobe.stress.broken.CountsTaskAfterClosedCheck;
import io.github.kobe.stress.rig.KernelUnderTest;
import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.UncappedGroupUnderTest;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * A task is submitted while the scheduler is closed.
 *
 * <ul>
 * <li>A: closes, and terminates if no task is left.
 * <li>B: submits a task.
 * <li>Forbidden: an admitted task that termination does not wait for, or a rejected task that runs.
 * </ul>
 */
@Outcome(id = "0, 0, 0, 1", expect = Expect.ACCEPTABLE, desc = "rejected, terminated")
@Outcome(
        id = "1, 0, 1, 1",
        expect = Expect.ACCEPTABLE,
        desc = "admitted, completed, terminated afterwards and not before")
public final class CloseVsSubmit {

    private final SchedulerUnderTest scheduler;
    private final boolean stops;
    private final RecordingTask task = new RecordingTask();
    private Runnable running = () -> {};
    private boolean busy;
    private boolean admitted;

    private CloseVsSubmit(SchedulerUnderTest scheduler, boolean stops) {
        this.scheduler = scheduler;
        this.stops = stops;
    }

    /** The group exists, since it has completed a task before. */
    private CloseVsSubmit withKnownGroup() {
        scheduler.submit("g", new RecordingTask());
        scheduler.runner().runAll();
        return this;
    }

    /** Another group has a running task. */
    private CloseVsSubmit withBusyOtherGroup() {
        scheduler.submit("h", new RecordingTask());
        running = scheduler.runner().take();
        busy = true;
        return this;
    }

    private void close() {
        if (stops) {
            scheduler.stopAll();
        } else {
            scheduler.close();
        }
    }

    private void submit() {
        admitted = scheduler.submit("g", task);
    }

    private void settle(IIII_Result r) {
        r.r1 = admitted ? 1 : 0;
        busy |= scheduler.runner().startedCount() > 0;
        r.r2 = busy && scheduler.isTerminated() ? 1 : 0;
        running.run();
        scheduler.runner().runAll();
        r.r3 = task.outcomeCount();
        r.r4 = scheduler.isTerminated() ? 1 : 0;
    }

    /** The task creates its group. */
    @JCStressTest
    @JCStressMeta(CloseVsSubmit.class)
    @State
    public static class KernelNewGroup {
        private final CloseVsSubmit race = new CloseVsSubmit(KernelUnderTest.noGlobalLimit(1), false);

        @Actor
        public void close() {
            race.close();
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

    /** The group exists. */
    @JCStressTest
    @JCStressMeta(CloseVsSubmit.class)
    @State
    public static class KernelKnownGroup {
        private final CloseVsSubmit race = new CloseVsSubmit(KernelUnderTest.noGlobalLimit(1), false).withKnownGroup();

        @Actor
        public void close() {
            race.close();
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

    /** The task creates its group, and another group has a running task. */
    @JCStressTest
    @JCStressMeta(CloseVsSubmit.class)
    @State
    public static class KernelOtherGroupBusy {
        private final CloseVsSubmit race =
                new CloseVsSubmit(KernelUnderTest.noGlobalLimit(1), false).withBusyOtherGroup();

        @Actor
        public void close() {
            race.close();
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

    /** The task creates its group under a global limit. */
    @JCStressTest
    @JCStressMeta(CloseVsSubmit.class)
    @State
    public static class KernelGlobalLimit {
        private final CloseVsSubmit race = new CloseVsSubmit(KernelUnderTest.globalLimit(1, 1), false);

        @Actor
        public void close() {
            race.close();
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

    /** The close also cancels all tasks. */
    @JCStressTest
    @JCStressMeta(CloseVsSubmit.class)
    @State
    public static class KernelStopAll {
        private final CloseVsSubmit race = new CloseVsSubmit(KernelUnderTest.noGlobalLimit(1), true);

        @Actor
        public void close() {
            race.close();
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

    /** A standalone group without a limit. */
    @JCStressTest
    @JCStressMeta(CloseVsSubmit.class)
    @State
    public static class KernelUncappedGroup {
        private final CloseVsSubmit race = new CloseVsSubmit(new UncappedGroupUnderTest(), false);

        @Actor
        public void close() {
            race.close();
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

    /** The scheduler can terminate between the closed check and the count of the task. */
    @JCStressTest
    @JCStressMeta(CloseVsSubmit.class)
    @State
    public static class TwinTerminatesEarly {
        private final CloseVsSubmit race = new CloseVsSubmit(new CountsTaskAfterClosedCheck(), false);

        @Actor
        public void close() {
            race.close();
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
