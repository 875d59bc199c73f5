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

    private final FaceUnderTest face;
    private boolean one;
    private boolean other;

    private PoolRestartVsRestart(FaceUnderTest face) {
        this.face = face;
        face.close();
    }

    private void restart() {
        one = face.restart();
    }

    private void restartOther() {
        other = face.restart();
    }

    private void settle(II_Result r) {
        r.r1 = (one ? 1 : 0) + (other ? 1 : 0);
        face.submit();
        r.r2 = face.outcomeCount();
    }

    /** The second finds it running, or restarted meanwhile. */
    @JCStressTest
    @JCStressMeta(PoolRestartVsRestart.class)
    @State
    public static class Pool {
        private final PoolRestartVsRestart race = new PoolRestartVsRestart(new PoolUnderTest());

        @Actor
        public void restart() {
            race.restart();
        }

        @Actor
        public void restartOther() {
            race.restartOther();
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
        public void restart() {
            race.restart();
        }

        @Actor
        public void restartOther() {
            race.restartOther();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }
}
