package io.github.kobe.stress;

import io.github.kobe.stress.broken.EndsWaitWithoutCas;
import io.github.kobe.stress.rig.KernelUnderTest;
import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.TestPermitRequest;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A wait ends early while the task that runs on its permit completes.
 *
 * <ul>
 * <li>A: completes the borrower, which gives the permit back.
 * <li>B: ends the wait, and takes another permit if the first is still lent.
 * <li>Forbidden: a permit that both or none of them have. The next task would start too early, or never.
 * </ul>
 */
@Outcome(
        id = "1, 0",
        expect = Expect.ACCEPTABLE,
        desc = "the next task started when the permit was released, nothing leaked")
public final class LentPermitVsWaitEnd {

    private final SchedulerUnderTest scheduler;
    private final TestPermitRequest holder = new TestPermitRequest();
    private final RecordingTask next = new RecordingTask();
    private final Runnable borrower;
    private final Runnable end;

    private LentPermitVsWaitEnd(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.requestPermit("g", holder);
        RecordingTask awaited = new RecordingTask();
        scheduler.submit("g", awaited);
        scheduler.submit("g", next);
        end = scheduler.beginWait(holder, awaited);
        borrower = scheduler.runner().take();
    }

    private void complete() {
        borrower.run();
    }

    private void endWait() {
        end.run();
    }

    private void settle(II_Result r) {
        scheduler.runner().runAll();
        int early = next.outcomeCount();
        scheduler.releasePermit(holder);
        scheduler.runner().runAll();
        r.r1 = next.outcomeCount() - early;
        r.r2 = scheduler.leaks();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(LentPermitVsWaitEnd.class)
    @State
    public static class KernelNoGlobalLimit {
        private final LentPermitVsWaitEnd race = new LentPermitVsWaitEnd(KernelUnderTest.noGlobalLimit(1));

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void endWait() {
            race.endWait();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** One group under a global limit. */
    @JCStressTest
    @JCStressMeta(LentPermitVsWaitEnd.class)
    @State
    public static class KernelGlobalLimit {
        private final LentPermitVsWaitEnd race = new LentPermitVsWaitEnd(KernelUnderTest.globalLimit(1, 1));

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void endWait() {
            race.endWait();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** Both sides check what the other did, and then act. */
    @JCStressTest
    @JCStressMeta(LentPermitVsWaitEnd.class)
    @State
    public static class TwinEndsWithoutCas {
        private final LentPermitVsWaitEnd race = new LentPermitVsWaitEnd(new EndsWaitWithoutCas());

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void endWait() {
            race.endWait();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }
}
