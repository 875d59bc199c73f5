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
 * A limit is lowered from two to one while one of two running tasks completes and a third is queued.
 *
 * <ul>
 * <li>A: lowers the limit.
 * <li>B: completes one of the running tasks.
 * <li>Forbidden: two tasks at once after both have completed, or a queued task that never starts.
 * </ul>
 */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "one at a time, completed, the new limit holds")
public final class ResizeDownVsCompletion {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask waiting = new RecordingTask();
    private final Runnable running;
    private final Runnable alsoRunning;

    private ResizeDownVsCompletion(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", new RecordingTask());
        scheduler.submit("g", new RecordingTask());
        running = scheduler.runner().take();
        alsoRunning = scheduler.runner().take();
        scheduler.submit("g", waiting);
    }

    private void resize() {
        scheduler.resize(1);
    }

    private void complete() {
        running.run();
    }

    private void settle(III_Result r) {
        alsoRunning.run();
        r.r1 = scheduler.runner().startedCount();
        scheduler.runner().runAll();
        r.r2 = waiting.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** The limit of a group. */
    @JCStressTest
    @JCStressMeta(ResizeDownVsCompletion.class)
    @State
    public static class KernelNoGlobalLimit {
        private final ResizeDownVsCompletion race = new ResizeDownVsCompletion(KernelUnderTest.noGlobalLimit(2));

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
    @JCStressMeta(ResizeDownVsCompletion.class)
    @State
    public static class KernelGlobalLimit {
        private final ResizeDownVsCompletion race = new ResizeDownVsCompletion(KernelUnderTest.globalLimit(2, 2));

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
    @JCStressMeta(ResizeDownVsCompletion.class)
    @State
    public static class KernelResizedGlobalLimit {
        private final ResizeDownVsCompletion race =
                new ResizeDownVsCompletion(KernelUnderTest.resizableGlobalLimit(2, 2));

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
    @JCStressMeta(ResizeDownVsCompletion.class)
    @State
    public static class TwinLosesPermit {
        private final ResizeDownVsCompletion race = new ResizeDownVsCompletion(new ResizesWithoutCas(2));

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
