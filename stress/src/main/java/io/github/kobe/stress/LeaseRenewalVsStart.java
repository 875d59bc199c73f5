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
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A lease that is over is renewed while a task is submitted.
 *
 * <ul>
 * <li>A: makes the lease valid, and tells the kernel.
 * <li>B: submits a task, and begins it on its thread. If the kernel knows that the lease is over, the submitter looks at the lease; otherwise the thread of the task does.
 * <li>Forbidden: the task stays queued although the lease is valid.
 * </ul>
 */
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "completed, nothing leaked")
public final class LeaseRenewalVsStart {

    private final LeasesUnderTest owner;
    private @Nullable RecordingTask task;

    private LeaseRenewalVsStart(LeasesUnderTest owner) {
        this.owner = owner;
        owner.submit();
        owner.runner().runAll(); // the group is open
        owner.end();
    }

    private LeaseRenewalVsStart tellTheKernel() {
        owner.tellEnd();
        return this;
    }

    private void renew() {
        owner.renew();
    }

    private void submit() {
        task = owner.submit();
        owner.runner().runAll();
    }

    private void settle(II_Result r) {
        owner.runner().runAll();
        r.r1 = Objects.requireNonNull(task).outcomeCount();
        r.r2 = owner.occupancy();
    }

    /** One group without a global limit. The thread of the task looks at the lease. */
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
        public void settle(II_Result r) {
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
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** The submitter looks at the lease. */
    @JCStressTest
    @JCStressMeta(LeaseRenewalVsStart.class)
    @State
    public static class KernelKnownEnd {
        private final LeaseRenewalVsStart race = new LeaseRenewalVsStart(new LeasesUnderTest()).tellTheKernel();

        @Actor
        public void renew() {
            race.renew();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(II_Result r) {
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
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** The same, if the submitter looks at the lease. */
    @JCStressTest
    @JCStressMeta(LeaseRenewalVsStart.class)
    @State
    public static class TwinOwnerInTheWrongOrderKnownEnd {
        private final LeaseRenewalVsStart race = new LeaseRenewalVsStart(new OwnerInTheWrongOrder()).tellTheKernel();

        @Actor
        public void renew() {
            race.renew();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }
}
