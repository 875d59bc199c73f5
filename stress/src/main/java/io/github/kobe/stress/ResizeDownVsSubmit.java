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
 * A limit is lowered from two to one while a second task is submitted.
 *
 * <ul>
 * <li>A: lowers the limit.
 * <li>B: submits a task.
 * <li>Forbidden: two tasks at once after the first has completed, or a task that never starts.
 * </ul>
 */
@Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "one at a time, both completed, the new limit holds")
public final class ResizeDownVsSubmit {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask second = new RecordingTask();
    private final RecordingTask third = new RecordingTask();
    private final Runnable running;

    private ResizeDownVsSubmit(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", new RecordingTask());
        running = scheduler.runner().take();
    }

    private void resize() {
        scheduler.resize(1);
    }

    private void submit() {
        scheduler.submit("g", second);
    }

    private void settle(III_Result r) {
        running.run();
        scheduler.submit("g", third);
        r.r1 = scheduler.runner().startedCount();
        scheduler.runner().runAll();
        r.r2 = second.outcomeCount() + third.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** The limit of a group. */
    @JCStressTest
    @JCStressMeta(ResizeDownVsSubmit.class)
    @State
    public static class KernelNoGlobalLimit {
        private final ResizeDownVsSubmit race = new ResizeDownVsSubmit(KernelUnderTest.noGlobalLimit(2));

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

    /** The limit of a group under a global limit. */
    @JCStressTest
    @JCStressMeta(ResizeDownVsSubmit.class)
    @State
    public static class KernelGlobalLimit {
        private final ResizeDownVsSubmit race = new ResizeDownVsSubmit(KernelUnderTest.globalLimit(2, 2));

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

    /** The global limit. */
    @JCStressTest
    @JCStressMeta(ResizeDownVsSubmit.class)
    @State
    public static class KernelResizedGlobalLimit {
        private final ResizeDownVsSubmit race = new ResizeDownVsSubmit(KernelUnderTest.resizableGlobalLimit(2, 2));

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

    /** The resize can overwrite the acquired permit, which is then granted twice. */
    @JCStressTest
    @JCStressMeta(ResizeDownVsSubmit.class)
    @State
    public static class TwinExceedsLimit {
        private final ResizeDownVsSubmit race = new ResizeDownVsSubmit(new ResizesWithoutCas(2));

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
