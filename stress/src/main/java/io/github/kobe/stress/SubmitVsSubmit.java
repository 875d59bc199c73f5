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

/**
 * Two tasks are submitted at the same time, and there is one permit.
 *
 * <ul>
 * <li>A: submits a task.
 * <li>B: submits another task.
 * <li>Forbidden: two tasks at once, or a queued task that is never started.
 * </ul>
 */
@Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "one at a time, both completed, nothing leaked")
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

    /** One group, which both submitters may create. */
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

    /** One group under a global limit. */
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

    /** Two groups share one global permit. */
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

    /** Both submitters can see the permit free. */
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
