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

/**
 * Two steps need the lock of the isolation queue, and neither waits for it.
 *
 * <ul>
 * <li>A: submits, completes or reads statistics.
 * <li>B: does another of these at the same time.
 * <li>Forbidden: a queued task next to a free permit. The side that finds the lock taken relies on the other to dispatch for it.
 * </ul>
 */
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "no task stayed queued, all completed, nothing leaked")
public final class IsolationQueueContention {

    private final SchedulerUnderTest scheduler;
    private final List<RecordingTask> before;
    private final List<Runnable> running;
    private final RecordingTask one = new RecordingTask();
    private final RecordingTask other = new RecordingTask();
    private final int taskCount;

    /**
     * After both steps, the running tasks are completed and there is a permit for each of the others.
     *
     * @param running how many tasks run at first, of {@code g} and {@code h} in turn
     * @param queued how many tasks are queued then
     * @param submitted how many tasks the two steps submit
     */
    private IsolationQueueContention(SchedulerUnderTest scheduler, int running, int queued, int submitted) {
        this.scheduler = scheduler;
        this.taskCount = running + queued + submitted;
        this.before =
                Stream.generate(RecordingTask::new).limit(running + queued).toList();
        for (int i = 0; i < before.size(); i++) {
            scheduler.submit(i % 2 == 0 ? "g" : "h", before.get(i));
        }
        this.running = Stream.generate(scheduler.runner()::take).limit(running).toList();
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
        r.r1 = taskCount - running.size() - scheduler.runner().startedCount();
        scheduler.runner().runAll();
        r.r2 = taskCount
                - one.outcomeCount()
                - other.outcomeCount()
                - before.stream().mapToInt(RecordingTask::outcomeCount).sum();
        r.r3 = scheduler.leaks();
    }

    /** Two submits, and a permit for each. */
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

    /** A submit, while the only permit is released. */
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

    /** Two permits are released, and two tasks are queued. */
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

    /** A submit, while statistics are read. */
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

    /** A permit is released and a task is queued, while statistics are read. */
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

    /** A submitted task can stay queued next to a free permit. */
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

    /** A queued task can stay queued when a permit is released. */
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
