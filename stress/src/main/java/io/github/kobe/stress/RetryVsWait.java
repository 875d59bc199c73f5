package io.github.kobe.stress;

import io.github.kobe.stress.broken.RegistersWaitAfterCheck;
import io.github.kobe.stress.rig.KernelUnderTest;
import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.TestPermitRequest;
import io.github.kobe.stress.rig.TimerEvent;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A task is queued for its retry while a thread that has the only permit begins to wait for it.
 *
 * <ul>
 * <li>A: the timer queues the task.
 * <li>B: begins to wait for the task, and lends its permit if the task is queued.
 * <li>Forbidden: a task that stays queued. Both would wait for ever.
 * </ul>
 */
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "the task completed on the lent permit, nothing leaked")
public final class RetryVsWait {

    private final SchedulerUnderTest scheduler;
    private final TestPermitRequest holder = new TestPermitRequest();
    private final RecordingTask task = RecordingTask.failingOnce();
    private final Runnable retry;
    private Runnable end;

    private RetryVsWait(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", task);
        scheduler.runner().runAll();
        scheduler.requestPermit("g", holder);
        retry = scheduler.takeTimerEvent(TimerEvent.RETRY);
    }

    private void queue() {
        retry.run();
    }

    private void beginWait() {
        end = scheduler.beginWait(holder, task);
    }

    private void settle(II_Result r) {
        scheduler.runner().runAll();
        r.r1 = task.outcomeCount();
        end.run();
        scheduler.releasePermit(holder);
        scheduler.runner().runAll();
        r.r2 = scheduler.leaks();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(RetryVsWait.class)
    @State
    public static class KernelNoGlobalLimit {
        private final RetryVsWait race = new RetryVsWait(KernelUnderTest.noGlobalLimit(1));

        @Actor
        public void queue() {
            race.queue();
        }

        @Actor
        public void beginWait() {
            race.beginWait();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** One group under a global limit. */
    @JCStressTest
    @JCStressMeta(RetryVsWait.class)
    @State
    public static class KernelGlobalLimit {
        private final RetryVsWait race = new RetryVsWait(KernelUnderTest.globalLimit(1, 1));

        @Actor
        public void queue() {
            race.queue();
        }

        @Actor
        public void beginWait() {
            race.beginWait();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** The wait is registered after the check whether the task is queued. */
    @JCStressTest
    @JCStressMeta(RetryVsWait.class)
    @State
    public static class TwinRegistersAfterCheck {
        private final RetryVsWait race = new RetryVsWait(new RegistersWaitAfterCheck());

        @Actor
        public void queue() {
            race.queue();
        }

        @Actor
        public void beginWait() {
            race.beginWait();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }
}
