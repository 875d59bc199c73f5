package io.github.kobe.stress;

import io.github.kobe.stress.broken.SharesFutureWithoutCas;
import io.github.kobe.stress.rig.KernelUnderTest;
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
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * Two waiters ask for the user future of the same task at the same time.
 *
 * <ul>
 * <li>A: asks for a future, then waits on it.
 * <li>B: does the same.
 * <li>Forbidden: a waiter whose future never completes. It would wait forever.
 * </ul>
 */
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "both futures completed")
public final class AwaitVsAwait {

    private final SchedulerUnderTest scheduler;
    private final RecordingTask task = new RecordingTask();
    private CompletableFuture<Boolean> one = new CompletableFuture<>();
    private CompletableFuture<Boolean> other = new CompletableFuture<>();

    private AwaitVsAwait(SchedulerUnderTest scheduler) {
        this.scheduler = scheduler;
        scheduler.submit("g", task);
    }

    private void awaitAsUser() {
        one = scheduler.userFuture(task);
    }

    private void awaitAsOther() {
        other = scheduler.userFuture(task);
    }

    private void settle(I_Result r) {
        scheduler.runner().runAll();
        r.r1 = (one.isDone() ? 1 : 0) + (other.isDone() ? 1 : 0);
    }

    /** Two futures of users. */
    @JCStressTest
    @JCStressMeta(AwaitVsAwait.class)
    @State
    public static class KernelUserFutures {
        private final AwaitVsAwait race = new AwaitVsAwait(KernelUnderTest.noGlobalLimit(1));

        @Actor
        public void awaitAsUser() {
            race.awaitAsUser();
        }

        @Actor
        public void awaitAsOther() {
            race.awaitAsOther();
        }

        @Arbiter
        public void settle(I_Result r) {
            race.settle(r);
        }
    }

    /** The second waiter can overwrite the future of the first. */
    @JCStressTest
    @JCStressMeta(AwaitVsAwait.class)
    @State
    public static class TwinReplacesFirstFuture {
        private final AwaitVsAwait race = new AwaitVsAwait(new SharesFutureWithoutCas());

        @Actor
        public void awaitAsUser() {
            race.awaitAsUser();
        }

        @Actor
        public void awaitAsOther() {
            race.awaitAsOther();
        }

        @Arbiter
        public void settle(I_Result r) {
            race.settle(r);
        }
    }
}
