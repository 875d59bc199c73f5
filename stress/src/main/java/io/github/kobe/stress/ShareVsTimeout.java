package io.github.kobe.stress;

import io.github.kobe.scope.GlanceInHand;
import io.github.kobe.stress.broken.SharedUnwatched;
import io.github.kobe.stress.rig.SharedClock;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The time is shared as the timeout that would end that fires: it is not shared for ever. */
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "it is not shared")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "it is not shared, and there is a timeout too many")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "it is shared, and there is a timeout")
public final class ShareVsTimeout {

    private final SharedClock clock;

    private ShareVsTimeout(SharedClock clock) {
        this.clock = clock;
    }

    private void settle(II_Result r) {
        r.r1 = clock.isShared() ? 1 : 0;
        r.r2 = clock.isWatched() ? 1 : 0;
    }

    /** Of a scope's tasks. */
    @JCStressTest
    @JCStressMeta(ShareVsTimeout.class)
    @State
    public static class ScopeClock {
        private final ShareVsTimeout race = new ShareVsTimeout(new GlanceInHand());

        @Actor
        public void share() {
            race.clock.share();
        }

        @Actor
        public void fire() {
            race.clock.fire();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** The timeout can look too early. */
    @JCStressTest
    @JCStressMeta(ShareVsTimeout.class)
    @State
    public static class TwinLooksFirst {
        private final ShareVsTimeout race = new ShareVsTimeout(new SharedUnwatched());

        @Actor
        public void share() {
            race.clock.share();
        }

        @Actor
        public void fire() {
            race.clock.fire();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }
}
