package io.github.kobe.stress;

import io.github.kobe.stress.broken.ChecksLimitThenActs;
import io.github.kobe.stress.rig.KernelUnderTest;
import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two tickets come at once and there is room for one more in line: one is let in. */
@Outcome(
        id = "1, 2, 0",
        expect = Expect.ACCEPTABLE,
        desc = "one let in, all that were let in ended, nothing left behind")
public final class FullQueueVsSubmit {

    private final SchedulerUnderTest subject;
    private final RecordingTask first = new RecordingTask();
    private final RecordingTask inLine = new RecordingTask();
    private final RecordingTask one = new RecordingTask();
    private final RecordingTask other = new RecordingTask();
    private final Runnable running;
    private boolean oneIn;
    private boolean otherIn;

    private FullQueueVsSubmit(SchedulerUnderTest subject) {
        this.subject = subject;
        subject.submit("g", first);
        running = subject.crank().take();
        subject.submit("g", inLine);
    }

    private void submit() {
        oneIn = subject.submit("g", one);
    }

    private void submitOther() {
        otherIn = subject.submit("g", other);
    }

    private void settle(III_Result r) {
        running.run();
        subject.crank().turn();
        r.r1 = (oneIn ? 1 : 0) + (otherIn ? 1 : 0);
        r.r2 = inLine.ends() + one.ends() + other.ends();
        r.r3 = subject.damage();
    }

    /** The group's own threshold. */
    @JCStressTest
    @JCStressMeta(FullQueueVsSubmit.class)
    @State
    public static class KernelNoGlobalLimit {
        private final FullQueueVsSubmit race = new FullQueueVsSubmit(KernelUnderTest.ungated(1));

        @Actor
        public void submit() {
            race.submit();
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

    /** The group's threshold and the global one, both one short of full. */
    @JCStressTest
    @JCStressMeta(FullQueueVsSubmit.class)
    @State
    public static class KernelGlobalLimit {
        private final FullQueueVsSubmit race = new FullQueueVsSubmit(KernelUnderTest.gated(1, 1));

        @Actor
        public void submit() {
            race.submit();
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

    /** Both can find room for one. */
    @JCStressTest
    @JCStressMeta(FullQueueVsSubmit.class)
    @State
    public static class TwinExceedsThreshold {
        private final FullQueueVsSubmit race =
                new FullQueueVsSubmit(new ChecksLimitThenActs(1, KernelUnderTest.THRESHOLD));

        @Actor
        public void submit() {
            race.submit();
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
}
