package io.github.kobe.stress;

import io.github.kobe.stress.broken.PlaceGoesWithCancelled;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.KernelSubject;
import io.github.kobe.stress.rig.Subject;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * A ticket in line is cancelled while the place that it waits for comes free: it runs or is cancelled, and the next in line
 * gets its turn.
 */
@Outcome(
        id = "1, 1, 1, 0",
        expect = Expect.ACCEPTABLE,
        desc = "one end that is true, the next one ran, nothing left behind")
public final class CancelVsFinish {

    private final Subject subject;
    private final Job first = new Job();
    private final Job second = new Job();
    private final Job third = new Job();
    private final Runnable running;

    private CancelVsFinish(Subject subject, String secondGroup, String thirdGroup) {
        this.subject = subject;
        subject.submit("g", first);
        running = subject.crank().take();
        subject.submit(secondGroup, second);
        subject.submit(thirdGroup, third);
    }

    private void finish() {
        running.run();
    }

    private void cancel() {
        subject.cancel(second);
    }

    private void settle(IIII_Result r) {
        subject.crank().turn();
        r.r1 = second.ends();
        r.r2 = second.runs() + (second.wasCancelled() ? 1 : 0);
        r.r3 = third.ends();
        r.r4 = subject.damage();
    }

    /** One group. */
    @JCStressTest
    @JCStressMeta(CancelVsFinish.class)
    @State
    public static class KernelUngated {
        private final CancelVsFinish race = new CancelVsFinish(KernelSubject.ungated(1), "g", "g");

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** One group below a global cap. */
    @JCStressTest
    @JCStressMeta(CancelVsFinish.class)
    @State
    public static class KernelGated {
        private final CancelVsFinish race = new CancelVsFinish(KernelSubject.gated(1, 1), "g", "g");

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** Three groups, one place for all. */
    @JCStressTest
    @JCStressMeta(CancelVsFinish.class)
    @State
    public static class KernelThreeGroups {
        private final CancelVsFinish race = new CancelVsFinish(KernelSubject.gated(1, 1), "h", "i");

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }

    /** The place can go to the cancelled one, and stay there. */
    @JCStressTest
    @JCStressMeta(CancelVsFinish.class)
    @State
    public static class TwinLosesPlace {
        private final CancelVsFinish race = new CancelVsFinish(new PlaceGoesWithCancelled(), "g", "g");

        @Actor
        public void finish() {
            race.finish();
        }

        @Actor
        public void cancel() {
            race.cancel();
        }

        @Arbiter
        public void settle(IIII_Result r) {
            race.settle(r);
        }
    }
}
