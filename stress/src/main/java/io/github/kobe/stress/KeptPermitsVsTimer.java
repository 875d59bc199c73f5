package io.github.kobe.stress;

import io.github.kobe.stress.broken.KeepsPermitsWithoutCas;
import io.github.kobe.stress.rig.KernelUnderTest;
import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.TimerEvent;
import java.util.Objects;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A group needs the limits a and b, keeps the permit of a, and waits for that of b.
 *
 * <ul>
 * <li>A: completes the task that has the permit of b. So the task of the waiting group starts, with the kept permit.
 * <li>B: the timer fires, because the permit was kept for too long. So the permit of a is given back.
 * <li>Forbidden: the permit is both used and given back, or neither; or the waiting task is never started.
 * </ul>
 */
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "started, completed, nothing is left")
public final class KeptPermitsVsTimer {

    /** If b is so many times as fast as a, the group keeps the permit of a. */
    private static final int MUCH_FASTER = 16;

    private final SchedulerUnderTest scheduler;
    private final RecordingTask waiting = new RecordingTask();
    private final Runnable taskOfB;
    private final Runnable timer;

    private KeptPermitsVsTimer(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        Runnable a = start("a");
        Runnable b = start("b");
        scheduler.submit("ab", waiting); // waits at a
        a.run(); // its turn at a is in vain, so it waits at b
        a = start("a");
        b.run(); // its turn at b is in vain, so it waits at a
        b = start("b");
        for (int i = 0; i < MUCH_FASTER; i++) {
            b.run();
            b = start("b");
        }
        a.run(); // it keeps the permit of a, and waits at b
        taskOfB = b;
        timer = Objects.requireNonNull(scheduler.takeTimerEvent(TimerEvent.KEPT_PERMITS), "no permit is kept");
    }

    private Runnable start(String group) {
        scheduler.submit(group, new RecordingTask());
        return scheduler.runner().take();
    }

    private void settle(III_Result r) {
        r.r1 = scheduler.runner().startedCount();
        scheduler.runner().runAll();
        r.r2 = waiting.outcomeCount();
        r.r3 = scheduler.leaks();
    }

    /** The task starts with the kept permit, or with one that it takes anew. */
    @JCStressTest
    @JCStressMeta(KeptPermitsVsTimer.class)
    @State
    public static class KernelKeeps {
        private final KeptPermitsVsTimer race = new KeptPermitsVsTimer(KernelUnderTest.sharedLimits(1));

        @Actor
        public void complete() {
            race.taskOfB.run();
        }

        @Actor
        public void fireTimer() {
            race.timer.run();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** The permit can be used and given back: then there is one too many. */
    @JCStressTest
    @JCStressMeta(KeptPermitsVsTimer.class)
    @State
    public static class TwinDoublesPermit {
        private final KeptPermitsVsTimer race = new KeptPermitsVsTimer(new KeepsPermitsWithoutCas());

        @Actor
        public void complete() {
            race.taskOfB.run();
        }

        @Actor
        public void fireTimer() {
            race.timer.run();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
