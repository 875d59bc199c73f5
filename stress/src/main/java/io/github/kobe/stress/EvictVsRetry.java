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

/**
 * An idle group is evicted while a task is submitted to it, fails and awaits a retry.
 *
 * <ul>
 * <li>A: evicts the group.
 * <li>B: submits a task whose first attempt fails.
 * <li>Forbidden: a retry that runs in a retired group next to its successor. One key would have two limits.
 * </ul>
 */
@Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "one at a time, both completed, nothing leaked")
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

    /** One group without a global limit. */
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

    /** One group under a global limit. */
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

    /** The retry can belong to a retired group. */
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
