package io.github.kobe.stress;

import io.github.kobe.stress.broken.CompletesWithoutCas;
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
 * A task that holds a permit is cancelled while its thread starts.
 *
 * <ul>
 * <li>A: runs the task on its thread.
 * <li>B: cancels the task.
 * <li>Forbidden: two outcomes, or a canceller that is told the wrong winner.
 * </ul>
 */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "one outcome, decided by one side, nothing leaked")
public final class CancelVsStart {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask task;
    private final Runnable thread;
    private boolean won;

    private CancelVsStart(SchedulerUnderTest scheduler, RecordingTask task) {
        this.scheduler = scheduler;
        this.task = task;
        scheduler.submit("g", task);
        thread = scheduler.runner().take();
    }

    private void run() {
        thread.run();
    }

    private void cancel() {
        won = scheduler.cancel(task);
    }

    private void settle(III_Result r) {
        r.r1 = task.outcomeCount();
        r.r2 = won == task.wasCancelled() ? 1 : 0;
        r.r3 = scheduler.leaks();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(CancelVsStart.class)
    @State
    public static class KernelNoGlobalLimit {
        private final CancelVsStart race = new CancelVsStart(KernelUnderTest.noGlobalLimit(1), new RecordingTask());

        @Actor
        public void run() {
            race.run();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group under a global limit. */
    @JCStressTest
    @JCStressMeta(CancelVsStart.class)
    @State
    public static class KernelGlobalLimit {
        private final CancelVsStart race = new CancelVsStart(KernelUnderTest.globalLimit(1, 1), new RecordingTask());

        @Actor
        public void run() {
            race.run();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group, and a task with a listener. */
    @JCStressTest
    @JCStressMeta(CancelVsStart.class)
    @State
    public static class KernelListener {
        private final CancelVsStart race =
                new CancelVsStart(KernelUnderTest.noGlobalLimit(1), RecordingTask.withListener());

        @Actor
        public void run() {
            race.run();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** Both sides can see the task as undecided. */
    @JCStressTest
    @JCStressMeta(CancelVsStart.class)
    @State
    public static class TwinCompletesTwice {
        private final CancelVsStart race = new CancelVsStart(new CompletesWithoutCas(), new RecordingTask());

        @Actor
        public void run() {
            race.run();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
