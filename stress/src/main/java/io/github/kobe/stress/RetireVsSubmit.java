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
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * A task is submitted while the last task of a group completes that retires at once.
 *
 * <ul>
 * <li>A: completes the last task, which retires the group.
 * <li>B: submits a task to the group.
 * <li>Forbidden: a task that runs next to the first, or in a retired group next to its successor. One key would have two limits.
 * </ul>
 */
@Outcome(
        id = "1, 1, 2, 0",
        expect = Expect.ACCEPTABLE,
        desc = "in order, one at a time, both completed, nothing leaked")
public final class RetireVsSubmit {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask first = new RecordingTask();
    private final RecordingTask second = new RecordingTask(first);
    private final RecordingTask third = new RecordingTask();
    private final Runnable running;

    private RetireVsSubmit(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", first);
        running = scheduler.runner().take();
    }

    private void complete() {
        running.run();
    }

    private void submit() {
        scheduler.submit("g", second);
    }

    private void settle(IIII_Result r) {
        scheduler.submit("g", third);
        r.r2 = scheduler.runner().startedCount();
        scheduler.runner().runAll();
        r.r1 = second.ranInOrder() ? 1 : 0;
        r.r3 = second.outcomeCount() + third.outcomeCount();
        r.r4 = scheduler.leaks();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(RetireVsSubmit.class)
    @State
    public static class KernelNoGlobalLimit {
        private final RetireVsSubmit race = new RetireVsSubmit(KernelUnderTest.retiringAtOnce(1));

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

    /** One group under a global limit. */
    @JCStressTest
    @JCStressMeta(RetireVsSubmit.class)
    @State
    public static class KernelGlobalLimit {
        private final RetireVsSubmit race = new RetireVsSubmit(KernelUnderTest.globalLimitRetiringAtOnce(1, 2));

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

    /** The task can be admitted to the retired group. */
    @JCStressTest
    @JCStressMeta(RetireVsSubmit.class)
    @State
    public static class TwinKeepsTwoGroups {
        private final RetireVsSubmit race = new RetireVsSubmit(new RetiresWithoutFlag(true));

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
