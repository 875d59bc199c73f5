package io.github.kobe.stress;

import io.github.kobe.stress.broken.GrantsPermitToWithdrawnRequest;
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
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A permit request is withdrawn while it is granted.
 *
 * <ul>
 * <li>A: completes the running task, whose permit goes to the request.
 * <li>B: withdraws the request, unless it was granted.
 * <li>Forbidden: a permit that stays with a withdrawn request. The next task would never start.
 * </ul>
 */
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "the next task completed, nothing leaked")
public final class PermitGrantVsWithdraw {

    private final SchedulerUnderTest scheduler;
    private final TestPermitRequest request = new TestPermitRequest();
    private final RecordingTask next = new RecordingTask();
    private final Runnable running;
    private boolean has;

    private PermitGrantVsWithdraw(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", new RecordingTask());
        running = scheduler.runner().take();
        scheduler.requestPermit("g", request);
        scheduler.submit("g", next);
    }

    private void complete() {
        running.run();
    }

    private void withdraw() {
        has = scheduler.isGrantedElseWithdraw(request);
    }

    private void settle(II_Result r) {
        if (has) {
            scheduler.releasePermit(request);
        }
        scheduler.runner().runAll();
        r.r1 = next.outcomeCount();
        r.r2 = scheduler.leaks();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(PermitGrantVsWithdraw.class)
    @State
    public static class KernelNoGlobalLimit {
        private final PermitGrantVsWithdraw race = new PermitGrantVsWithdraw(KernelUnderTest.noGlobalLimit(1));

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void withdraw() {
            race.withdraw();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** One group under a global limit. */
    @JCStressTest
    @JCStressMeta(PermitGrantVsWithdraw.class)
    @State
    public static class KernelGlobalLimit {
        private final PermitGrantVsWithdraw race = new PermitGrantVsWithdraw(KernelUnderTest.globalLimit(1, 1));

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void withdraw() {
            race.withdraw();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** The permit can go to a withdrawn request. */
    @JCStressTest
    @JCStressMeta(PermitGrantVsWithdraw.class)
    @State
    public static class TwinGrantsToWithdrawnRequest {
        private final PermitGrantVsWithdraw race = new PermitGrantVsWithdraw(new GrantsPermitToWithdrawnRequest());

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void withdraw() {
            race.withdraw();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }
}
