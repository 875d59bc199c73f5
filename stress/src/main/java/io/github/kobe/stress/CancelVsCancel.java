package io.github.kobe.stress;

import io.github.kobe.stress.broken.CompletesWithoutCas;
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

/** A ticket in line is cancelled twice at once: one of the two decides. */
@Outcome(
        id = "1, 1, 0",
        expect = Expect.ACCEPTABLE,
        desc = "one was told that it decided, one end, nothing left behind")
public final class CancelVsCancel {

    private final SchedulerUnderTest subject;
    private final RecordingTask first = new RecordingTask();
    private final RecordingTask second;
    private final Runnable running;
    private boolean oneWon;
    private boolean otherWon;

    private CancelVsCancel(SchedulerUnderTest subject, RecordingTask second) {
        this.subject = subject;
        this.second = second;
        subject.submit("g", first);
        running = subject.crank().take();
        subject.submit("g", second);
    }

    private void cancel() {
        oneWon = subject.cancel(second);
    }

    private void cancelToo() {
        otherWon = subject.cancel(second);
    }

    private void settle(III_Result r) {
        running.run();
        subject.crank().turn();
        r.r1 = (oneWon ? 1 : 0) + (otherWon ? 1 : 0);
        r.r2 = second.ends();
        r.r3 = subject.damage();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(CancelVsCancel.class)
    @State
    public static class KernelNoGlobalLimit {
        private final CancelVsCancel race = new CancelVsCancel(KernelUnderTest.ungated(1), new RecordingTask());

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Actor
        public void cancelToo() {
            race.cancelToo();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group below a global cap. */
    @JCStressTest
    @JCStressMeta(CancelVsCancel.class)
    @State
    public static class KernelGlobalLimit {
        private final CancelVsCancel race = new CancelVsCancel(KernelUnderTest.gated(1, 1), new RecordingTask());

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Actor
        public void cancelToo() {
            race.cancelToo();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** One group, and an observer. */
    @JCStressTest
    @JCStressMeta(CancelVsCancel.class)
    @State
    public static class KernelListener {
        private final CancelVsCancel race = new CancelVsCancel(KernelUnderTest.ungated(1), RecordingTask.observed());

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Actor
        public void cancelToo() {
            race.cancelToo();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }

    /** Both can find it undecided. */
    @JCStressTest
    @JCStressMeta(CancelVsCancel.class)
    @State
    public static class TwinCompletesTwice {
        private final CancelVsCancel race = new CancelVsCancel(new CompletesWithoutCas(), new RecordingTask());

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Actor
        public void cancelToo() {
            race.cancelToo();
        }

        @Arbiter
        public void settle(III_Result r) {
            race.settle(r);
        }
    }
}
