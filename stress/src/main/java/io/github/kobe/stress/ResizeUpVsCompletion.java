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

/** The cap goes from one to two while the only one that runs leaves: both that wait start. */
@Outcome(id = "2, 2, 0", expect = Expect.ACCEPTABLE, desc = "both started, both ended, the new cap holds")
public final class ResizeUpVsCompletion {

    private final SchedulerUnderTest subject;
    private final RecordingTask second = new RecordingTask();
    private final RecordingTask third = new RecordingTask();
    private final Runnable running;

    private ResizeUpVsCompletion(SchedulerUnderTest subject) {
        this.subject = subject;
        subject.submit("g", new RecordingTask());
        running = subject.crank().take();
        subject.submit("g", second);
        subject.submit("g", third);
    }

    private void resize() {
        subject.resize(2);
    }

    private void finish() {
        running.run();
    }

    private void settle(III_Result r) {
        r.r1 = subject.crank().waiting();
        subject.crank().turn();
        r.r2 = second.ends() + third.ends();
        r.r3 = subject.damage();
    }

    /** The cap of a group. */
    @JCStressTest
    @JCStressMeta(ResizeUpVsCompletion.class)
    @State
    public static class KernelNoGlobalLimit {
        private final ResizeUpVsCompletion race = new ResizeUpVsCompletion(KernelUnderTest.ungated(1));

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
    @JCStressMeta(ResizeUpVsCompletion.class)
    @State
    public static class KernelGlobalLimit {
        private final ResizeUpVsCompletion race = new ResizeUpVsCompletion(KernelUnderTest.gated(1, 2));

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
    @JCStressMeta(ResizeUpVsCompletion.class)
    @State
    public static class KernelResizedGlobalLimit {
        private final ResizeUpVsCompletion race = new ResizeUpVsCompletion(KernelUnderTest.gateResized(2, 1));

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
    @JCStressMeta(ResizeUpVsCompletion.class)
    @State
    public static class TwinLosesPermit {
        private final ResizeUpVsCompletion race = new ResizeUpVsCompletion(new ResizesWithoutCas(1));

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
