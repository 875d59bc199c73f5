package io.github.kobe.stress;

import io.github.kobe.stress.broken.RegistersTaskAfterClosedCheck;
import io.github.kobe.stress.rig.FaceUnderTest;
import io.github.kobe.stress.rig.PoolUnderTest;
import io.github.kobe.stress.rig.ScopeUnderTest;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A task is submitted while its scope or pool is closed.
 *
 * <ul>
 * <li>A: closes the face, which waits for all accepted tasks.
 * <li>B: submits a task.
 * <li>Forbidden: an accepted task that is not completed when the close returns, or that starts afterwards.
 * </ul>
 */
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "rejected")
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "accepted and completed")
public final class FaceCloseVsSubmit {

    private final FaceUnderTest face;
    private boolean admitted;

    private FaceCloseVsSubmit(FaceUnderTest face) {
        this.face = face;
    }

    private void close() {
        face.close();
    }

    private void submit() {
        admitted = face.submit();
    }

    private void settle(III_Result r) {
        r.r1 = admitted ? 1 : 0;
        r.r2 = face.outcomeCount();
        r.r3 = face.startsAfterClose();
    }

    /** The first submission creates the state that the close reads. */
    @JCStressTest
    @JCStressMeta(FaceCloseVsSubmit.class)
    @State
    public static class Scope {
        private final FaceCloseVsSubmit race = new FaceCloseVsSubmit(new ScopeUnderTest());

        @Actor
        public void close() {
            race.close();
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

    /** The first submission starts the worker that the shutdown waits for. */
    @JCStressTest
    @JCStressMeta(FaceCloseVsSubmit.class)
    @State
    public static class Pool {
        private final FaceCloseVsSubmit race = new FaceCloseVsSubmit(new PoolUnderTest());

        @Actor
        public void close() {
            race.close();
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

    /** The task can be registered after the close has read the registry. */
    @JCStressTest
    @JCStressMeta(FaceCloseVsSubmit.class)
    @State
    public static class TwinNeverCompletes {
        private final FaceCloseVsSubmit race = new FaceCloseVsSubmit(new RegistersTaskAfterClosedCheck());

        @Actor
        public void close() {
            race.close();
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
