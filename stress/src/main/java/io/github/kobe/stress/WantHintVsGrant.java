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
 * The demand that the owner of leases knew of is met while another task is queued. Until then the owner did not need hints.
 *
 * <ul>
 * <li>A: asks for hints again, and reads the demand.
 * <li>B: submits a task for which no permit is leased.
 * <li>Forbidden: the owner neither reads the demand of the task nor gets a hint.
 * </ul>
 */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "learned, completed, nothing leaked")
public final class WantHintVsGrant {

    private final LeasesUnderTest owner;
    private @Nullable RecordingTask task;

    private WantHintVsGrant(LeasesUnderTest owner) {
        this.owner = owner;
        owner.submit(); // holds the leased permit
        owner.await();
    }

    private void look() {
        owner.lookAgain();
    }

    private void submit() {
        task = owner.submit();
    }

    private void settle(III_Result r) {
        r.r1 = owner.learns(2) ? 1 : 0;
        owner.lease(2);
        owner.runner().runAll();
        r.r2 = Objects.requireNonNull(task).outcomeCount();
        r.r3 = owner.occupancy();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(WantHintVsGrant.class)
    @State
    public static class KernelNoGlobalLimit {
        private final WantHintVsGrant race = new WantHintVsGrant(new LeasesUnderTest());

        @Actor
        public void look() {
            race.look();
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
    @JCStressMeta(WantHintVsGrant.class)
    @State
    public static class KernelGlobalLimit {
        private final WantHintVsGrant race = new WantHintVsGrant(new LeasesUnderTest(5));

        @Actor
        public void look() {
            race.look();
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

    /** The demand is read while hints are not needed. */
    @JCStressTest
    @JCStressMeta(WantHintVsGrant.class)
    @State
    public static class TwinOwnerInTheWrongOrder {
        private final WantHintVsGrant race = new WantHintVsGrant(new OwnerInTheWrongOrder());

        @Actor
        public void look() {
            race.look();
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
