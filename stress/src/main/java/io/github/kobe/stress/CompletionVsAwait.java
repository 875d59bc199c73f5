package io.github.kobe.stress;

import io.github.kobe.stress.broken.RegistersWaiterAfterCheck;
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
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A waiter registers while the task completes.
 *
 * <ul>
 * <li>A: runs or cancels the task, which publishes its outcome to all waiters.
 * <li>B: asks for a future that completes with the outcome.
 * <li>Forbidden: a future that never completes, or that has the wrong outcome.
 * </ul>
 */
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "completed with the right outcome")
public final class CompletionVsAwait {

    private final SchedulerUnderTest scheduler;
    private final boolean cancels;
    private final boolean asUser;
    private final RecordingTask task;
    private final Runnable thread;
    private CompletableFuture<Boolean> future = new CompletableFuture<>();

    private CompletionVsAwait(SchedulerUnderTest scheduler, RecordingTask task, boolean cancels, boolean asUser) {
        this.scheduler = scheduler;
        this.task = task;
        this.cancels = cancels;
        this.asUser = asUser;
        scheduler.submit("g", task);
        thread = scheduler.runner().take();
    }

    private void complete() {
        if (cancels) {
            scheduler.cancel(task);
        } else {
            thread.run();
        }
    }

    private void await() {
        future = asUser ? scheduler.userFuture(task) : scheduler.sharedFuture(task);
    }

    private void settle(II_Result r) {
        r.r1 = future.isDone() ? 1 : 0;
        r.r2 = future.getNow(cancels) != cancels ? 1 : 0;
    }

    /** A thread waits for a task that runs. */
    @JCStressTest
    @JCStressMeta(CompletionVsAwait.class)
    @State
    public static class KernelWaitingThread {
        private final CompletionVsAwait race =
                new CompletionVsAwait(KernelUnderTest.noGlobalLimit(1), new RecordingTask(), false, false);

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void await() {
            race.await();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** A user holds a future of a task that runs. */
    @JCStressTest
    @JCStressMeta(CompletionVsAwait.class)
    @State
    public static class KernelUserFuture {
        private final CompletionVsAwait race =
                new CompletionVsAwait(KernelUnderTest.noGlobalLimit(1), new RecordingTask(), false, true);

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void await() {
            race.await();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** A user holds a future of a task that is cancelled. */
    @JCStressTest
    @JCStressMeta(CompletionVsAwait.class)
    @State
    public static class KernelUserFutureCancelled {
        private final CompletionVsAwait race =
                new CompletionVsAwait(KernelUnderTest.noGlobalLimit(1), new RecordingTask(), true, true);

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void await() {
            race.await();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** A user holds a future of a task that is cancelled, and a listener is notified first. */
    @JCStressTest
    @JCStressMeta(CompletionVsAwait.class)
    @State
    public static class KernelUserFutureListener {
        private final CompletionVsAwait race =
                new CompletionVsAwait(KernelUnderTest.noGlobalLimit(1), RecordingTask.withListener(), true, true);

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void await() {
            race.await();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }

    /** The outcome can be published before the waiter has registered. */
    @JCStressTest
    @JCStressMeta(CompletionVsAwait.class)
    @State
    public static class TwinMissesWaiter {
        private final CompletionVsAwait race =
                new CompletionVsAwait(new RegistersWaiterAfterCheck(), new RecordingTask(), false, false);

        @Actor
        public void complete() {
            race.complete();
        }

        @Actor
        public void await() {
            race.await();
        }

        @Arbiter
        public void settle(II_Result r) {
            race.settle(r);
        }
    }
}
