package io.github.kobe.stress;

import io.github.kobe.stress.broken.ResizesWithoutCas;
import io.github.kobe.stress.rig.KernelUnderTest;
import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * The cap goes from two to one while one of two leaves and another waits: when the second has left too, the one that waits
 * runs, alone.
 */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "one at a time, ended, the new cap holds")
public final class ResizeDownVsCompletion {

    private final SchedulerUnderTest subject;
    private final RecordingTask waiting = new RecordingTask();
    private final Runnable running;
    private final Runnable alsoRunning;

    private ResizeDownVsCompletion(SchedulerUnderTest subject) {
        this.subject = subject;
        subject.submit("g", new RecordingTask());
        subject.submit("g", new RecordingTask());
        running = subject.crank().take();
        alsoRunning = subject.crank().take();
        subject.submit("g", waiting);
    }

    private void resize() {
        subject.resize(1);
    }

    private void finish() {
        running.run();
    }

    private void settle(III_Result r) {
        alsoRunning.run();
        r.r1 = subject.crank().waiting();
        subject.crank().turn();
        r.r2 = waiting.ends();
        r.r3 = subject.damage();
    }

    /** The cap of a group. */
    @JCStressTest
    @JCStressMeta(ResizeDownVsCompletion.class)
    @State
    public static class KernelNoGlobalLimit {
        private final ResizeDownVsCompletion race = new ResizeDownVsCompletion(KernelUnderTest.ungated(2));

        @Actor
        public void resize() {
            race.resize();
        }

        @Actor
        public void finish() {
            race.finish();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The cap of a group below a global cap. */
    @JCStressTest
    @JCStressMeta(ResizeDownVsCompletion.class)
    @State
    public static class KernelGlobalLimit {
        private final ResizeDownVsCompletion race = new ResizeDownVsCompletion(KernelUnderTest.gated(2, 2));

        @Actor
        public void resize() {
            race.resize();
        }

        @Actor
        public void finish() {
            race.finish();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The global cap. */
    @JCStressTest
    @JCStressMeta(ResizeDownVsCompletion.class)
    @State
    public static class KernelResizedGlobalLimit {
        private final ResizeDownVsCompletion race = new ResizeDownVsCompletion(KernelUnderTest.gateResized(2, 2));

        @Actor
        public void resize() {
            race.resize();
        }

        @Actor
        public void finish() {
            race.finish();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The place that comes back can be overwritten. */
    @JCStressTest
    @JCStressMeta(ResizeDownVsCompletion.class)
    @State
    public static class TwinLosesPermit {
        private final ResizeDownVsCompletion race = new ResizeDownVsCompletion(new ResizesWithoutCas(2));

        @Actor
        public void resize() {
            race.resize();
        }

        @Actor
        public void finish() {
            race.finish();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
