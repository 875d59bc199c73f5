package io.github.kobe.stress;

import io.github.kobe.stress.broken.ChecksGroupCountThenCreates;
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
 * Two tasks are submitted to different groups at the same time, and there may be one group.
 *
 * <ul>
 * <li>A: submits a task to the group g.
 * <li>B: submits a task to the group h.
 * <li>Forbidden: two admitted tasks, or none. The first would exceed the bound on groups.
 * </ul>
 */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "one admitted and completed, nothing leaked")
public final class MaxGroupsVsSubmit {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask one = new RecordingTask();
    private final RecordingTask other = new RecordingTask();
    private boolean oneAdmitted;
    private boolean otherAdmitted;

    private MaxGroupsVsSubmit(SchedulerUnderTest scheduler, boolean idleGroup) {
        this.scheduler = scheduler;
        if (idleGroup) {
            scheduler.submit("g", new RecordingTask());
            scheduler.runner().runAll();
        }
    }

    private void submit() {
        oneAdmitted = scheduler.submit("g", one);
    }

    private void submitOther() {
        otherAdmitted = scheduler.submit("h", other);
    }

    private void settle(III_Result r) {
        scheduler.runner().runAll();
        r.r1 = (oneAdmitted ? 1 : 0) + (otherAdmitted ? 1 : 0);
        r.r2 = one.outcomeCount() + other.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** Both groups are new. */
    @JCStressTest
    @JCStressMeta(MaxGroupsVsSubmit.class)
    @State
    public static class KernelNewGroups {
        private final MaxGroupsVsSubmit race = new MaxGroupsVsSubmit(KernelUnderTest.maxGroups(1, 1), false);

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

    /** The group g is known and idle, so it may have to make room for h. */
    @JCStressTest
    @JCStressMeta(MaxGroupsVsSubmit.class)
    @State
    public static class KernelIdleGroup {
        private final MaxGroupsVsSubmit race = new MaxGroupsVsSubmit(KernelUnderTest.maxGroups(1, 1), true);

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

    /** Both submitters can see that there is no group. */
    @JCStressTest
    @JCStressMeta(MaxGroupsVsSubmit.class)
    @State
    public static class TwinExceedsBound {
        private final MaxGroupsVsSubmit race = new MaxGroupsVsSubmit(new ChecksGroupCountThenCreates(1), false);

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
