package io.github.kobe.stress;

import io.github.kobe.stress.broken.RemovesStartedTask;
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
import org.openjdk.jcstress.infra.results.IIII_Result;

/** A ticket comes to a full line that is moving: it is let in and runs, or is refused and never does. */
@Outcome(id = "0, 2, 0, 0", expect = Expect.ACCEPTABLE, desc = "refused")
@Outcome(id = "1, 2, 1, 0", expect = Expect.ACCEPTABLE, desc = "let in, and ran")
public final class FullQueueVsCompletion {

    private final SchedulerUnderTest subject;
    private final RecordingTask first = new RecordingTask();
    private final RecordingTask second = new RecordingTask();
    private final RecordingTask third = new RecordingTask();
    private final RecordingTask late = new RecordingTask();
    private final Runnable running;
    private boolean lateIn;

    private FullQueueVsCompletion(SchedulerUnderTest subject) {
        this.subject = subject;
        subject.submit("g", first);
        running = subject.crank().take();
        subject.submit("g", second);
        subject.submit("g", third);
    }

    private void finish() {
        running.run();
        subject.crank().turn();
    }

    private void submit() {
        lateIn = subject.submit("g", late);
    }

    private void settle(IIII_Result r) {
        subject.crank().turn();
        r.r1 = lateIn ? 1 : 0;
        r.r2 = second.ends() + third.ends();
        r.r3 = late.ends();
        r.r4 = subject.damage();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(FullQueueVsCompletion.class)
    @State
    public static class KernelNoGlobalLimit {
        private final FullQueueVsCompletion race = new FullQueueVsCompletion(KernelUnderTest.ungated(1));

        @Actor
        public void finish() {
            race.finish();
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

    /** One group below a global cap. */
    @JCStressTest
    @JCStressMeta(FullQueueVsCompletion.class)
    @State
    public static class KernelGlobalLimit {
        private final FullQueueVsCompletion race = new FullQueueVsCompletion(KernelUnderTest.gated(1, 1));

        @Actor
        public void finish() {
            race.finish();
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

    /** The ticket can be refused although it has been started. */
    @JCStressTest
    @JCStressMeta(FullQueueVsCompletion.class)
    @State
    public static class TwinRejectsStartedTask {
        private final FullQueueVsCompletion race =
                new FullQueueVsCompletion(new RemovesStartedTask(KernelUnderTest.THRESHOLD));

        @Actor
        public void finish() {
            race.finish();
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
