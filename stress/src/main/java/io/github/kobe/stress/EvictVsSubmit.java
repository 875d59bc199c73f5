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
 * A task is submitted while its group is evicted.
 *
 * <ul>
 * <li>A: evicts the group.
 * <li>B: submits a task to the group.
 * <li>Forbidden: a task in the retired group while a later one runs in its successor. One key would have two limits.
 * </ul>
 */
@Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "one at a time, both completed, nothing leaked")
public final class EvictVsSubmit {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask first = new RecordingTask();
    private final RecordingTask second = new RecordingTask();
    private final RecordingTask third = new RecordingTask();
    private final boolean busy;
    private Runnable running;

    private EvictVsSubmit(SchedulerUnderTest scheduler, boolean busy) {
        this.scheduler = scheduler;
        this.busy = busy;
        scheduler.submit("g", first);
        running = scheduler.runner().take();
        if (!busy) {
            running.run();
            running = () -> {};
        }
    }

    private void evict() {
        scheduler.evict("g");
    }

    private void submit() {
        scheduler.submit("g", second);
    }

    private void settle(III_Result r) {
        scheduler.submit("g", third);
        r.r1 = scheduler.runner().startedCount() + (busy ? 1 : 0);
        running.run();
        scheduler.runner().runAll();
        r.r2 = second.outcomeCount() + third.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** An idle group, which retires. */
    @JCStressTest
    @JCStressMeta(EvictVsSubmit.class)
    @State
    public static class KernelNoGlobalLimit {
        private final EvictVsSubmit race = new EvictVsSubmit(KernelUnderTest.noGlobalLimit(1), false);

        @Actor
        public void evict() {
            race.evict();
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

    /** An idle group under a global limit. */
    @JCStressTest
    @JCStressMeta(EvictVsSubmit.class)
    @State
    public static class KernelGlobalLimit {
        private final EvictVsSubmit race = new EvictVsSubmit(KernelUnderTest.globalLimit(1, 2), false);

        @Actor
        public void evict() {
            race.evict();
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

    /** A busy group, which stays and only resolves its limits again. */
    @JCStressTest
    @JCStressMeta(EvictVsSubmit.class)
    @State
    public static class KernelBusyGroup {
        private final EvictVsSubmit race = new EvictVsSubmit(KernelUnderTest.noGlobalLimit(1), true);

        @Actor
        public void evict() {
            race.evict();
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
    @JCStressMeta(EvictVsSubmit.class)
    @State
    public static class TwinKeepsTwoGroups {
        private final EvictVsSubmit race = new EvictVsSubmit(new RetiresWithoutFlag(false), false);

        @Actor
        public void evict() {
            race.evict();
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
