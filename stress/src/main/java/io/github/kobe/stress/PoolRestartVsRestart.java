package io.github.kobe.stress;

import io.github.kobe.stress.broken.OpensBeforeInitialized;
import io.github.kobe.stress.rig.FaceUnderTest;
import io.github.kobe.stress.rig.PoolUnderTest;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two restart a pool at once: one of them does, the other is told so, and the pool works. */
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "one restart, and a task that is done")
public final class PoolRestartVsRestart {

    private final FaceUnderTest door;
    private boolean one;
    private boolean other;

    private PoolRestartVsRestart(FaceUnderTest door) {
        this.door = door;
        door.close();
    }

    private void open() {
        one = door.open();
    }

    private void openToo() {
        other = door.open();
    }

    private void settle(II_Result r) {
        r.r1 = (one ? 1 : 0) + (other ? 1 : 0);
        door.submit();
        r.r2 = door.ends();
    }

    /** The second finds it running, or restarted meanwhile. */
    @JCStressTest
    @JCStressMeta(PoolRestartVsRestart.class)
    @State
    public static class Pool {
        private final PoolRestartVsRestart race = new PoolRestartVsRestart(new PoolUnderTest());

        @Actor
        public void open() {
            race.open();
        }

        @Actor
        public void openToo() {
            race.openToo();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** Both can find it closed. */
    @JCStressTest
    @JCStressMeta(PoolRestartVsRestart.class)
    @State
    public static class TwinChecksThenActs {
        private final PoolRestartVsRestart race = new PoolRestartVsRestart(new OpensBeforeInitialized());

        @Actor
        public void open() {
            race.open();
        }

        @Actor
        public void openToo() {
            race.openToo();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }
}
