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
 * A task is submitted while its pool is restarted.
 *
 * <ul>
 * <li>A: restarts the pool.
 * <li>B: submits a task.
 * <li>Forbidden: an accepted task that is left to the previous generation of workers, which never runs it.
 * </ul>
 */
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "rejected")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "accepted and completed")
public final class PoolRestartVsSubmit {

    private final FaceUnderTest face;
    private boolean admitted;

    private PoolRestartVsSubmit(FaceUnderTest face) {
        this.face = face;
        face.close();
    }

    private void restart() {
        face.restart();
    }

    private void submit() {
        admitted = face.submit();
    }

    private void settle(II_Result r) {
        r.r1 = admitted ? 1 : 0;
        r.r2 = face.outcomeCount();
    }

    /** A pool that has run no task yet. */
    @JCStressTest
    @JCStressMeta(PoolRestartVsSubmit.class)
    @State
    public static class Pool {
        private final PoolRestartVsSubmit race = new PoolRestartVsSubmit(new PoolUnderTest());

        @Actor
        public void restart() {
            race.restart();
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

    /** The task can be registered with the previous generation. */
    @JCStressTest
    @JCStressMeta(PoolRestartVsSubmit.class)
    @State
    public static class TwinRegistersWithOldGeneration {
        private final PoolRestartVsSubmit race = new PoolRestartVsSubmit(new OpensBeforeInitialized());

        @Actor
        public void restart() {
            race.restart();
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
