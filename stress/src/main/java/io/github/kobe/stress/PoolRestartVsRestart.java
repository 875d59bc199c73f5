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

/**
 * A pool is restarted twice at the same time.
 *
 * <ul>
 * <li>A: restarts the pool.
 * <li>B: does the same.
 * <li>Forbidden: two restarts that both succeed, or a pool that runs no task afterwards.
 * </ul>
 */
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "one restart succeeded, and a task completed")
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

    /** The second restart finds the pool running. */
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

    /** Both restarts can find the pool closed. */
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
