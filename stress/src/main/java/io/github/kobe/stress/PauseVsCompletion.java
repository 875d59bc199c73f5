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
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * A group is paused while its running task completes.
 *
 * <ul>
 * <li>A: pauses the group.
 * <li>B: completes the running task, which may pass its permit to a task that was queued before the pause.
 * <li>Forbidden: two tasks at once, a task that is submitted later and runs during the pause, or a task that does not run after
 * the resume.
 * </ul>
 */
@Outcome(
        id = "1, 1, 1, 0",
        expect = Expect.ACCEPTABLE,
        desc = "never two at once, the last task stayed queued until the resume and completed, nothing leaked")
public final class PauseVsCompletion {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask last = new RecordingTask();
    private final Runnable running;

    private PauseVsCompletion(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", new RecordingTask());
        running = scheduler.runner().take();
    }

    /** Another task is queued. */
    private PauseVsCompletion withQueuedTask() {
        scheduler.submit("g", new RecordingTask());
        return this;
    }

    private void pause() {
        scheduler.pause();
    }

    private void complete() {
        running.run();
    }

    private void settle(IIII_Result r) {
        scheduler.submit("g", last);
        r.r1 = scheduler.runner().startedCount() <= 1 ? 1 : 0;
        scheduler.runner().runAll();
        r.r2 = last.runCount() == 0 ? 1 : 0;
        scheduler.resume();
        scheduler.runner().runAll();
        r.r3 = last.outcomeCount();
        r.r4 = scheduler.leaks();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(PauseVsCompletion.class)
    @State
    public static class KernelNoGlobalLimit {
        private final PauseVsCompletion race = new PauseVsCompletion(KernelUnderTest.noGlobalLimit(1));

        @Actor
        public void pause() {
            race.pause();
        }

        @Actor
        public void complete() {
            race.complete();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** One group without a global limit, and another task is queued. */
    @JCStressTest
    @JCStressMeta(PauseVsCompletion.class)
    @State
    public static class KernelQueuedTask {
        private final PauseVsCompletion race = new PauseVsCompletion(KernelUnderTest.noGlobalLimit(1)).withQueuedTask();

        @Actor
        public void pause() {
            race.pause();
        }

        @Actor
        public void complete() {
            race.complete();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** One group under a global limit. */
    @JCStressTest
    @JCStressMeta(PauseVsCompletion.class)
    @State
    public static class KernelGlobalLimit {
        private final PauseVsCompletion race = new PauseVsCompletion(KernelUnderTest.globalLimit(1, 1));

        @Actor
        public void pause() {
            race.pause();
        }

        @Actor
        public void complete() {
            race.complete();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** One group under a global limit, and another task is queued. */
    @JCStressTest
    @JCStressMeta(PauseVsCompletion.class)
    @State
    public static class KernelGlobalLimitQueuedTask {
        private final PauseVsCompletion race =
                new PauseVsCompletion(KernelUnderTest.globalLimit(1, 1)).withQueuedTask();

        @Actor
        public void pause() {
            race.pause();
        }

        @Actor
        public void complete() {
            race.complete();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** The released permit can be lost. */
    @JCStressTest
    @JCStressMeta(PauseVsCompletion.class)
    @State
    public static class TwinLosesPermit {
        private final PauseVsCompletion race = new PauseVsCompletion(new ResizesWithoutCas(1));

        @Actor
        public void pause() {
            race.pause();
        }

        @Actor
        public void complete() {
            race.complete();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }
}
