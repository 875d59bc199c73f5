package io.github.kobe.stress;

import io.github.kobe.stress.broken.CountsTaskAfterClosedCheck;
import io.github.kobe.stress.rig.KernelUnderTest;
import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.UncappedGroupUnderTest;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** A ticket comes while all is closed: it is refused, or it is let in and the end waits for it. */
@Outcome(id = "0, 0, 0, 1", expect = Expect.ACCEPTABLE, desc = "refused; all over")
@Outcome(id = "1, 0, 1, 1", expect = Expect.ACCEPTABLE, desc = "let in, ended; all over then, not before")
public final class CloseVsSubmit {

    private final SchedulerUnderTest scheduler;
    private final boolean stops;
    private final RecordingTask task = new RecordingTask();
    private Runnable running = () -> {};
    private boolean busy;
    private boolean admitted;

    private CloseVsSubmit(SchedulerUnderTest scheduler, boolean stops) {
        this.scheduler = scheduler;
        this.stops = stops;
    }

    /** The group has had a ticket before. */
    private CloseVsSubmit known() {
        scheduler.submit("g", new RecordingTask());
        scheduler.runner().runAll();
        return this;
    }

    /** Another group is at work. */
    private CloseVsSubmit withNeighbour() {
        scheduler.submit("h", new RecordingTask());
        running = scheduler.runner().take();
        busy = true;
        return this;
    }

    private void close() {
        if (stops) {
            scheduler.stopAll();
        } else {
            scheduler.close();
        }
    }

    private void submit() {
        admitted = scheduler.submit("g", task);
    }

    private void settle(IIII_Result r) {
        r.r1 = admitted ? 1 : 0;
        busy |= scheduler.runner().startedCount() > 0;
        r.r2 = busy && scheduler.isTerminated() ? 1 : 0;
        running.run();
        scheduler.runner().runAll();
        r.r3 = task.outcomeCount();
        r.r4 = scheduler.isTerminated() ? 1 : 0;
    }

    /** The ticket makes its group. */
    @JCStressTest
    @JCStressMeta(CloseVsSubmit.class)
    @State
    public static class KernelNewGroup {
        private final CloseVsSubmit race = new CloseVsSubmit(KernelUnderTest.noGlobalLimit(1), false);

        @Actor
        public void close() {
            race.close();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** The group is there. */
    @JCStressTest
    @JCStressMeta(CloseVsSubmit.class)
    @State
    public static class KernelKnownGroup {
        private final CloseVsSubmit race = new CloseVsSubmit(KernelUnderTest.noGlobalLimit(1), false).known();

        @Actor
        public void close() {
            race.close();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** The ticket makes its group, and another group has work to finish. */
    @JCStressTest
    @JCStressMeta(CloseVsSubmit.class)
    @State
    public static class KernelOtherGroupBusy {
        private final CloseVsSubmit race = new CloseVsSubmit(KernelUnderTest.noGlobalLimit(1), false).withNeighbour();

        @Actor
        public void close() {
            race.close();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** The ticket makes its group, below a global cap. */
    @JCStressTest
    @JCStressMeta(CloseVsSubmit.class)
    @State
    public static class KernelGlobalLimit {
        private final CloseVsSubmit race = new CloseVsSubmit(KernelUnderTest.globalLimit(1, 1), false);

        @Actor
        public void close() {
            race.close();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** What is here is cancelled too. */
    @JCStressTest
    @JCStressMeta(CloseVsSubmit.class)
    @State
    public static class KernelStopAll {
        private final CloseVsSubmit race = new CloseVsSubmit(KernelUnderTest.noGlobalLimit(1), true);

        @Actor
        public void close() {
            race.close();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** Where nothing limits how many run. */
    @JCStressTest
    @JCStressMeta(CloseVsSubmit.class)
    @State
    public static class KernelUncappedGroup {
        private final CloseVsSubmit race = new CloseVsSubmit(new UncappedGroupUnderTest(), false);

        @Actor
        public void close() {
            race.close();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** The end can be declared with the ticket on its way in. */
    @JCStressTest
    @JCStressMeta(CloseVsSubmit.class)
    @State
    public static class TwinTerminatesEarly {
        private final CloseVsSubmit race = new CloseVsSubmit(new CountsTaskAfterClosedCheck(), false);

        @Actor
        public void close() {
            race.close();
        }

        @Actor
        public void submit() {
            race.submit();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }
}
