package io.github.kobe.stress;

import io.github.kobe.Permit;
import io.github.kobe.stress.broken.DeliversPermitToCancelledFuture;
import io.github.kobe.stress.rig.EngineUnderTest;
import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The future of a requested permit is cancelled while the permit is granted.
 *
 * <ul>
 * <li>A: completes the running task, whose permit goes to the request, and from there to the future.
 * <li>B: cancels the future.
 * <li>Forbidden: a permit that nothing holds and nothing releases. The next task would never start.
 * </ul>
 */
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "the next task completed, nothing leaked")
public final class AsyncPermitVsCancel {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask next = new RecordingTask();
    private final Runnable running;
    private final CompletableFuture<Permit> future;

    private AsyncPermitVsCancel(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", new RecordingTask());
        running = scheduler.runner().take();
        future = scheduler.requestPermitAsync("g");
        scheduler.submit("g", next);
    }

    private void complete() {
        running.run();
    }

    private void cancel() {
        future.cancel(false);
    }

    private void settle(II_Result r) {
        if (!future.isCompletedExceptionally()) {
            future.join().close();
        }
        scheduler.runner().runAll();
        r.r1 = next.outcomeCount();
        r.r2 = scheduler.leaks();
    }

    /** One group without a global limit. */
    @JCStressTest
    @JCStressMeta(AsyncPermitVsCancel.class)
    @State
    public static class KernelNoGlobalLimit {
        private final AsyncPermitVsCancel race = new AsyncPermitVsCancel(EngineUnderTest.noGlobalLimit());

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** One group under a global limit. */
    @JCStressTest
    @JCStressMeta(AsyncPermitVsCancel.class)
    @State
    public static class KernelGlobalLimit {
        private final AsyncPermitVsCancel race = new AsyncPermitVsCancel(EngineUnderTest.globalLimit());

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** The permit can go to a cancelled future. */
    @JCStressTest
    @JCStressMeta(AsyncPermitVsCancel.class)
    @State
    public static class TwinDeliversToCancelledFuture {
        private final AsyncPermitVsCancel race = new AsyncPermitVsCancel(new DeliversPermitToCancelledFuture());

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }
}
