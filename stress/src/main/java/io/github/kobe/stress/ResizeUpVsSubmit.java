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

/** The cap goes from one to two while a second ticket comes: it starts without a third to push it. */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "started, ended, the new limit holds")
public final class ResizeUpVsSubmit {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask second = new RecordingTask();
    private final Runnable running;

    private ResizeUpVsSubmit(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", new RecordingTask());
        running = scheduler.runner().take();
    }

    private void resize() {
        scheduler.resize(2);
    }

    private void submit() {
        scheduler.submit("g", second);
    }

    private void settle(III_Result r) {
        r.r1 = scheduler.runner().startedCount();
        running.run();
        scheduler.runner().runAll();
        r.r2 = second.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** The cap of a group. */
    @JCStressTest
    @JCStressMeta(ResizeUpVsSubmit.class)
    @State
    public static class KernelNoGlobalLimit {
        private final ResizeUpVsSubmit race = new ResizeUpVsSubmit(KernelUnderTest.noGlobalLimit(1));

        @Actor
        public void resize() {
            race.resize();
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

    /** The cap of a group below a global cap. */
    @JCStressTest
    @JCStressMeta(ResizeUpVsSubmit.class)
    @State
    public static class KernelGlobalLimit {
        private final ResizeUpVsSubmit race = new ResizeUpVsSubmit(KernelUnderTest.globalLimit(1, 2));

        @Actor
        public void resize() {
            race.resize();
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

    /** The global cap. */
    @JCStressTest
    @JCStressMeta(ResizeUpVsSubmit.class)
    @State
    public static class KernelResizedGlobalLimit {
        private final ResizeUpVsSubmit race = new ResizeUpVsSubmit(KernelUnderTest.resizableGlobalLimit(2, 1));

        @Actor
        public void resize() {
            race.resize();
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

    /** The look at the line can come too early for it. */
    @JCStressTest
    @JCStressMeta(ResizeUpVsSubmit.class)
    @State
    public static class TwinLosesWakeUp {
        private final ResizeUpVsSubmit race = new ResizeUpVsSubmit(new ResizesWithoutCas(1));

        @Actor
        public void resize() {
            race.resize();
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
