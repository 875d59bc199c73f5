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

/** Somebody begins to wait for a ticket while it ends: the end gets through. */
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "told, and told the truth")
public final class CompletionVsAwait {

    private final SchedulerUnderTest scheduler;
    private final boolean cancels;
    private final boolean views;
    private final RecordingTask task;
    private final Runnable thread;
    private CompletableFuture<Boolean> end = new CompletableFuture<>();

    private CompletionVsAwait(SchedulerUnderTest scheduler, RecordingTask task, boolean cancels, boolean views) {
        this.scheduler = scheduler;
        this.task = task;
        this.cancels = cancels;
        this.views = views;
        scheduler.submit("g", task);
        thread = scheduler.runner().take();
    }

    private void end() {
        if (cancels) {
            scheduler.cancel(task);
        } else {
            thread.run();
        }
    }

    private void await() {
        end = views ? scheduler.userFuture(task) : scheduler.sharedFuture(task);
    }

    private void settle(II_Result r) {
        r.r1 = end.isDone() ? 1 : 0;
        r.r2 = end.getNow(cancels) != cancels ? 1 : 0;
    }

    /** A thread waits for work that ends. */
    @JCStressTest
    @JCStressMeta(CompletionVsAwait.class)
    @State
    public static class KernelWaitingThread {
        private final CompletionVsAwait race =
                new CompletionVsAwait(KernelUnderTest.noGlobalLimit(1), new RecordingTask(), false, false);

        @Actor
        public void end() {
            race.end();
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

    /** User code waits for work that ends. */
    @JCStressTest
    @JCStressMeta(CompletionVsAwait.class)
    @State
    public static class KernelUserFuture {
        private final CompletionVsAwait race =
                new CompletionVsAwait(KernelUnderTest.noGlobalLimit(1), new RecordingTask(), false, true);

        @Actor
        public void end() {
            race.end();
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

    /** User code waits for work that is cancelled. */
    @JCStressTest
    @JCStressMeta(CompletionVsAwait.class)
    @State
    public static class KernelUserFutureCancelled {
        private final CompletionVsAwait race =
                new CompletionVsAwait(KernelUnderTest.noGlobalLimit(1), new RecordingTask(), true, true);

        @Actor
        public void end() {
            race.end();
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

    /** User code waits for work that is cancelled, and an observer hears of it first. */
    @JCStressTest
    @JCStressMeta(CompletionVsAwait.class)
    @State
    public static class KernelUserFutureListener {
        private final CompletionVsAwait race =
                new CompletionVsAwait(KernelUnderTest.noGlobalLimit(1), RecordingTask.withListener(), true, true);

        @Actor
        public void end() {
            race.end();
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

    /** The end can go round before the waiter is on the list. */
    @JCStressTest
    @JCStressMeta(CompletionVsAwait.class)
    @State
    public static class TwinMissesWaiter {
        private final CompletionVsAwait race =
                new CompletionVsAwait(new RegistersWaiterAfterCheck(), new RecordingTask(), false, false);

        @Actor
        public void end() {
            race.end();
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
