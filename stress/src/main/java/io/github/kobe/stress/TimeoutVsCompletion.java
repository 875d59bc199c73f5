package io.github.kobe.stress;

import io.github.kobe.stress.broken.CompletesWithoutCas;
import io.github.kobe.stress.rig.KernelUnderTest;
import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.TimerEvent;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A task exceeds its timeout while its body returns.
 *
 * <ul>
 * <li>A: runs the task to its end.
 * <li>B: fires the timeout of the task as soon as it is started.
 * <li>Forbidden: two outcomes, or a permit that is released twice or never. Then the next task would not run exactly once.
 * </ul>
 */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "one outcome, the next task completed, nothing leaked")
public final class TimeoutVsCompletion {

    private static final int TRIES = 20;

    private final SchedulerUnderTest scheduler;
    private final RecordingTask task;
    private final RecordingTask next = new RecordingTask();
    private Runnable running;

    private TimeoutVsCompletion(SchedulerUnderTest scheduler, int failures) {
        this.scheduler = scheduler;
        task = RecordingTask.withTimeout(failures);
        scheduler.submit("g", task);
        running = scheduler.runner().take();
    }

    /** The task is at its second attempt. Its timeout has been running since the first. */
    private TimeoutVsCompletion atSecondAttempt() {
        running.run();
        scheduler.fireTimerEvent(TimerEvent.RETRY);
        running = scheduler.runner().take();
        return this;
    }

    private TimeoutVsCompletion withQueuedTask() {
        scheduler.submit("g", next);
        return this;
    }

    private void complete() {
        running.run();
    }

    private void timeOut() {
        for (int i = 0; i < TRIES && !scheduler.fireTimerEvent(TimerEvent.TIME_LIMIT); i++) {
            Thread.onSpinWait(); // the timeout is started when the body starts
        }
    }

    private void settle(III_Result r) {
        scheduler.runner().runAll();
        r.r1 = task.outcomeCount();
        r.r2 = next.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(TimeoutVsCompletion.class)
    @State
    public static class KernelNoGlobalLimit {
        private final TimeoutVsCompletion race =
                new TimeoutVsCompletion(KernelUnderTest.noGlobalLimit(1), 0).withQueuedTask();

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void timeOut() {
            race.timeOut();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group with a deadline monitor. */
    @JCStressTest
    @JCStressMeta(TimeoutVsCompletion.class)
    @State
    public static class KernelDeadlineMonitor {
        private final TimeoutVsCompletion race =
                new TimeoutVsCompletion(KernelUnderTest.deadlineMonitor(1), 0).withQueuedTask();

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void timeOut() {
            race.timeOut();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group under a global limit. */
    @JCStressTest
    @JCStressMeta(TimeoutVsCompletion.class)
    @State
    public static class KernelGlobalLimit {
        private final TimeoutVsCompletion race =
                new TimeoutVsCompletion(KernelUnderTest.globalLimit(1, 1), 0).withQueuedTask();

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void timeOut() {
            race.timeOut();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The second attempt. */
    @JCStressTest
    @JCStressMeta(TimeoutVsCompletion.class)
    @State
    public static class KernelSecondAttempt {
        private final TimeoutVsCompletion race = new TimeoutVsCompletion(KernelUnderTest.noGlobalLimit(1), 1)
                .atSecondAttempt()
                .withQueuedTask();

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void timeOut() {
            race.timeOut();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The second attempt, under a global limit. */
    @JCStressTest
    @JCStressMeta(TimeoutVsCompletion.class)
    @State
    public static class KernelGlobalLimitSecondAttempt {
        private final TimeoutVsCompletion race = new TimeoutVsCompletion(KernelUnderTest.globalLimit(1, 1), 1)
                .atSecondAttempt()
                .withQueuedTask();

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void timeOut() {
            race.timeOut();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The second attempt fails, so a third is due. */
    @JCStressTest
    @JCStressMeta(TimeoutVsCompletion.class)
    @State
    public static class KernelSecondAttemptFails {
        private final TimeoutVsCompletion race = new TimeoutVsCompletion(KernelUnderTest.noGlobalLimit(1), 2)
                .atSecondAttempt()
                .withQueuedTask();

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void timeOut() {
            race.timeOut();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** Both sides can see the task as undecided. */
    @JCStressTest
    @JCStressMeta(TimeoutVsCompletion.class)
    @State
    public static class TwinCompletesTwice {
        private final TimeoutVsCompletion race = new TimeoutVsCompletion(new CompletesWithoutCas(), 0).withQueuedTask();

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void timeOut() {
            race.timeOut();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
