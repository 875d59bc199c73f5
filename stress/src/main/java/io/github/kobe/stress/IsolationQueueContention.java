package io.github.kobe.stress;

import io.github.kobe.stress.broken.SkipsDispatchWhenLocked;
import io.github.kobe.stress.rig.IsolationUnderTest;
import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import java.util.List;
import java.util.stream.Stream;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two steps want the lock of the isolation face, for which nobody waits: after both no place is free that one in line could have. */
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "nobody was forgotten, all ended, nothing leaked")
public final class IsolationQueueContention {

    private final SchedulerUnderTest scheduler;
    private final List<RecordingTask> before;
    private final List<Runnable> running;
    private final RecordingTask one = new RecordingTask();
    private final RecordingTask other = new RecordingTask();
    private final int ends;

    /**
     * When both steps are done, what ran has ended and there is a place for all else.
     *
     * @param ran how many run at first, of {@code g} and {@code h} in turn
     * @param queued how many are in line then
     * @param comes how many the steps submit
     */
    private IsolationQueueContention(SchedulerUnderTest scheduler, int ran, int queued, int comes) {
        this.scheduler = scheduler;
        this.ends = ran + queued + comes;
        this.before = Stream.generate(RecordingTask::new).limit(ran + queued).toList();
        for (int i = 0; i < before.size(); i++) {
            scheduler.submit(i % 2 == 0 ? "g" : "h", before.get(i));
        }
        this.running = Stream.generate(scheduler.runner()::take).limit(ran).toList();
    }

    private void submitOne() {
        scheduler.submit("g", one);
    }

    private void submitOther() {
        scheduler.submit("h", other);
    }

    private void completeOne() {
        running.get(0).run();
    }

    private void completeOther() {
        running.get(1).run();
    }

    private void readStatistics() {
        scheduler.readStatistics();
    }

    private void settle(III_Result r) {
        r.r1 = ends - running.size() - scheduler.runner().startedCount();
        scheduler.runner().runAll();
        r.r2 = ends
                - one.outcomeCount()
                - other.outcomeCount()
                - before.stream().mapToInt(RecordingTask::outcomeCount).sum();
        r.r3 = scheduler.leaks();
    }

    /** Both come, and there is a place for each. */
    @JCStressTest
    @JCStressMeta(IsolationQueueContention.class)
    @State
    public static class KernelSubmits {
        private final IsolationQueueContention race = new IsolationQueueContention(new IsolationUnderTest(2), 0, 0, 2);

        @Actor
        public void submitOne() {
            race.submitOne();
        }

        @Actor
        public void submitOther() {
            race.submitOther();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One comes when the only place is given back. */
    @JCStressTest
    @JCStressMeta(IsolationQueueContention.class)
    @State
    public static class KernelSubmitVsCompletion {
        private final IsolationQueueContention race = new IsolationQueueContention(new IsolationUnderTest(1), 1, 0, 1);

        @Actor
        public void completeOne() {
            race.completeOne();
        }

        @Actor
        public void submitOther() {
            race.submitOther();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** Two places are given back, and two are in line. */
    @JCStressTest
    @JCStressMeta(IsolationQueueContention.class)
    @State
    public static class KernelCompletions {
        private final IsolationQueueContention race = new IsolationQueueContention(new IsolationUnderTest(2), 2, 2, 0);

        @Actor
        public void completeOne() {
            race.completeOne();
        }

        @Actor
        public void completeOther() {
            race.completeOther();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One comes while somebody looks at figures. */
    @JCStressTest
    @JCStressMeta(IsolationQueueContention.class)
    @State
    public static class KernelSubmitVsStatistics {
        private final IsolationQueueContention race = new IsolationQueueContention(new IsolationUnderTest(1), 0, 0, 1);

        @Actor
        public void submitOne() {
            race.submitOne();
        }

        @Actor
        public void readStatistics() {
            race.readStatistics();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** A place is given back, with one in line, while somebody looks at figures. */
    @JCStressTest
    @JCStressMeta(IsolationQueueContention.class)
    @State
    public static class KernelCompletionVsStatistics {
        private final IsolationQueueContention race = new IsolationQueueContention(new IsolationUnderTest(1), 1, 1, 0);

        @Actor
        public void completeOne() {
            race.completeOne();
        }

        @Actor
        public void readStatistics() {
            race.readStatistics();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One that comes can be left in line with a place free. */
    @JCStressTest
    @JCStressMeta(IsolationQueueContention.class)
    @State
    public static class TwinSubmits {
        private final IsolationQueueContention race =
                new IsolationQueueContention(new SkipsDispatchWhenLocked(2), 0, 0, 2);

        @Actor
        public void submitOne() {
            race.submitOne();
        }

        @Actor
        public void submitOther() {
            race.submitOther();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** So can one that is there when a place is given back. */
    @JCStressTest
    @JCStressMeta(IsolationQueueContention.class)
    @State
    public static class TwinCompletionVsStatistics {
        private final IsolationQueueContention race =
                new IsolationQueueContention(new SkipsDispatchWhenLocked(1), 1, 1, 0);

        @Actor
        public void completeOne() {
            race.completeOne();
        }

        @Actor
        public void readStatistics() {
            race.readStatistics();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
