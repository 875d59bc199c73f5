package io.github.kobe.stress;

import io.github.kobe.stress.broken.ReadsCallsBeforeUnscheduling;
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
 * A callback begins while the monitor of callbacks makes its last sweep.
 *
 * <ul>
 * <li>A: sweeps, finds no callback, and schedules no further sweep.
 * <li>B: begins a callback that never returns, and relies on the sweep.
 * <li>Forbidden: a callback that no other thread takes over, since no sweep is scheduled for it.
 * </ul>
 */
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "taken over, once")
public final class CallbackVsSweep {

    private final CallbackGuard guard;

    private CallbackVsSweep(CallbackGuard guard) {
        this.guard = guard;
    }

    private void settle(II_Result r) {
        guard.letTimePass();
        guard.sweep();
        r.r1 = guard.takenOver();
        r.r2 = guard.end() ? 1 : 0;
    }

    /** The monitor of the kernel. */
    @JCStressTest
    @JCStressMeta(CallbackVsSweep.class)
    @State
    public static class Kernel {
        private final CallbackVsSweep race = new CallbackVsSweep(CallbackGuard.monitor());

        @Actor
        public void sweep() {
            race.guard.sweep();
        }

        @Actor
        public void begin() {
            race.guard.begin();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** The sweep can read the calls before it says that none is scheduled. */
    @JCStressTest
    @JCStressMeta(CallbackVsSweep.class)
    @State
    public static class TwinNeverTakenOver {
        private final CallbackVsSweep race = new CallbackVsSweep(new ReadsCallsBeforeUnscheduling());

        @Actor
        public void sweep() {
            race.guard.sweep();
        }

        @Actor
        public void begin() {
            race.guard.begin();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }
}
