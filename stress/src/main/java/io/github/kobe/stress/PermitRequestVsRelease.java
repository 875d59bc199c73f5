package io.github.kobe.stress;

import io.github.kobe.stress.broken.EnqueuesAfterFailedAcquire;
import io.github.kobe.stress.rig.KernelUnderTest;
import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.TestPermitRequest;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * A permit is requested, and a task is submitted behind it, while another request releases the only permit.
 *
 * <ul>
 * <li>A: releases the permit.
 * <li>B: requests a permit, then submits a task.
 * <li>Forbidden: a task that overtakes the request, or a request that is never granted.
 * </ul>
 */
@Outcome(
        id = "1, 0, 1, 0",
        expect = Expect.ACCEPTABLE,
        desc = "granted while no task ran, then the task completed, nothing leaked")
public final class PermitRequestVsRelease {

    private final SchedulerUnderTest scheduler;
    private final TestPermitRequest first = new TestPermitRequest();
    private final TestPermitRequest second = new TestPermitRequest();
    private final RecordingTask third = new RecordingTask();

    private PermitRequestVsRelease(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.requestPermit("g", first);
    }

    private void releasePermit() {
        scheduler.releasePermit(first);
    }

    private void requestPermit() {
        scheduler.requestPermit("g", second);
        scheduler.submit("g", third);
    }

    private void settle(IIII_Result r) {
        r.r2 = scheduler.runner().startedCount();
        r.r1 = scheduler.isGrantedElseWithdraw(second) ? 1 : 0;
        if (r.r1 == 1) {
            scheduler.releasePermit(second);
        }
        scheduler.runner().runAll();
        r.r3 = third.outcomeCount();
        r.r4 = scheduler.leaks();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(PermitRequestVsRelease.class)
    @State
    public static class KernelNoGlobalLimit {
        private final PermitRequestVsRelease race = new PermitRequestVsRelease(KernelUnderTest.noGlobalLimit(1));

        @Actor
        public void releasePermit() {
            race.releasePermit();
        }

        @Actor
        public void requestPermit() {
            race.requestPermit();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** One group under a global limit. */
    @JCStressTest
    @JCStressMeta(PermitRequestVsRelease.class)
    @State
    public static class KernelGlobalLimit {
        private final PermitRequestVsRelease race = new PermitRequestVsRelease(KernelUnderTest.globalLimit(1, 1));

        @Actor
        public void releasePermit() {
            race.releasePermit();
        }

        @Actor
        public void requestPermit() {
            race.requestPermit();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** The request can be enqueued after the permit was released: a lost wake-up. */
    @JCStressTest
    @JCStressMeta(PermitRequestVsRelease.class)
    @State
    public static class TwinLosesWakeUp {
        private final PermitRequestVsRelease race = new PermitRequestVsRelease(new EnqueuesAfterFailedAcquire(1));

        @Actor
        public void releasePermit() {
            race.releasePermit();
        }

        @Actor
        public void requestPermit() {
            race.requestPermit();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }
}
