package io.github.kobe.stress;

import io.github.kobe.stress.broken.RetiresWithoutFlag;
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

/** A ticket comes while the idle sweep drops its group: it runs, and a later one is still held to the same cap. */
@Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "one at a time, both ended, nothing left behind")
public final class IdleSweepVsSubmit {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask second = new RecordingTask();
    private final RecordingTask third = new RecordingTask();

    private IdleSweepVsSubmit(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", new RecordingTask());
    }

    private static IdleSweepVsSubmit kernel() {
        IdleSweepVsSubmit race = new IdleSweepVsSubmit(KernelUnderTest.idleSwept(1));
        race.scheduler.runner().runAll();
        race.scheduler.sweep(); // marks it; the next one drops it
        return race;
    }

    private static IdleSweepVsSubmit twin() {
        IdleSweepVsSubmit race = new IdleSweepVsSubmit(new RetiresWithoutFlag(false));
        race.scheduler.runner().runAll();
        return race;
    }

    private void sweep() {
        scheduler.sweep();
    }

    private void submit() {
        scheduler.submit("g", second);
    }

    private void settle(III_Result r) {
        scheduler.submit("g", third);
        r.r1 = scheduler.runner().startedCount();
        scheduler.runner().runAll();
        r.r2 = second.outcomeCount() + third.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** The second sweep. */
    @JCStressTest
    @JCStressMeta(IdleSweepVsSubmit.class)
    @State
    public static class KernelNoGlobalLimit {
        private final IdleSweepVsSubmit race = kernel();

        @Actor
        public void sweep() {
            race.sweep();
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

    /** The ticket can go into the group that has left. */
    @JCStressTest
    @JCStressMeta(IdleSweepVsSubmit.class)
    @State
    public static class TwinKeepsTwoGroups {
        private final IdleSweepVsSubmit race = twin();

        @Actor
        public void sweep() {
            race.sweep();
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
