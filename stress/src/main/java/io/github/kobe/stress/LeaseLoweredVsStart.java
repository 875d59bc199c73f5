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
 * The owner of leases returns the only leased permit while a task is submitted.
 *
 * <ul>
 * <li>A: lowers the number of leased permits to zero, and keeps those in use.
 * <li>B: submits a task.
 * <li>Forbidden: the task runs on a permit that the owner did not keep, or does not run when a permit is leased again.
 * </ul>
 */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "no more run than were kept, completed, nothing leaked")
public final class LeaseLoweredVsStart {

    private final LeasesUnderTest owner;
    private @Nullable RecordingTask task;

    private LeaseLoweredVsStart(LeasesUnderTest owner) {
        this.owner = owner;
        owner.submit();
        owner.runner().runAll(); // the group is open
    }

    private void lower() {
        owner.lowerToZero();
    }

    private void submit() {
        task = owner.submit();
    }

    private void settle(III_Result r) {
        r.r1 = owner.runner().startedCount() <= owner.kept() ? 1 : 0;
        owner.lease(1);
        owner.runner().runAll();
        r.r2 = Objects.requireNonNull(task).outcomeCount();
        r.r3 = owner.occupancy();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(LeaseLoweredVsStart.class)
    @State
    public static class KernelNoGlobalLimit {
        private final LeaseLoweredVsStart race = new LeaseLoweredVsStart(new LeasesUnderTest());

        @Actor
        public void lower() {
            race.lower();
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
    @JCStressMeta(LeaseLoweredVsStart.class)
    @State
    public static class KernelGlobalLimit {
        private final LeaseLoweredVsStart race = new LeaseLoweredVsStart(new LeasesUnderTest(5));

        @Actor
        public void lower() {
            race.lower();
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

    /** The permits in use are read before the number is lower. */
    @JCStressTest
    @JCStressMeta(LeaseLoweredVsStart.class)
    @State
    public static class TwinOwnerInTheWrongOrder {
        private final LeaseLoweredVsStart race = new LeaseLoweredVsStart(new OwnerInTheWrongOrder());

        @Actor
        public void lower() {
            race.lower();
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
