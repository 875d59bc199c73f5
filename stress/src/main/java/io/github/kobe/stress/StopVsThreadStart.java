package io.github.kobe.stress;

import io.github.kobe.stress.broken.StopScansBeforeFlag;
import io.github.kobe.stress.rig.KernelUnderTest;
import io.github.kobe.stress.rig.PausingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.UncappedGroupUnderTest;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A task registers on its thread while its group is stopped.
 *
 * <ul>
 * <li>A: the task registers as running, then reads whether the group is stopped.
 * <li>B: the stop sets its flag, then cancels all registered tasks.
 * <li>Forbidden: a task that runs. At least one side must see the other.
 * </ul>
 */
@Outcome(id = "1, 0, 0", expect = Expect.ACCEPTABLE, desc = "one outcome, never ran, nothing leaked")
public final class StopVsThreadStart {

    private final SchedulerUnderTest scheduler;
    private final PausingTask task = new PausingTask();
    private final Runnable thread;

    private StopVsThreadStart(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", task);
        thread = scheduler.runner().take();
    }

    private void startOnThread() {
        thread.run();
    }

    private void stop() {
        scheduler.stopGroup("g");
    }

    private void settle(III_Result r) {
        task.proceed();
        r.r1 = task.outcomeCount();
        r.r2 = task.runCount();
        r.r3 = scheduler.leaks();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(StopVsThreadStart.class)
    @State
    public static class KernelNoGlobalLimit {
        private final StopVsThreadStart race = new StopVsThreadStart(KernelUnderTest.noGlobalLimit(1));

        @Actor
        public void startOnThread() {
            race.startOnThread();
        }

        @Actor
        public void stop() {
            race.stop();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** A standalone group without a limit. */
    @JCStressTest
    @JCStressMeta(StopVsThreadStart.class)
    @State
    public static class KernelUncappedGroup {
        private final StopVsThreadStart race = new StopVsThreadStart(new UncappedGroupUnderTest());

        @Actor
        public void startOnThread() {
            race.startOnThread();
        }

        @Actor
        public void stop() {
            race.stop();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** Each side can read before the other has written. */
    @JCStressTest
    @JCStressMeta(StopVsThreadStart.class)
    @State
    public static class TwinMissesStartingTask {
        private final StopVsThreadStart race = new StopVsThreadStart(new StopScansBeforeFlag());

        @Actor
        public void startOnThread() {
            race.startOnThread();
        }

        @Actor
        public void stop() {
            race.stop();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
