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

/** Two tickets come at once and there is one place: one starts, the other waits for it. */
@Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "one at a time, both ended, nothing left behind")
public final class SubmitVsSubmit {

    private final SchedulerUnderTest scheduler;
    private final String otherGroup;
    private final RecordingTask one = new RecordingTask();
    private final RecordingTask other = new RecordingTask();

    private SubmitVsSubmit(SchedulerUnderTest scheduler, String otherGroup) {
        this.scheduler = scheduler;
        this.otherGroup = otherGroup;
    }

    private void submit() {
        scheduler.submit("g", one);
    }

    private void submitOther() {
        scheduler.submit(otherGroup, other);
    }

    private void settle(III_Result r) {
        r.r1 = scheduler.runner().startedCount();
        scheduler.runner().runAll();
        r.r2 = one.outcomeCount() + other.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** One group, which both make. */
    @JCStressTest
    @JCStressMeta(SubmitVsSubmit.class)
    @State
    public static class KernelNoGlobalLimit {
        private final SubmitVsSubmit race = new SubmitVsSubmit(KernelUnderTest.noGlobalLimit(1), "g");

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

    /** One group below a global cap. */
    @JCStressTest
    @JCStressMeta(SubmitVsSubmit.class)
    @State
    public static class KernelGlobalLimit {
        private final SubmitVsSubmit race = new SubmitVsSubmit(KernelUnderTest.globalLimit(1, 1), "g");

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

    /** Two groups, one place for both. */
    @JCStressTest
    @JCStressMeta(SubmitVsSubmit.class)
    @State
    public static class KernelTwoGroups {
        private final SubmitVsSubmit race = new SubmitVsSubmit(KernelUnderTest.globalLimit(1, 1), "h");

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

    /** Both can find the place free. */
    @JCStressTest
    @JCStressMeta(SubmitVsSubmit.class)
    @State
    public static class TwinExceedsLimit {
        private final SubmitVsSubmit race = new SubmitVsSubmit(new ChecksLimitThenActs(1, 2), "g");

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
