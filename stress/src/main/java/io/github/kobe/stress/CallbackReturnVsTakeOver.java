package io.github.kobe.stress;

import io.github.kobe.stress.broken.TakesOverWithoutCas;
import io.github.kobe.stress.rig.CallbackGuard;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A callback returns while the monitor takes it over.
 *
 * <ul>
 * <li>A: the callback returns, and its thread continues if it may.
 * <li>B: a sweep finds the callback overdue.
 * <li>Forbidden: both continue, or neither does.
 * </ul>
 */
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "the calling thread continues")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "another thread continues")
public final class CallbackReturnVsTakeOver {

    private final CallbackGuard guard;

    private CallbackReturnVsTakeOver(CallbackGuard guard) {
        this.guard = guard;
        guard.begin();
        guard.letTimePass();
    }

    private void end(II_Result r) {
        r.r1 = guard.end() ? 1 : 0;
    }

    private void settle(II_Result r) {
        r.r2 = guard.takenOver();
    }

    /** The monitor of the kernel. */
    @JCStressTest
    @JCStressMeta(CallbackReturnVsTakeOver.class)
    @State
    public static class Kernel {
        private final CallbackReturnVsTakeOver race = new CallbackReturnVsTakeOver(CallbackGuard.monitor());

        @Actor
        public void end(II_Result r) {
            race.end(r);
        }

        @Actor
        public void sweep() {
            race.guard.sweep();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** Both sides can read the call before either removes it. */
    @JCStressTest
    @JCStressMeta(CallbackReturnVsTakeOver.class)
    @State
    public static class TwinContinuesTwice {
        private final CallbackReturnVsTakeOver race = new CallbackReturnVsTakeOver(new TakesOverWithoutCas());

        @Actor
        public void end(II_Result r) {
            race.end(r);
        }

        @Actor
        public void sweep() {
            race.guard.sweep();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }
}
