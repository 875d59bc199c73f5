package io.github.kobe.stress;

import io.github.kobe.stress.broken.WaiterMissed;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.KernelSubject;
import io.github.kobe.stress.rig.Subject;
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
public final class EndVsWaiter {

    private final Subject subject;
    private final boolean cancels;
    private final boolean views;
    private final Job job;
    private final Runnable thread;
    private CompletableFuture<Boolean> end = new CompletableFuture<>();

    private EndVsWaiter(Subject subject, Job job, boolean cancels, boolean views) {
        this.subject = subject;
        this.job = job;
        this.cancels = cancels;
        this.views = views;
        subject.submit("g", job);
        thread = subject.crank().take();
    }

    private void end() {
        if (cancels) {
            subject.cancel(job);
        } else {
            thread.run();
        }
    }

    private void await() {
        end = views ? subject.view(job) : subject.waiter(job);
    }

    private void settle(II_Result r) {
        r.r1 = end.isDone() ? 1 : 0;
        r.r2 = end.getNow(cancels) != cancels ? 1 : 0;
    }

    /** A thread waits for work that ends. */
    @JCStressTest
    @JCStressMeta(EndVsWaiter.class)
    @State
    public static class KernelThread {
        private final EndVsWaiter race = new EndVsWaiter(KernelSubject.ungated(1), new Job(), false, false);

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
    @JCStressMeta(EndVsWaiter.class)
    @State
    public static class KernelView {
        private final EndVsWaiter race = new EndVsWaiter(KernelSubject.ungated(1), new Job(), false, true);

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
    @JCStressMeta(EndVsWaiter.class)
    @State
    public static class KernelCancelledView {
        private final EndVsWaiter race = new EndVsWaiter(KernelSubject.ungated(1), new Job(), true, true);

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
    @JCStressMeta(EndVsWaiter.class)
    @State
    public static class KernelObservedView {
        private final EndVsWaiter race = new EndVsWaiter(KernelSubject.ungated(1), Job.observed(), true, true);

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
    @JCStressMeta(EndVsWaiter.class)
    @State
    public static class TwinMissesWaiter {
        private final EndVsWaiter race = new EndVsWaiter(new WaiterMissed(), new Job(), false, false);

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
