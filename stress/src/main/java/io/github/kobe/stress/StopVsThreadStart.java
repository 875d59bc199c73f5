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

/** A ticket arrives on its thread while its group is stopped: the stop sees it or it sees the stop, and it never runs. */
@Outcome(id = "1, 0, 0", expect = Expect.ACCEPTABLE, desc = "one end, never ran, nothing left behind")
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

    /** One group. */
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

    /** Where nothing limits how many run. */
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

    /** Each can look before the other has shown itself. */
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
