package io.github.kobe.stress;

import io.github.kobe.stress.broken.CountsRetryAfterRelease;
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

/** A group at rest is to leave while a ticket comes, fails, and is to be tried again: it does so in the group that the next one finds. */
@Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "one at a time, both ended, nothing left behind")
public final class EvictVsRetry {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask first = RecordingTask.failingOnce();
    private final RecordingTask second = new RecordingTask();

    private EvictVsRetry(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", new RecordingTask());
        scheduler.runner().runAll();
    }

    private void evict() {
        scheduler.evict("g");
    }

    private void fail() {
        scheduler.submit("g", first);
        scheduler.runner().runAll();
    }

    private void settle(III_Result r) {
        scheduler.submit("g", second);
        scheduler.fireTimerEvent(TimerEvent.RETRY);
        r.r1 = scheduler.runner().startedCount();
        scheduler.runner().runAll();
        r.r2 = first.outcomeCount() + second.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(EvictVsRetry.class)
    @State
    public static class KernelNoGlobalLimit {
        private final EvictVsRetry race = new EvictVsRetry(KernelUnderTest.noGlobalLimit(1));

        @Actor
        public void evict() {
            race.evict();
        }

        @Actor
        public void fail() {
            race.fail();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group below a global cap. */
    @JCStressTest
    @JCStressMeta(EvictVsRetry.class)
    @State
    public static class KernelGlobalLimit {
        private final EvictVsRetry race = new EvictVsRetry(KernelUnderTest.globalLimit(1, 2));

        @Actor
        public void evict() {
            race.evict();
        }

        @Actor
        public void fail() {
            race.fail();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** It can be left with a group that is no more. */
    @JCStressTest
    @JCStressMeta(EvictVsRetry.class)
    @State
    public static class TwinKeepsTwoGroups {
        private final EvictVsRetry race = new EvictVsRetry(new CountsRetryAfterRelease());

        @Actor
        public void evict() {
            race.evict();
        }

        @Actor
        public void fail() {
            race.fail();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
