package io.github.kobe.stress;

import io.github.kobe.stress.broken.EnqueuesAfterFailedAcquire;
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
 * A task is submitted while the task that holds the only permit completes.
 *
 * <ul>
 * <li>A: completes the running task.
 * <li>B: submits a task, and runs it if it was started.
 * <li>Forbidden: a task that is never started, or that runs before the first has left its thread.
 * </ul>
 */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "one outcome, ran after the first task, nothing leaked")
public final class SubmitVsCompletion {

    private final SchedulerUnderTest scheduler;
    private final String group;
    private final RecordingTask first = new RecordingTask();
    private final RecordingTask second = new RecordingTask(first);
    private final Runnable running;

    private SubmitVsCompletion(SchedulerUnderTest scheduler, String group) {
        this.scheduler = scheduler;
        this.group = group;
        scheduler.submit("g", first);
        running = scheduler.runner().take();
    }

    private void complete() {
        running.run();
    }

    private void submit() {
        scheduler.submit(group, second);
        scheduler.runner().runAll();
    }

    private void settle(III_Result r) {
        scheduler.runner().runAll();
        r.r1 = second.outcomeCount();
        r.r2 = second.ranInOrder() ? 1 : 0;
        r.r3 = scheduler.leaks();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(SubmitVsCompletion.class)
    @State
    public static class KernelNoGlobalLimit {
        private final SubmitVsCompletion race = new SubmitVsCompletion(KernelUnderTest.noGlobalLimit(1), "g");

        @Actor
        public void complete() {
            race.complete();
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

    /** One group under a global limit. */
    @JCStressTest
    @JCStressMeta(SubmitVsCompletion.class)
    @State
    public static class KernelGlobalLimit {
        private final SubmitVsCompletion race = new SubmitVsCompletion(KernelUnderTest.globalLimit(1, 1), "g");

        @Actor
        public void complete() {
            race.complete();
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

    /** Two groups share one global permit. */
    @JCStressTest
    @JCStressMeta(SubmitVsCompletion.class)
    @State
    public static class KernelTwoGroups {
        private final SubmitVsCompletion race = new SubmitVsCompletion(KernelUnderTest.globalLimit(1, 1), "h");

        @Actor
        public void complete() {
            race.complete();
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

    /** The second task can be enqueued after the permit was released: a lost wake-up. */
    @JCStressTest
    @JCStressMeta(SubmitVsCompletion.class)
    @State
    public static class TwinLosesWakeUp {
        private final SubmitVsCompletion race = new SubmitVsCompletion(new EnqueuesAfterFailedAcquire(1), "g");

        @Actor
        public void complete() {
            race.complete();
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
