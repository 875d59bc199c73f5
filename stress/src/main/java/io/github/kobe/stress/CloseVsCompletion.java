package io.github.kobe.stress;

import io.github.kobe.stress.broken.ChecksTerminationBeforeUpdate;
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
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The scheduler is closed while its last task completes.
 *
 * <ul>
 * <li>A: closes, and terminates if no task is left.
 * <li>B: completes the last task, and terminates if the scheduler is closed.
 * <li>Forbidden: no termination. Each side could leave it to the other, and awaitTermination would never return.
 * </ul>
 */
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "completed, terminated")
public final class CloseVsCompletion {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask task = new RecordingTask();
    private final Runnable running;

    private CloseVsCompletion(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", task);
        running = scheduler.runner().take();
    }

    private void close() {
        scheduler.close();
    }

    private void complete() {
        running.run();
    }

    private void settle(II_Result r) {
        r.r1 = task.outcomeCount();
        r.r2 = scheduler.isTerminated() ? 1 : 0;
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(CloseVsCompletion.class)
    @State
    public static class KernelNoGlobalLimit {
        private final CloseVsCompletion race = new CloseVsCompletion(KernelUnderTest.noGlobalLimit(1));

        @Actor
        public void close() {
            race.close();
        }

        @Actor
        public void complete() {
            race.complete();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** One group under a global limit. */
    @JCStressTest
    @JCStressMeta(CloseVsCompletion.class)
    @State
    public static class KernelGlobalLimit {
        private final CloseVsCompletion race = new CloseVsCompletion(KernelUnderTest.globalLimit(1, 1));

        @Actor
        public void close() {
            race.close();
        }

        @Actor
        public void complete() {
            race.complete();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** A standalone group without a limit. */
    @JCStressTest
    @JCStressMeta(CloseVsCompletion.class)
    @State
    public static class KernelUncappedGroup {
        private final CloseVsCompletion race = new CloseVsCompletion(new UncappedGroupUnderTest());

        @Actor
        public void close() {
            race.close();
        }

        @Actor
        public void complete() {
            race.complete();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** Each side can leave the termination to the other. */
    @JCStressTest
    @JCStressMeta(CloseVsCompletion.class)
    @State
    public static class TwinNeverTerminates {
        private final CloseVsCompletion race = new CloseVsCompletion(new ChecksTerminationBeforeUpdate());

        @Actor
        public void close() {
            race.close();
        }

        @Actor
        public void complete() {
            race.complete();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }
}
