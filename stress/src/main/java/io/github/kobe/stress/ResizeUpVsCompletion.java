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
 * A limit is raised from one to two while the only running task completes. Two tasks are queued.
 *
 * <ul>
 * <li>A: raises the limit.
 * <li>B: completes the running task.
 * <li>Forbidden: a queued task that does not start although there is a permit for each.
 * </ul>
 */
@Outcome(id = "2, 2, 0", expect = Expect.ACCEPTABLE, desc = "both started, both completed, the new limit holds")
public final class ResizeUpVsCompletion {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask second = new RecordingTask();
    private final RecordingTask third = new RecordingTask();
    private final Runnable running;

    private ResizeUpVsCompletion(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", new RecordingTask());
        running = scheduler.runner().take();
        scheduler.submit("g", second);
        scheduler.submit("g", third);
    }

    private void resize() {
        scheduler.resize(2);
    }

    private void complete() {
        running.run();
    }

    private void settle(III_Result r) {
        r.r1 = scheduler.runner().startedCount();
        scheduler.runner().runAll();
        r.r2 = second.outcomeCount() + third.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** The limit of a group. */
    @JCStressTest
    @JCStressMeta(ResizeUpVsCompletion.class)
    @State
    public static class KernelNoGlobalLimit {
        private final ResizeUpVsCompletion race = new ResizeUpVsCompletion(KernelUnderTest.noGlobalLimit(1));

        @Actor
        public void resize() {
            race.resize();
        }

        @Actor
        public void complete() {
            race.complete();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The limit of a group under a global limit. */
    @JCStressTest
    @JCStressMeta(ResizeUpVsCompletion.class)
    @State
    public static class KernelGlobalLimit {
        private final ResizeUpVsCompletion race = new ResizeUpVsCompletion(KernelUnderTest.globalLimit(1, 2));

        @Actor
        public void resize() {
            race.resize();
        }

        @Actor
        public void complete() {
            race.complete();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The global limit. */
    @JCStressTest
    @JCStressMeta(ResizeUpVsCompletion.class)
    @State
    public static class KernelResizedGlobalLimit {
        private final ResizeUpVsCompletion race = new ResizeUpVsCompletion(KernelUnderTest.resizableGlobalLimit(2, 1));

        @Actor
        public void resize() {
            race.resize();
        }

        @Actor
        public void complete() {
            race.complete();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The resize can overwrite the released permit. */
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
        public void complete() {
            race.complete();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
