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
 * A limit is raised from one to two while a second task is submitted.
 *
 * <ul>
 * <li>A: raises the limit and dispatches queued tasks.
 * <li>B: submits a task.
 * <li>Forbidden: a task that stays queued until another event, although a permit is free.
 * </ul>
 */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "started, completed, the new limit holds")
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

    /** The limit of a group. */
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

    /** The limit of a group under a global limit. */
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

    /** The global limit. */
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

    /** The resize can read the queue before the task is in it: a lost wake-up. */
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
