package io.github.kobe.stress;

import io.github.kobe.stress.broken.ChecksLimitThenActs;
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

/** Two tickets come at once and there is room for one more in line: one is let in. */
@Outcome(
        id = "1, 2, 0",
        expect = Expect.ACCEPTABLE,
        desc = "one let in, all that were let in ended, nothing left behind")
public final class FullQueueVsSubmit {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask first = new RecordingTask();
    private final RecordingTask queued = new RecordingTask();
    private final RecordingTask one = new RecordingTask();
    private final RecordingTask other = new RecordingTask();
    private final Runnable running;
    private boolean oneAdmitted;
    private boolean otherAdmitted;

    private FullQueueVsSubmit(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", first);
        running = scheduler.runner().take();
        scheduler.submit("g", queued);
    }

    private void submit() {
        oneAdmitted = scheduler.submit("g", one);
    }

    private void submitOther() {
        otherAdmitted = scheduler.submit("g", other);
    }

    private void settle(III_Result r) {
        running.run();
        scheduler.runner().runAll();
        r.r1 = (oneAdmitted ? 1 : 0) + (otherAdmitted ? 1 : 0);
        r.r2 = queued.outcomeCount() + one.outcomeCount() + other.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** The group's own threshold. */
    @JCStressTest
    @JCStressMeta(FullQueueVsSubmit.class)
    @State
    public static class KernelNoGlobalLimit {
        private final FullQueueVsSubmit race = new FullQueueVsSubmit(KernelUnderTest.noGlobalLimit(1));

        @Actor
        public void submit() {
            race.submit();
        }

        @Actor
        public void submitOther() {
            race.submitOther();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The group's threshold and the global one, both one short of full. */
    @JCStressTest
    @JCStressMeta(FullQueueVsSubmit.class)
    @State
    public static class KernelGlobalLimit {
        private final FullQueueVsSubmit race = new FullQueueVsSubmit(KernelUnderTest.globalLimit(1, 1));

        @Actor
        public void submit() {
            race.submit();
        }

        @Actor
        public void submitOther() {
            race.submitOther();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** Both can find room for one. */
    @JCStressTest
    @JCStressMeta(FullQueueVsSubmit.class)
    @State
    public static class TwinExceedsThreshold {
        private final FullQueueVsSubmit race =
                new FullQueueVsSubmit(new ChecksLimitThenActs(1, KernelUnderTest.QUEUE_THRESHOLD));

        @Actor
        public void submit() {
            race.submit();
        }

        @Actor
        public void submitOther() {
            race.submitOther();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
