package io.github.kobe.stress;

import io.github.kobe.stress.broken.CompletesWithoutCas;
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
 * A queued task is cancelled while its group is stopped.
 *
 * <ul>
 * <li>A: cancels the task.
 * <li>B: stops the group, which cancels all of its tasks.
 * <li>Forbidden: two outcomes, none, or a task that runs after both.
 * </ul>
 */
@Outcome(id = "1, 0, 0", expect = Expect.ACCEPTABLE, desc = "one outcome, never ran, nothing leaked")
public final class CancelVsStop {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask first = new RecordingTask();
    private final RecordingTask second;
    private final Runnable running;

    private CancelVsStop(SchedulerUnderTest scheduler, RecordingTask second) {
        this.scheduler = scheduler;
        this.second = second;
        scheduler.submit("g", first);
        running = scheduler.runner().take();
        scheduler.submit("g", second);
    }

    private void cancel() {
        scheduler.cancel(second);
    }

    private void stop() {
        scheduler.stopGroup("g");
    }

    private void settle(III_Result r) {
        running.run();
        scheduler.runner().runAll();
        r.r1 = second.outcomeCount();
        r.r2 = second.runCount();
        r.r3 = scheduler.leaks();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(CancelVsStop.class)
    @State
    public static class KernelNoGlobalLimit {
        private final CancelVsStop race = new CancelVsStop(KernelUnderTest.noGlobalLimit(1), new RecordingTask());

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Actor
        public void stop() {
            race.stop();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group under a global limit. */
    @JCStressTest
    @JCStressMeta(CancelVsStop.class)
    @State
    public static class KernelGlobalLimit {
        private final CancelVsStop race = new CancelVsStop(KernelUnderTest.globalLimit(1, 1), new RecordingTask());

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Actor
        public void stop() {
            race.stop();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group, and a task with a listener. */
    @JCStressTest
    @JCStressMeta(CancelVsStop.class)
    @State
    public static class KernelListener {
        private final CancelVsStop race =
                new CancelVsStop(KernelUnderTest.noGlobalLimit(1), RecordingTask.withListener());

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Actor
        public void stop() {
            race.stop();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** Both sides can see the task as undecided. */
    @JCStressTest
    @JCStressMeta(CancelVsStop.class)
    @State
    public static class TwinCompletesTwice {
        private final CancelVsStop race = new CancelVsStop(new CompletesWithoutCas(), new RecordingTask());

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Actor
        public void stop() {
            race.stop();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
