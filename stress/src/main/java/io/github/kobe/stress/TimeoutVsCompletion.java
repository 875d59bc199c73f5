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

/** A ticket runs out of time while its work comes to an end: one end, and its place comes back once, to the next in line. */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "one end, the next one ran, nothing left behind")
public final class TimeoutVsCompletion {

    private static final int LOOKS = 20;

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

    /** It is at its second attempt, for which its time runs already. */
    private TimeoutVsCompletion again() {
        running.run();
        scheduler.fireTimerEvent(TimerEvent.RETRY);
        running = scheduler.runner().take();
        return this;
    }

    private TimeoutVsCompletion beforeNext() {
        scheduler.submit("g", next);
        return this;
    }

    private void complete() {
        running.run();
    }

    private void timeOut() {
        for (int i = 0; i < LOOKS && !scheduler.fireTimerEvent(TimerEvent.TIME_LIMIT); i++) {
            Thread.onSpinWait(); // its time runs when its work has begun
        }
    }

    private void settle(III_Result r) {
        scheduler.runner().runAll();
        r.r1 = task.outcomeCount();
        r.r2 = next.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(TimeoutVsCompletion.class)
    @State
    public static class KernelNoGlobalLimit {
        private final TimeoutVsCompletion race =
                new TimeoutVsCompletion(KernelUnderTest.noGlobalLimit(1), 0).beforeNext();

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

    /** One group, with a watch. */
    @JCStressTest
    @JCStressMeta(TimeoutVsCompletion.class)
    @State
    public static class KernelDeadlineMonitor {
        private final TimeoutVsCompletion race =
                new TimeoutVsCompletion(KernelUnderTest.deadlineMonitor(1), 0).beforeNext();

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

    /** One group below a global cap. */
    @JCStressTest
    @JCStressMeta(TimeoutVsCompletion.class)
    @State
    public static class KernelGlobalLimit {
        private final TimeoutVsCompletion race =
                new TimeoutVsCompletion(KernelUnderTest.globalLimit(1, 1), 0).beforeNext();

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
                .again()
                .beforeNext();

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

    /** The second attempt, below a global cap. */
    @JCStressTest
    @JCStressMeta(TimeoutVsCompletion.class)
    @State
    public static class KernelGlobalLimitSecondAttempt {
        private final TimeoutVsCompletion race = new TimeoutVsCompletion(KernelUnderTest.globalLimit(1, 1), 1)
                .again()
                .beforeNext();

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

    /** The second attempt, which is to be followed by a third. */
    @JCStressTest
    @JCStressMeta(TimeoutVsCompletion.class)
    @State
    public static class KernelSecondAttemptFails {
        private final TimeoutVsCompletion race = new TimeoutVsCompletion(KernelUnderTest.noGlobalLimit(1), 2)
                .again()
                .beforeNext();

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

    /** Both can find it undecided. */
    @JCStressTest
    @JCStressMeta(TimeoutVsCompletion.class)
    @State
    public static class TwinCompletesTwice {
        private final TimeoutVsCompletion race = new TimeoutVsCompletion(new CompletesWithoutCas(), 0).beforeNext();

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
