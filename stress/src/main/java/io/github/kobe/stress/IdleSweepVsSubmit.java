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

/**
 * A task is submitted while the idle sweep removes its group.
 *
 * <ul>
 * <li>A: sweeps, which retires the idle group.
 * <li>B: submits a task to the group.
 * <li>Forbidden: a task in the retired group while a later one runs in its successor. One key would have two limits.
 * </ul>
 */
@Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "one at a time, both completed, nothing leaked")
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
        race.scheduler.sweep(); // marks the group as idle; the next sweep retires it
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

    /** The second sweep, which retires the group. */
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

    /** The task can be admitted to the retired group. */
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
