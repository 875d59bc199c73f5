package io.github.kobe.stress;

import io.github.kobe.stress.broken.OwnerInTheWrongOrder;
import io.github.kobe.stress.rig.LeasesUnderTest;
import io.github.kobe.stress.rig.RecordingTask;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A lease that is over is renewed while a task is submitted.
 *
 * <ul>
 * <li>A: makes the lease valid, and tells the kernel.
 * <li>B: submits a task, which finds the lease valid or not.
 * <li>Forbidden: the task stays queued although the lease is valid.
 * </ul>
 */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "started, completed, nothing leaked")
public final class LeaseRenewalVsStart {

    private final LeasesUnderTest owner;
    private @Nullable RecordingTask task;

    private LeaseRenewalVsStart(LeasesUnderTest owner) {
        this.owner = owner;
        owner.submit();
        owner.runner().runAll(); // the group is open
        owner.end();
    }

    private void renew() {
        owner.renew();
    }

    private void submit() {
        task = owner.submit();
    }

    private void settle(III_Result r) {
        r.r1 = owner.runner().startedCount();
        owner.runner().runAll();
        r.r2 = Objects.requireNonNull(task).outcomeCount();
        r.r3 = owner.occupancy();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(LeaseRenewalVsStart.class)
    @State
    public static class KernelNoGlobalLimit {
        private final LeaseRenewalVsStart race = new LeaseRenewalVsStart(new LeasesUnderTest());

        @Actor
        public void renew() {
            race.renew();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group under a global limit. */
    @JCStressTest
    @JCStressMeta(LeaseRenewalVsStart.class)
    @State
    public static class KernelGlobalLimit {
        private final LeaseRenewalVsStart race = new LeaseRenewalVsStart(new LeasesUnderTest(5));

        @Actor
        public void renew() {
            race.renew();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The kernel is told before the lease is valid. */
    @JCStressTest
    @JCStressMeta(LeaseRenewalVsStart.class)
    @State
    public static class TwinOwnerInTheWrongOrder {
        private final LeaseRenewalVsStart race = new LeaseRenewalVsStart(new OwnerInTheWrongOrder());

        @Actor
        public void renew() {
            race.renew();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
